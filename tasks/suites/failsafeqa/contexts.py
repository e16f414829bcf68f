"""Cut documents to contexts within a token limit, never inside a sentence.

A context is the longest run of complete paragraphs from the starting point within the limit (paper
000, "Dataset": 25k tokens, complete paragraphs). A single paragraph that exceeds the limit, as in
flattened filings without line breaks, is cut at the end of a sentence.

A context from an Item of several spans joins them by empty lines, and goes on after the last one.
`details` then has its `parts`, as spans of the document's text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.contexts import (
    CONTEXTS_OF_A_PART,
    context_of,
    found_items,
    rejected,
    text_elsewhere,
    without_repeats,
)
from tasks.suites.suite import Step, StepInputs
from tasks.text.sentences import split_sentences
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

DEFAULT_LIMIT = 25_000
FILING_START = "filing"

NO_TEXT = "the document has no text"
NO_SUCH_ITEM = "the Item to start from was not found"
SENTENCE_TOO_LONG = "the first sentence alone exceeds the token limit"


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
    parts = [(document.paragraphs[0].start_char, len(document.text))]
    if start != FILING_START:
        spans = document.spans_of(start)
        if not spans:
            detail = f"Item {start}; found: {found_items(document)}"
            return rejected(document, NO_SUCH_ITEM, detail)
        if elsewhere := text_elsewhere(document, spans):
            return rejected(document, *elsewhere)
        parts = [(span.start_char, span.end_char) for span in spans]
        parts[-1] = (spans[-1].start_char, len(document.text))  # from the last span, all that fits
    is_same_encoding = encoding == document.encoding
    text, starts, ends, counts = _pieces(document, parts, encoding)

    def longest_run(ends: Sequence[int], before: Sequence[int]) -> tuple[int, int]:
        """Return how many leading pieces fit, and their tokens; `before` estimates those."""
        return _longest_run(
            len(ends),
            limit,
            before,
            lambda number: count_tokens(text[: ends[number - 1]], encoding),
        )

    number, n_tokens = longest_run(ends, [0, *accumulate(counts)])
    end_char = ends[number - 1] if number else 0
    cut = "none" if number == len(ends) else "paragraph"
    if number < len(ends) and counts[number] > limit:
        sentences = split_sentences(text[starts[number] : ends[number]])
        stops = [starts[number] + sentence.end_char for sentence in sentences]
        before, begin = [n_tokens], starts[number]
        for stop in stops:
            if before[-1] > limit:  # a paragraph may be a whole filing, so stop early
                break
            before.append(before[-1] + count_tokens(text[begin:stop], encoding))
            begin = stop
        n_sentences, n_sentence_tokens = longest_run(stops, before)
        if n_sentences:
            end_char, n_tokens, cut = stops[n_sentences - 1], n_sentence_tokens, "sentence"
    start_char = parts[0][0]
    if not end_char:
        return rejected(document, SENTENCE_TOO_LONG, f"limit {limit}, at character {start_char}")
    context_text = text[:end_char]
    details = {
        "cut": cut,
        "limit": limit,
        "n_chars": len(context_text),
        "n_document_tokens": document.n_tokens
        if is_same_encoding
        else count_tokens(document.text, encoding),
        "start": start,
    }
    if len(parts) > 1:
        details["parts"] = _shown_parts(parts, end_char)
    return context_of(
        "truncated",
        context_text,
        document,
        encoding=encoding,
        start_char=start_char,
        n_tokens=n_tokens,
        details=canonical_json(details),
    )


def _pieces(
    document: Document, parts: Sequence[tuple[int, int]], encoding: str
) -> tuple[str, list[int], list[int], list[int]]:
    """Return the joined text of parts, and its paragraphs: starts, ends and tokens."""
    text = "\n\n".join(document.text[start:end] for start, end in parts)
    starts, ends, counts = [], [], []
    place = 0
    for part_start, part_end in parts:
        first = bisect_right(document.paragraphs, part_start, key=lambda each: each.end_char)
        last = bisect_left(document.paragraphs, part_end, key=lambda each: each.start_char)
        for paragraph in document.paragraphs[first:last]:
            # an Item may begin or end inside a paragraph, as in flattened filings
            starts.append(place + max(paragraph.start_char, part_start) - part_start)
            ends.append(place + min(paragraph.end_char, part_end) - part_start)
            is_whole = ends[-1] - starts[-1] == paragraph.end_char - paragraph.start_char
            counts.append(paragraph.n_tokens if is_whole and encoding == document.encoding else -1)
        place += part_end - part_start + 2
    for index, following in enumerate([*starts[1:], len(text)]):
        if counts[index] < 0:
            counts[index] = count_tokens(text[starts[index] : following], encoding)
    return text, starts, ends, counts


def _shown_parts(parts: Sequence[tuple[int, int]], length: int) -> list[list[int]]:
    """Return the spans of the document that the first `length` characters show."""
    shown = []
    for start, end in parts:
        if length <= 0:
            break
        shown.append([start, min(end, start + length)])
        length -= end - start + 2
    return shown


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
    version=2,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    part_rows=CONTEXTS_OF_A_PART,
    options=("context_tokens", "encoding", "start"),
)
