"""Cut documents to contexts within a token limit, never inside a sentence.

A context is the longest run of complete paragraphs from the starting point within the limit (paper
000, "Dataset": 25k tokens, complete paragraphs). A single paragraph that exceeds the limit, as in
flattened filings without line breaks, is cut at the end of a sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART, context_of, rejected, without_repeats
from tasks.suites.suite import Step, StepInputs
from tasks.text.sentences import split_sentences
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

DEFAULT_LIMIT = 25_000
FILING_START = "filing"

NO_TEXT = "the document has no text"
NO_SUCH_ITEM = "the Item to start from was not found"
SENTENCE_TOO_LONG = "the first sentence alone exceeds the token limit"

# The pre-tokeniser of cl100k never joins a line break to the following text, so token counts of
# paragraphs with their blank lines add up. In o200k (which joins ".\n\n/") and p50k (which splits
# "\n\n" before text, not at the end) the sum is only close, so count again.
_ADDITIVE_ENCODINGS = frozenset({"cl100k_base"})


def truncate(
    documents: Iterable[Document],
    *,
    limit: int = DEFAULT_LIMIT,
    encoding: str = DEFAULT_ENCODING,
    start: str = FILING_START,
) -> Iterator[Context | Reject]:
    """Yield one context per document, or the reason why it has none.

    `limit` is in tokens of `encoding`; `start` is "filing" or an Item ("7", "1A").
    """
    for document in documents:
        yield _truncate(document, limit, encoding, start)


def _truncate(document: Document, limit: int, encoding: str, start: str) -> Context | Reject:
    if not document.paragraphs:
        return rejected(document, NO_TEXT, "")
    start_char = _start_char(document, start)
    if start_char is None:
        found = ", ".join(item.item for item in document.items) or "none"
        return rejected(document, NO_SUCH_ITEM, f"Item {start}; found: {found}")

    is_counted = encoding == document.encoding and encoding in _ADDITIVE_ENCODINGS
    starts, ends, counts = _paragraphs_from(document, start_char, encoding, is_counted)
    text = document.text
    before = [0, *accumulate(counts)]

    def n_tokens_of_paragraphs(number: int) -> int:
        if is_counted:  # the slice ends before the last blank line
            return before[number - 1] + count_tokens(
                text[starts[number - 1] : ends[number - 1]], encoding
            )
        return count_tokens(text[start_char : ends[number - 1]], encoding)

    number, n_tokens = _longest_run(len(ends), limit, before, n_tokens_of_paragraphs)
    end_char = ends[number - 1] if number else start_char
    cut = "none" if number == len(ends) else "paragraph"

    if number < len(ends) and counts[number] > limit:
        sentence_end, n_sentence_tokens = _sentences_within(
            text, start_char, starts[number], ends[number], n_tokens, limit, encoding
        )
        if sentence_end is not None:
            end_char, n_tokens, cut = sentence_end, n_sentence_tokens, "sentence"
    if end_char == start_char:
        return rejected(document, SENTENCE_TOO_LONG, f"limit {limit}, at character {start_char}")

    is_same_encoding = encoding == document.encoding
    context_text = text[start_char:end_char]
    details = {
        "cut": cut,
        "limit": limit,
        "n_chars": len(context_text),
        "n_document_tokens": document.n_tokens
        if is_same_encoding
        else count_tokens(text, encoding),
        "start": start,
    }
    return context_of(
        "truncated",
        context_text,
        document,
        encoding=encoding,
        start_char=start_char,
        n_tokens=n_tokens,
        details=canonical_json(details),
    )


def _start_char(document: Document, start: str) -> int | None:
    if start == FILING_START:
        return document.paragraphs[0].start_char
    return next((item.start_char for item in document.items if item.item == start), None)


def _paragraphs_from(
    document: Document, start_char: int, encoding: str, is_counted: bool
) -> tuple[list[int], list[int], list[int]]:
    """Return starts, ends and token counts of paragraphs from a character.

    Counts include blank lines. If an Item begins inside a paragraph, as in flattened filings, the
    rest of that paragraph counts as one.
    """
    paragraphs = document.paragraphs
    first = bisect_right(paragraphs, start_char, key=lambda paragraph: paragraph.end_char)
    rest = paragraphs[first:]
    starts = [max(paragraph.start_char, start_char) for paragraph in rest]
    ends = [paragraph.end_char for paragraph in rest]
    counts = [paragraph.n_tokens for paragraph in rest]
    slice_ends = [*starts[1:], len(document.text)]
    if not is_counted:
        counts = [
            count_tokens(document.text[begin:end], encoding)
            for begin, end in zip(starts, slice_ends, strict=True)
        ]
    elif starts[0] != rest[0].start_char:
        counts[0] = count_tokens(document.text[starts[0] : slice_ends[0]], encoding)
    return starts, ends, counts


def _longest_run(
    available: int, limit: int, before: Sequence[int], n_tokens_of: Callable[[int], int]
) -> tuple[int, int]:
    """Return how many leading pieces fit, and their tokens.

    `before[n]` estimates the tokens of n pieces. `n_tokens_of(n)` is exact.
    """
    number = min(max(bisect_right(before, limit) - 1, 0), available)
    n_tokens = n_tokens_of(number) if number else 0
    while n_tokens > limit:
        number -= 1
        n_tokens = n_tokens_of(number) if number else 0
    while number < available and (longer := n_tokens_of(number + 1)) <= limit:
        number, n_tokens = number + 1, longer
    return number, n_tokens


def _sentences_within(
    text: str,
    start_char: int,
    paragraph_start: int,
    paragraph_end: int,
    n_before: int,
    limit: int,
    encoding: str,
) -> tuple[int | None, int]:
    """Find the end of the last whole sentence within the limit.

    Returns it with the token count of the text up to there, or (None, 0).
    """
    ends = [
        paragraph_start + sentence.end_char
        for sentence in split_sentences(text[paragraph_start:paragraph_end])
    ]
    before = [n_before]
    begin = paragraph_start
    for end in ends:
        if before[-1] > limit:  # a paragraph may be a whole filing, so stop early
            break
        before.append(before[-1] + count_tokens(text[begin:end], encoding))
        begin = end
    number, n_tokens = _longest_run(
        len(ends),
        limit,
        before,
        lambda number: count_tokens(text[start_char : ends[number - 1]], encoding),
    )
    return (ends[number - 1], n_tokens) if number else (None, 0)


# --- the step ------------------------------------------------------------------------------


def build_contexts(inputs: StepInputs) -> Iterator[Context | Reject]:
    """Cut every document of the release to one context."""
    options: FailSafeQAOptions = inputs.options
    documents = (document for (some,) in inputs.parts(Document) for document in some)
    made = truncate(
        documents, limit=options.context_tokens, encoding=inputs.encoding, start=options.start
    )
    return without_repeats(made)


STEP = Step(
    name="contexts",
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    part_rows=CONTEXTS_OF_A_PART,
    options=("context_tokens", "encoding", "start"),
)
