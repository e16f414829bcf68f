"""What a citing model's reply says, in whatever format: statements and the sentences they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

MOST_CITATIONS = 3  # of one statement; what comes after is dropped


class CitedSpan(TypedDict):
    """A run of a context's sentences: indices inclusive, characters exclusive."""

    start_sentence_idx: int
    end_sentence_idx: int
    start_char_idx: int
    end_char_idx: int
    cite: str


class Statement(TypedDict):
    """A statement of a reply; `citation` is None for text that states nothing, as LongCite has it."""

    statement: str
    citation: list[CitedSpan] | None


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement with the runs of sentences as the reply gives them, not yet held against a context."""

    statement: str
    ranges: tuple[tuple[int, int], ...] | None


def resolve(
    statements: Sequence[RawStatement], sentences: Sequence[tuple[int, int]], context: str
) -> list[Statement]:
    """A reply's statements with their citations as spans of the context.

    Follows LongCite's post-processing: a run that starts past the last sentence or ends before it
    starts is skipped, an end past the last sentence is clipped, a run that starts right after
    the end of the one before is joined to it, and the first three that remain are kept.
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
