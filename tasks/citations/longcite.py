"""Citations in LongCite's format: sentences numbered in the prompt, numbers cited in the reply.

Source of the format: LongCite (Zhang et al., 2024), whose model FailSafeQA used to extract
citations. The document's sentences are tagged `<C0>`, `<C1>`, ...; the reply is a list of
`<statement>text<cite>[i-j][k-l]</cite></statement>`, i to j inclusive. `parse` follows the
official post-processing in what it skips, clips, merges and keeps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict


MOST_CITATIONS = 3  # of one statement; what comes after is dropped
_LEAST_STRAY_CHARS = 6  # text outside statements that is shorter is no statement

_STATEMENT = re.compile(r"<statement>(.*?)</statement>", re.DOTALL)
_CITE = re.compile(r"<cite>(.*?)</cite>", re.DOTALL)
_RANGE = re.compile(r"\[([0-9]+)-([0-9]+)\]")
_FULL_WIDTH_END = re.compile(r"[。；！？]")
_TAG = re.compile(r"<C([0-9]+)>")


class CitedSpan(TypedDict):
    """A run of a context's sentences: indices inclusive, characters exclusive."""

    start_sentence_idx: int
    end_sentence_idx: int
    start_char_idx: int
    end_char_idx: int
    cite: str


class Statement(TypedDict):
    """A statement of a reply. `citation` is None for text that states nothing: empty, or a few characters
    outside the tags."""

    statement: str
    citation: list[CitedSpan] | None


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement with the sentence ranges as the reply gives them, not yet held against a context."""

    statement: str
    ranges: tuple[tuple[int, int], ...] | None


@lru_cache(maxsize=16)
def sentence_starts(context: str) -> tuple[int, ...]:
    """Where the sentences of a context start; each reaches to the next one's start, the last to the end.

    The official splitter: NLTK's Punkt, trained on the context itself, then a break after each
    full-width `。；！？`; where that gives one sentence, blank lines divide. Cached, since
    training costs most of the time and all questions about a context share it.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    starts: list[int] = []
    for start, end in PunktSentenceTokenizer(context).span_tokenize(context):
        starts.extend(_piece_starts(context, start, end, _FULL_WIDTH_END))
    if len(starts) <= 1:
        starts = _piece_starts(context, 0, len(context), re.compile(r"\n\n"))
    return tuple(starts)


def _piece_starts(text: str, start: int, end: int, divider: re.Pattern[str]) -> list[int]:
    """Where the pieces between dividers start, outer blanks apart; blank pieces are none."""
    bounds = [start, *(found.end() for found in divider.finditer(text, start, end)), end]
    starts = []
    for left, right in zip(bounds, bounds[1:], strict=False):
        piece = text[left:right]
        if piece.strip():
            starts.append(left + len(piece) - len(piece.lstrip()))
    return starts


def tag_sentences(context: str) -> str:
    """The context with `<C0>`, `<C1>`, ... before its sentences, spacing kept, outer blanks dropped."""
    starts = sentence_starts(context)
    ends = (*starts[1:], len(context))
    return "".join(f"<C{i}>{context[a:b]}" for i, (a, b) in enumerate(zip(starts, ends, strict=True))).strip()


def read_statements(model_output: str) -> list[RawStatement]:
    """The statements of a reply and the texts between them, in order; what is not closed is dropped."""
    statements: list[RawStatement] = []
    position = 0
    for found in _STATEMENT.finditer(model_output):
        statements.append(_stray(model_output[position : found.start()]))
        statements.append(_tagged(found.group(1)))
        position = found.end()
    statements.append(_stray(model_output[position:].partition("<statement>")[0]))
    return statements


def _stray(text: str) -> RawStatement:
    return RawStatement(text, () if len(text.strip()) >= _LEAST_STRAY_CHARS else None)


def _tagged(inner: str) -> RawStatement:
    if not inner:
        return RawStatement("", None)
    cited = "".join(_CITE.findall(inner))
    ranges = tuple((int(first), int(last)) for first, last in _RANGE.findall(cited))
    return RawStatement(_CITE.sub("", inner), ranges)


def resolve(ranges: Sequence[tuple[int, int]], context: str) -> list[CitedSpan]:
    """Sentence ranges as spans of the context.

    A range that starts past the last sentence or ends before it starts is skipped, an end past the
    last sentence is clipped, a range that starts right after the end of the one before is joined
    to it, and the first three that remain are kept.
    """
    starts = sentence_starts(context)
    kept: list[tuple[int, int]] = []
    for first, last in ranges:
        if first >= len(starts) or last < first:
            continue
        last = min(last, len(starts) - 1)
        if kept and first == kept[-1][1] + 1:
            kept[-1] = (kept[-1][0], last)
        else:
            kept.append((first, last))
    bounds = (*starts, len(context))
    return [
        CitedSpan(
            start_sentence_idx=first,
            end_sentence_idx=last,
            start_char_idx=bounds[first],
            end_char_idx=bounds[last + 1],
            cite=context[bounds[first] : bounds[last + 1]],
        )
        for first, last in kept[:MOST_CITATIONS]
    ]


def parse(context: str, model_output: str) -> list[Statement]:
    """A reply's statements with their citations as spans of the context.

    Texts outside statements are listed too, in their places; `citation` is empty for a statement
    without a valid citation, and None for what states nothing.
    """
    return [
        Statement(
            statement=raw.statement,
            citation=None if raw.ranges is None else resolve(raw.ranges, context),
        )
        for raw in read_statements(model_output)
    ]
