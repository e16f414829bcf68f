"""Cut documents to contexts within a token limit, never inside a sentence.

A context is the longest run of complete paragraphs from the filing's start within the limit (paper
000, "Dataset": 25k tokens, complete paragraphs). A single paragraph that exceeds the limit, as in
flattened filings without line breaks, is cut at the end of a sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.contexts import context_of, rejected, without_repeats
from tasks.suites.suite import Step, StepInputs
from tasks.text.sentences import split_sentences
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

DEFAULT_LIMIT = 25_000

NO_TEXT = "the document has no text"
SENTENCE_TOO_LONG = "the first sentence alone exceeds the token limit"


def truncate(
    document: Document, *, limit: int = DEFAULT_LIMIT, encoding: str = DEFAULT_ENCODING
) -> Context | Reject:
    """Return a document's context, or the reason why it has none.

    `limit` is in tokens of `encoding`.
    """
    if not document.paragraphs:
        return rejected(document, NO_TEXT, "")
    begin = document.paragraphs[0].start_char
    end, n_tokens, cut = _longest_fit(document, limit, encoding)
    if end == begin:
        return rejected(document, SENTENCE_TOO_LONG, f"limit {limit}, at character {begin}")
    details = {"cut": cut, "limit": limit, "n_chars": end - begin}
    return context_of(
        "truncated",
        document.text[begin:end],
        document,
        encoding=encoding,
        start_char=begin,
        n_tokens=n_tokens,
        details=canonical_json(details),
    )


def _longest_fit(document: Document, limit: int, encoding: str) -> tuple[int, int, str]:
    """Return where the longest text from the start ends, its tokens, and how it is cut."""
    text, paragraphs = document.text, document.paragraphs
    begin = paragraphs[0].start_char
    stops = [paragraph.end_char for paragraph in paragraphs]
    counts = [paragraph.n_tokens for paragraph in paragraphs]
    number, n_tokens = _longest_run(text, begin, stops, counts, limit, encoding)
    if number == len(stops):
        return stops[-1], n_tokens, "none"
    start, end = paragraphs[number].start_char, stops[number]
    stops, counts = stops[:number], counts[:number]
    if count_tokens(text[start:end], encoding) > limit:
        ends = [start + sentence.end_char for sentence in split_sentences(text[start:end])]
        counts += [
            count_tokens(text[left:right], encoding) for left, right in pairwise([start, *ends])
        ]
        stops += ends
        number, n_tokens = _longest_run(text, begin, stops, counts, limit, encoding)
        if number > len(stops) - len(ends):
            return stops[number - 1], n_tokens, "sentence"
    return (stops[number - 1] if number else begin), n_tokens, "paragraph"


def _longest_run(
    text: str, begin: int, stops: Sequence[int], counts: Sequence[int], limit: int, encoding: str
) -> tuple[int, int]:
    """Return how many leading pieces of a text fit, and their tokens together.

    `counts` are about the tokens of each piece: the search begins where they reach the limit.
    """

    def n_tokens_of(number: int) -> int:
        return count_tokens(text[begin : stops[number - 1]], encoding) if number else 0

    number = bisect_right([*accumulate(counts)], limit)
    n_tokens = n_tokens_of(number)
    while n_tokens > limit:
        number -= 1
        n_tokens = n_tokens_of(number)
    while number < len(stops) and (longer := n_tokens_of(number + 1)) <= limit:
        number, n_tokens = number + 1, longer
    return number, n_tokens


# --- the step ------------------------------------------------------------------------------


def build_contexts(inputs: StepInputs) -> Iterator[Context | Reject]:
    """Cut every document of the release to one context."""
    options: FailSafeQAOptions = inputs.options
    return without_repeats(
        truncate(document, limit=options.context_tokens, encoding=inputs.encoding)
        for (documents,) in inputs.parts(Document)
        for document in documents
    )


STEP = Step(
    name="contexts",
    version=5,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    options=("context_tokens", "encoding"),
)
