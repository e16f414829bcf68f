"""Cut documents to contexts within a token limit, never inside a sentence.

A context is the longest run of complete paragraphs from the starting point within the limit (paper
000, "Dataset": 25k tokens, complete paragraphs). A single paragraph that exceeds the limit, as in
flattened filings without line breaks, is cut at the end of a sentence.

A context from an Item starts at the longest of its spans, and goes on after it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.contexts import (
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
    document: Document,
    *,
    limit: int = DEFAULT_LIMIT,
    encoding: str = DEFAULT_ENCODING,
    start: str = FILING_START,
) -> Context | Reject:
    """Return a document's context, or the reason why it has none.

    `limit` is in tokens of `encoding`; `start` is "filing" or an Item ("7", "1A").
    """
    if not document.paragraphs:
        return rejected(document, NO_TEXT, "")
    begin = document.paragraphs[0].start_char
    if start != FILING_START:
        spans = document.spans_of(start)
        if not spans:
            detail = f"Item {start}; found: {found_items(document)}"
            return rejected(document, NO_SUCH_ITEM, detail)
        if elsewhere := text_elsewhere(document, spans):
            return rejected(document, *elsewhere)
        begin = max(spans, key=lambda span: span.end_char - span.start_char).start_char
    end, n_tokens, cut = _longest_fit(document, begin, limit, encoding)
    if end == begin:
        return rejected(document, SENTENCE_TOO_LONG, f"limit {limit}, at character {begin}")
    is_same_encoding = encoding == document.encoding
    details = {
        "cut": cut,
        "limit": limit,
        "n_chars": end - begin,
        "n_document_tokens": document.n_tokens
        if is_same_encoding
        else count_tokens(document.text, encoding),
        "start": start,
    }
    return context_of(
        "truncated",
        document.text[begin:end],
        document,
        encoding=encoding,
        start_char=begin,
        n_tokens=n_tokens,
        details=canonical_json(details),
    )


def _longest_fit(document: Document, begin: int, limit: int, encoding: str) -> tuple[int, int, str]:
    """Return where the longest text from a place ends, its tokens, and how it is cut."""
    text = document.text
    paragraphs = [paragraph for paragraph in document.paragraphs if paragraph.end_char > begin]
    starts = [max(paragraph.start_char, begin) for paragraph in paragraphs]
    ends = [paragraph.end_char for paragraph in paragraphs]
    counts = [
        paragraph.n_tokens
        if encoding == document.encoding and paragraph.start_char >= begin
        else count_tokens(text[start:following], encoding)
        for paragraph, start, following in zip(
            paragraphs, starts, [*starts[1:], len(text)], strict=True
        )
    ]

    def longest_run(ends: Sequence[int], before: Sequence[int]) -> tuple[int, int]:
        """Return how many leading pieces fit, and their tokens; `before` estimates those."""
        return _longest_run(
            len(ends),
            limit,
            before,
            lambda number: count_tokens(text[begin : ends[number - 1]], encoding),
        )

    number, n_tokens = longest_run(ends, [0, *accumulate(counts)])
    if number == len(ends):
        return ends[-1], n_tokens, "none"
    if counts[number] > limit:
        sentences = split_sentences(text[starts[number] : ends[number]])
        stops = [starts[number] + sentence.end_char for sentence in sentences]
        before, place = [n_tokens], starts[number]
        for stop in stops:
            if before[-1] > limit:  # a paragraph may be a whole filing, so stop early
                break
            before.append(before[-1] + count_tokens(text[place:stop], encoding))
            place = stop
        n_sentences, n_sentence_tokens = longest_run(stops, before)
        if n_sentences:
            return stops[n_sentences - 1], n_sentence_tokens, "sentence"
    return (ends[number - 1] if number else begin), n_tokens, "paragraph"


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
    limit, start = options.context_tokens, options.start
    return without_repeats(
        truncate(document, limit=limit, encoding=inputs.encoding, start=start)
        for (documents,) in inputs.parts(Document)
        for document in documents
    )


STEP = Step(
    name="contexts",
    version=3,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    options=("context_tokens", "encoding", "start"),
)
