"""Labels for a scatter plot, placed without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

    No label covers a point, a line or another label. A point without room for one has none.
    """
    taken = [(p.x - _RADIUS, p.y - _RADIUS, p.x + _RADIUS, p.y + _RADIUS) for p in points]
    taken += [line for point in points for line in point.covers]
    labels = []
    for point in points:
        for text, box in _tries(point):
            left, top, right, bottom = box
            is_inside = left >= 0 and right <= width and top >= 0 and bottom <= height
            if is_inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                labels.append(Label(text, left, (top + bottom) / 2, point.short is not None))
                break
    return labels


def _tries(point: Named) -> Iterator[tuple[str, Box]]:
    for text in (point.name, point.short):
        for distance in _DISTANCES if text else ():
            for across, down in _DIRECTIONS:
                width = CHAR_WIDTH * len(text or "")
                left = point.x + across * distance - width * (1 - across) / 2
                middle = point.y + down * (distance + LINE_HEIGHT) / 2
                top, bottom = middle - LINE_HEIGHT / 2, middle + LINE_HEIGHT / 2
                yield text or "", (left, top, left + width, bottom)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
