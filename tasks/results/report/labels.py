"""Labels for a scatter plot, placed without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

# Estimated text size in pixels. It is generous, since the reader's font is unknown.
CHAR_WIDTH = 6.8
LINE_HEIGHT = 14.0
_RADIUS = 6.0
# Distances from a point to its label in pixels, nearest first.
_DISTANCES = (9.0, 14.0, 20.0, 30.0, 44.0, 60.0, 80.0)
_DIRECTIONS = 16
# From this distance on, a line ties the label to its point.
_TIED_FROM = 18.0


@dataclass(frozen=True, slots=True)
class Named:
    """A point with its name.

    Coordinates are pixels from the plot's upper left corner.

    Attributes:
        short: a short name if the full name does not fit; without it, the point may get no label.
        covers: lines through the point that labels must not cross: left, top, right and bottom of
            each.
    """

    name: str
    x: float
    y: float
    short: str | None = None
    covers: tuple[tuple[float, float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A point's label.

    `x` and `y` are its left end at mid-height. `tie` is a line to a point that is far off.
    """

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
    """Place labels for points in order of importance; the first choose first.

    No label covers a point, a line or another label.
    """
    taken = [_Box(p.x - _RADIUS, p.y - _RADIUS, p.x + _RADIUS, p.y + _RADIUS) for p in points]
    taken += [_Box(*line) for point in points for line in point.covers]
    labels = []
    for point in points:
        for text, box, distance in _tries(point):
            is_inside = (
                box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
            )
            if is_inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                labels.append(_label(point, text, box, distance))
                break
    return labels


def _tries(point: Named) -> Iterator[tuple[str, _Box, float]]:
    """Yield the name close by, then the short name at every distance."""
    for box, distance in _places(point, point.name):
        if distance < _TIED_FROM:
            yield point.name, box, distance
    if point.short is not None:
        for box, distance in _places(point, point.short):
            yield point.short, box, distance


def _places(point: Named, text: str) -> Iterator[tuple[_Box, float]]:
    """Yield boxes around a point: the four corners first, then by distance.

    At each distance, the box on the right comes first.
    """
    width = CHAR_WIDTH * len(text)
    near = _DISTANCES[0]
    for right, low in ((1, -1), (1, 1), (-1, -1), (-1, 1)):  # avoid the lines through the point
        left = point.x + near if right > 0 else point.x - near - width
        middle = point.y + low * (near / 2 + LINE_HEIGHT / 2)
        yield _Box(left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2), near
    for distance in _DISTANCES:
        for step in range(_DIRECTIONS):
            angle = 2 * pi * ((step + 1) // 2) / _DIRECTIONS * (1 if step % 2 else -1)
            across, down = cos(angle), sin(angle)
            # The label's nearest edge, not its middle, keeps the distance.
            left = point.x + across * distance - (width / 2) * (1 - across)
            middle = point.y + down * (distance + LINE_HEIGHT / 2)
            yield (
                _Box(left, middle - LINE_HEIGHT / 2, left + width, middle + LINE_HEIGHT / 2),
                distance,
            )


def _label(point: Named, text: str, box: _Box, distance: float) -> Label:
    middle = (box.top + box.bottom) / 2
    tie = None
    if distance >= _TIED_FROM:
        end_x = min(max(point.x, box.left), box.right)
        end_y = min(max(point.y, box.top + 2), box.bottom - 2)
        tie = (point.x, point.y, end_x, end_y)
    return Label(point, text, box.left, middle, tie)
