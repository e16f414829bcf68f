"""Quotations shown where they stand: the paragraphs around them, with what is quoted marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]

# A table, or a filing without line breaks, is one paragraph: so much of it is shown on either side of a quotation.
AROUND = 400

_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of a passage: as it is, quoted, or left out because it is far from any quotation."""

    kind: Literal["plain", "quoted", "left_out"]
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph, or neighbours that a quotation joins; its parts in order are the whole of it."""

    start_char: int  # in the text that it was taken from
    parts: tuple[Part, ...]


def passages(text: str, spans: Iterable[Span], around: int = AROUND) -> list[Passage]:
    """The paragraphs of a text in which spans of it lie, in the text's order.

    Paragraphs are separated by blank lines. Characters farther than `around` from every span are left out, where
    that leaves out more than half as many.

    Raises:
        ValueError: a span lies outside the text or is empty.
    """
    found: list[tuple[int, int, list[Span]]] = []
    for start, end in _joined(spans):
        if not 0 <= start < end <= len(text):
            raise ValueError(f"characters {start} to {end} cannot be quoted from a text of {len(text)}")
        first = text.rfind(_BREAK, 0, start)
        first = 0 if first < 0 else first + len(_BREAK)
        last = text.find(_BREAK, end)
        last = len(text) if last < 0 else last
        if found and first < found[-1][1]:
            begin, before, quoted = found.pop()
            found.append((begin, max(before, last), [*quoted, (start, end)]))
        else:
            found.append((first, last, [(start, end)]))
    return [Passage(first, tuple(_parts(text, first, last, quoted, around))) for first, last, quoted in found]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that overlap as one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _parts(text: str, first: int, last: int, quoted: Sequence[Span], around: int) -> Iterator[Part]:
    place = first
    for number, (start, end) in enumerate(quoted):
        yield from _between(text[place:start], around, is_first=number == 0, is_last=False)
        yield Part("quoted", text[start:end])
        place = end
    yield from _between(text[place:last], around, is_first=False, is_last=True)


def _between(text: str, around: int, *, is_first: bool, is_last: bool) -> Iterator[Part]:
    """What stands before, between or after quotations; its middle, or outer end, left out where it is long."""
    head = 0 if is_first else around
    tail = 0 if is_last else around
    if len(text) <= head + tail + around // 2:
        head, tail = len(text), 0
    end = len(text) - tail
    for kind, part in (("plain", text[:head]), ("left_out", text[head:end]), ("plain", text[end:])):
        if part:
            yield Part(kind, part)  # type: ignore[arg-type]


def find_quotations(text: str, quotations: Iterable[str]) -> list[Span]:
    """Where each quotation first stands in a text, character by character; those that do not are left out."""
    found = ((text.find(quotation), len(quotation)) for quotation in quotations if quotation)
    return [(start, start + length) for start, length in found if start >= 0]
