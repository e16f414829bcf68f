"""Show quotations in context: the paragraphs around them, with the quotations marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]

# Characters shown on either side of a quotation. A table, or a filing without line breaks, is one
# paragraph, so paragraphs may be long.
AROUND = 400

_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class PassagePart:
    """A run of a passage: plain, quoted, or left out as far from any quotation."""

    kind: Literal["plain", "quoted", "left_out"]
    text: str


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """One paragraph, or several that a quotation spans; its parts cover it in order."""

    start_char: int  # in the text that it was taken from
    parts: tuple[PassagePart, ...]


def passages(text: str, spans: Iterable[Span], around: int = AROUND) -> list[QuotedPassage]:
    """Return the paragraphs that contain some spans of a text, in the text's order.

    Empty lines separate paragraphs. Runs of characters farther than `around` from every span are
    left out, if they are longer than half of `around`.

    Raises:
        ValueError: a span is empty or not inside the text.
    """
    found: list[tuple[int, int, list[Span]]] = []
    for start, end in _joined(spans):
        if not 0 <= start < end <= len(text):
            raise ValueError(
                f"characters {start} to {end} cannot be quoted from a text of {len(text)}"
            )
        first = text.rfind(_BREAK, 0, start)
        first = 0 if first < 0 else first + len(_BREAK)
        last = text.find(_BREAK, end)
        last = len(text) if last < 0 else last
        if found and first < found[-1][1]:
            begin, before, quoted = found.pop()
            found.append((begin, max(before, last), [*quoted, (start, end)]))
        else:
            found.append((first, last, [(start, end)]))
    return [
        QuotedPassage(first, tuple(_parts(text, first, last, quoted, around)))
        for first, last, quoted in found
    ]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Sort spans, and merge those that overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _parts(
    text: str, first: int, last: int, quoted: Sequence[Span], around: int
) -> Iterator[PassagePart]:
    place = first
    for number, (start, end) in enumerate(quoted):
        yield from _between(text[place:start], around, is_first=number == 0, is_last=False)
        yield PassagePart("quoted", text[start:end])
        place = end
    yield from _between(text[place:last], around, is_first=False, is_last=True)


def _between(text: str, around: int, *, is_first: bool, is_last: bool) -> Iterator[PassagePart]:
    """Yield the text before, between or after quotations, without its middle or end if long."""
    head = 0 if is_first else around
    tail = 0 if is_last else around
    if len(text) <= head + tail + around // 2:
        head, tail = len(text), 0
    end = len(text) - tail
    for kind, part in (("plain", text[:head]), ("left_out", text[head:end]), ("plain", text[end:])):
        if part:
            yield PassagePart(kind, part)  # type: ignore[arg-type]


def find_quotations(text: str, quotations: Iterable[str]) -> list[Span]:
    """Return the first exact occurrence of each quotation in a text, if there is one."""
    found = ((text.find(quotation), len(quotation)) for quotation in quotations if quotation)
    return [(start, start + length) for start, length in found if start >= 0]
