"""Citations as whole sentences with neighbours, and the text for a judge.

This follows FailSafeQA's appendix "Citation Sanitization": full sentences, one more before and
after, sorted, without repeats, gaps marked `[...]`, after the report's first ten sentences. A
sentence ends where the context does.
Sentences are those of the document's text, whatever split the citing model saw, so spans are mapped
by characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks.core.rows import Citation
from tasks.text.passages import joined
from tasks.text.sentences import Span, split_sentences

OPENING_SENTENCES = 10
# A filing without full stops would otherwise be all opening.
_MOST_OPENING_PIECES = 100
_OMITTED = "[...]"
_RULE = "-----"
_COMPLETE = re.compile(r"\S+(?:\s+\S+){3,}[.!?][\"'”’»)\]]*(?:\s?[☐☒☑¨þ])?")


@dataclass(frozen=True, slots=True)
class Sanitised:
    """Citations in the document's order, and the text that shows them."""

    citations: tuple[Citation, ...]
    citation_text: str


@lru_cache(maxsize=8)
def document_sentences(text: str) -> tuple[Span, ...]:
    """Split a document into sentences; cached, since all its pairs share them."""
    return tuple(split_sentences(text))


@lru_cache(maxsize=8)
def opening_length(text: str) -> int:
    """Count the pieces up to a document's tenth complete sentence: its opening.

    Titles, cover lines and table rows belong to the opening but are not counted. The paper's
    splitter does not see them, and ten cover lines name the SEC and its forms but hardly the
    company.
    """
    sentences = document_sentences(text)
    n_complete = 0
    for number, (start, end) in enumerate(sentences[:_MOST_OPENING_PIECES], start=1):
        piece = text[start:end]
        n_complete += " | " not in piece and bool(_COMPLETE.fullmatch(piece))
        if n_complete == OPENING_SENTENCES:
            return number
    return min(len(sentences), _MOST_OPENING_PIECES)


def sentence_runs(
    spans: Iterable[tuple[int, int]], sentences: Sequence[Span]
) -> list[tuple[int, int]]:
    """Turn spans of characters into runs of sentences: first and last index, inclusive.

    A run holds the sentences that a span touches and one more on each side. Runs are
    sorted; runs that touch or overlap are joined. A span of whitespace gives none.
    """
    starts = [sentence.start_char for sentence in sentences]
    ends = [sentence.end_char for sentence in sentences]
    touched = []
    for start, end in spans:
        first = bisect_right(ends, start)
        last = bisect_left(starts, end) - 1
        if start < end and first <= last:
            touched.append((max(0, first - 1), min(len(sentences) - 1, last + 1)))
    return joined(touched, gap=1)


def sanitise(
    spans: Iterable[tuple[int, int]], text: str, shown: tuple[int, int] | None = None
) -> Sanitised:
    """Turn cited spans of a document's text into its citations and their text.

    Quotes keep the document's characters: text[start_char:end_char] == quote. If no span touches a
    sentence, there are no citations and the citation text is empty.

    Args:
        shown: the part of the text that models see; None: all. Each citation lies in it.
    """
    sentences = document_sentences(text)
    start, end = shown or (0, len(text))
    cut = [
        (max(sentences[first].start_char, start), min(sentences[last].end_char, end))
        for first, last in sentence_runs(spans, sentences)
    ]
    bounds = [(start, end) for start, end in cut if text[start:end].strip()]
    if not bounds:
        return Sanitised((), "")
    citations = tuple(
        Citation(start_char=start, end_char=end, quote=text[start:end]) for start, end in bounds
    )
    return Sanitised(citations, _lay_out(bounds, text))


def _lay_out(bounds: Sequence[tuple[int, int]], text: str) -> str:
    """Write the opening and each citation after it as chunks, without repeats."""
    sentences = document_sentences(text)
    n_opening = opening_length(text)
    opening_end = sentences[n_opening - 1].end_char
    chunks = [f"{_one_line(text[sentences[0].start_char : opening_end])} {_OMITTED}"]
    for start, end in bounds:
        if end > opening_end:
            start = max(start, sentences[n_opening].start_char)
            chunks.append(f"{_OMITTED} {_one_line(text[start:end])} {_OMITTED}")
    return f"\n{_RULE}\n".join(chunks)


def _one_line(text: str) -> str:
    return re.sub(r"\n+", " ", text)
