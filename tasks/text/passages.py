"""Show quotations in context: the paragraphs around them, with the quotations marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

Span = tuple[int, int]
Part = tuple[Literal["plain", "quoted", "left_out"], str]

# Characters shown on either side of a quotation. A table, or a filing without line breaks, is one
# paragraph, so paragraphs may be long.
AROUND = 400

_BREAK = "\n\n"


def joined(spans: Iterable[Span], *, gap: int) -> list[Span]:
    """Join spans that overlap or are at most `gap` apart: with 1, 21-42, 42-44, 45-47 are one."""
    runs: list[Span] = []
    for first, last in sorted(spans):
        if runs and first <= runs[-1][1] + gap:
            runs[-1] = (runs[-1][0], max(runs[-1][1], last))
        else:
            runs.append((first, last))
    return runs


def passages(
    text: str, spans: Iterable[Span], around: int = AROUND
) -> list[tuple[int, list[Part]]]:
    """Return the paragraphs that contain some spans of a text, each with its start and its parts.

    Empty lines separate paragraphs; those that one span touches are one. Runs of characters farther
    than `around` from every span are left out, if they are longer than half of `around`.

    Raises:
        ValueError: a span is empty or not inside the text.
    """
    paragraphs: list[tuple[int, int, list[Span]]] = []
    for start, end in joined(spans, gap=-1):
        if not 0 <= start < end <= len(text):
            raise ValueError(
                f"characters {start} to {end} cannot be quoted from a text of {len(text)}"
            )
        before, after = text.rfind(_BREAK, 0, start), text.find(_BREAK, end)
        first = 0 if before < 0 else before + len(_BREAK)
        last = len(text) if after < 0 else after
        quoted = [(start, end)]
        if paragraphs and first < paragraphs[-1][1]:
            first, end_before, quoted_before = paragraphs.pop()
            last, quoted = max(end_before, last), quoted_before + quoted
        paragraphs.append((first, last, quoted))
    return [
        (first, [part for part in _parts(text, first, last, quoted, around) if part[1]])
        for first, last, quoted in paragraphs
    ]


def _parts(text: str, first: int, last: int, quoted: Sequence[Span], around: int) -> Iterator[Part]:
    """Yield a paragraph's quotations and what is between them, shortened if long."""
    ends = [first, *(place for span in quoted for place in span), last]
    for number, (start, end) in enumerate(pairwise(ends)):
        if number % 2:
            yield "quoted", text[start:end]
            continue
        head, tail = around * (number > 0), around * (number < len(ends) - 2)
        if end - start <= head + tail + around // 2:
            head, tail = end - start, 0
        yield "plain", text[start : start + head]
        yield "left_out", text[start + head : end - tail]
        yield "plain", text[end - tail : end]
