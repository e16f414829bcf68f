"""Names beside the points of a scatter plot, such that none covers a point or another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

# Of a label's text in pixels: generous, as the reader's font is not known when the page is made.
CHAR_WIDTH = 6.8
LINE_HEIGHT = 14.0
_RADIUS = 6.0
# From a point to its label: beside it, then ever farther off, in pixels.
_DISTANCES = (9.0, 14.0, 20.0, 30.0, 44.0, 60.0, 80.0)
_DIRECTIONS = 16
# A label this far off is tied to its point by a line.
_TIED_FROM = 18.0


@dataclass(frozen=True, slots=True)
class Named:
    """A point with its name, in pixels from the plot's upper left corner.

    short    what stands for the name where that has no room; without one the point then has no label
    covers   lines through the point that a label must not cross: left, top, right and bottom of each
    """

    name: str
    x: float
    y: float
    short: str | None = None
    covers: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A point's text: its left end, at the middle of its height; and a line to the point where it is far off."""

    point: Named
    text: str
    x: float
    y: float
    tie: tuple[float, float, float, float] | None  # from the point to the label


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def place(points: Sequence[Named], width: float, height: float) -> list[Label]:
    """Labels for points in the order in which they matter: those that come first choose first.

    No label covers a point, a line or another label.
    """
    taken = [_Box(p.x - _RADIUS, p.y - _RADIUS, p.x + _RADIUS, p.y + _RADIUS) for p in points]
    taken += [_Box(*line) for point in points for line in point.covers]
    labels = []
    for point in points:
        for text, box, distance in _tries(point):
            is_inside = box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
            if is_inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                labels.append(_label(point, text, box, distance))
                break
    return labels


def _tries(point: Named) -> Iterator[tuple[str, _Box, float]]:
    """The name close by; then what is short, close by or tied to the point by a line."""
    for box, distance in _places(point, point.name):
        if distance < _TIED_FROM:
            yield point.name, box, distance
    if point.short is not None:
        for box, distance in _places(point, point.short):
            yield point.short, box, distance


def _places(point: Named, text: str) -> Iterator[tuple[_Box, float]]:
    """Boxes around a point, in the four corners first, then the nearest, and of those the one at its right."""
    width = CHAR_WIDTH * len(text)
    near = _DISTANCES[0]
    for right, low in ((1, -1), (1, 1), (-1, -1), (-1, 1)):  # clear of the lines through the point
        left = point.x + near if right > 0 else point.x - near - width
        middle = point.y + low * (near / 2 + LINE_HEIGHT / 2)
        yield _Box(left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2), near
    for distance in _DISTANCES:
        for step in range(_DIRECTIONS):
            angle = 2 * pi * ((step + 1) // 2) / _DIRECTIONS * (1 if step % 2 else -1)
            across, down = cos(angle), sin(angle)
            # the label's nearest edge, not its middle, keeps the distance
            left = point.x + across * distance - (width / 2) * (1 - across)
            middle = point.y + down * (distance + LINE_HEIGHT / 2)
            yield _Box(left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2), distance


def _label(point: Named, text: str, box: _Box, distance: float) -> Label:
    middle = (box.top + box.bottom) / 2
    tie = None
    if distance >= _TIED_FROM:
        end_x = min(max(point.x, box.left), box.right)
        end_y = min(max(point.y, box.top + 2), box.bottom - 2)
        tie = (point.x, point.y, end_x, end_y)
    return Label(point, text, box.left, middle, tie)
