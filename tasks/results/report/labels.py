"""Labels for a scatter plot, placed without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

# Estimated text size in pixels. It is generous, since the reader's font is unknown.
CHAR_WIDTH = 6.8
LINE_HEIGHT = 14.0
_RADIUS = 6.0
# Distances from a point to its label in pixels.
_DISTANCES = (9.0, 14.0, 20.0)
# Across and down; the corners first, to avoid the lines through the point.
_DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))

Box = tuple[float, float, float, float]  # left, top, right and bottom


@dataclass(frozen=True, slots=True)
class Named:
    """A point with its name.

    Coordinates are pixels from the plot's upper left corner.

    Attributes:
        short: a short name if the full name does not fit.
        covers: lines through the point that labels must not cross.
    """

    name: str
    x: float
    y: float
    short: str | None = None
    covers: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A point's label; `x` and `y` are its left end at mid-height."""

    text: str
    x: float
    y: float
    is_ours: bool


def place(points: Sequence[Named], width: float, height: float) -> list[Label]:
    """Place labels for points in order of importance; the first choose first.

    No label covers a point or another label, and only a short one that has no other room covers a
    line. A point without room for a label has none.
    """
    taken = [(p.x - _RADIUS, p.y - _RADIUS, p.x + _RADIUS, p.y + _RADIUS) for p in points]
    lines = [line for point in points for line in point.covers]
    labels = []
    for point in points:
        tries = (
            (text or "", box)
            for text, avoided in ((point.name, lines), (point.short, lines), (point.short, []))
            for box in _boxes(point, text or "")
            if box[0] >= 0
            and box[1] >= 0
            and box[2] <= width
            and box[3] <= height
            and not any(_meet(box, other) for other in (*taken, *avoided))
        )
        for text, box in islice(tries, 1):
            taken.append(box)
            labels.append(Label(text, box[0], (box[1] + box[3]) / 2, point.short is not None))
    return labels


def _boxes(point: Named, text: str) -> Iterator[Box]:
    width = CHAR_WIDTH * len(text)
    for distance in _DISTANCES if text else ():
        for across, down in _DIRECTIONS:
            left = point.x + across * distance - width * (1 - across) / 2
            middle = point.y + down * (distance + LINE_HEIGHT) / 2
            yield left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
