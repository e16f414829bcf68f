"""Statements of a citing model's reply with the sentences that they cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

MOST_CITATIONS = 3  # of one statement; further ones are dropped


class CitedSpan(TypedDict):
    """A run of a context's sentences: indices inclusive, characters exclusive."""

    start_sentence_idx: int
    end_sentence_idx: int
    start_char_idx: int
    end_char_idx: int
    cite: str


class Statement(TypedDict):
    """A statement of a reply; `citation` is None for text that states nothing.

    LongCite has it so.
    """

    statement: str
    citation: list[CitedSpan] | None


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement with runs of sentences as the reply gives them."""

    statement: str
    ranges: tuple[tuple[int, int], ...] | None


def resolve(
    statements: Sequence[RawStatement], sentences: Sequence[tuple[int, int]], context: str
) -> list[Statement]:
    """Turn a reply's statements into citations as spans of the context.

    As in LongCite's post-processing, runs that start past the last sentence or end before they
    start are skipped, and ends past the last sentence are clipped. A run right after the one before
    is joined to it. The first three runs are kept.
    """
    return [
        Statement(
            statement=raw.statement,
            citation=None if raw.ranges is None else _spans(raw.ranges, sentences, context),
        )
        for raw in statements
    ]


def _spans(
    ranges: Sequence[tuple[int, int]], sentences: Sequence[tuple[int, int]], context: str
) -> list[CitedSpan]:
    kept: list[tuple[int, int]] = []
    for first, last in ranges:
        if first >= len(sentences) or last < first:
            continue
        last = min(last, len(sentences) - 1)
        if kept and first == kept[-1][1] + 1:
            kept[-1] = (kept[-1][0], last)
        else:
            kept.append((first, last))
    spans = []
    for first, last in kept[:MOST_CITATIONS]:
        start, end = sentences[first][0], sentences[last][1]
        spans.append(
            CitedSpan(
                start_sentence_idx=first,
                end_sentence_idx=last,
                start_char_idx=start,
                end_char_idx=end,
                cite=context[start:end],
            )
        )
    return spans
