"""The page's charts: the Vega-Lite specifications in `charts/`, filled with rows, as SVG.

In a specification, `"$name"` stands for a value. Figures need no script: their colours are the
page's CSS variables, which follow its light and dark scheme, and their sizes are in rem.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from tasks.results.report.measured import Candidate, Estimate, Measured, Row
from tasks.results.report.messages import say
from tasks.text.visible import visible

# The number of models in small multiples, besides baselines.
MOST_COLUMNS = 5
# A dimension's value for units whose value is not known.
UNKNOWN = "unknown"
# Widths in pixels at 16 px per rem, beside the text of a laptop and on a phone; by `is_wide`.
_WIDTHS = {True: 1080, False: 340}
_WIDEST_NAME = {True: 230, False: 176}
_MANY_ROWS = 12

# Estimated size in pixels of a label's text, generous as the reader's font is unknown.
_LABEL_CHARACTER, _LABEL_HEIGHT = 6.8, 14.0
_LABEL_DISTANCES = (9.0, 14.0, 20.0)  # from a point, in pixels

Values = Mapping[str, Any]
Box = tuple[float, float, float, float]  # left, top, right and bottom


@dataclass(frozen=True, slots=True)
class Figure:
    """One drawing in the page's two sizes, with a spoken description."""

    wide: Markup
    narrow: Markup


def model_label(model: Candidate) -> str:
    """Return a model's name for figures; a baseline is marked as one."""
    name = visible(model.name)
    return say("charts.baseline", model=name) if model.is_baseline else name


def columns_of(measured: Measured) -> list[Candidate]:
    """Return the models in small multiples: the best ones and every baseline.

    A model without any judged answer is left out.
    """
    shown = [
        model
        for model in measured.models
        if not ((cell := measured.of(model.name, measured.of_answers)) and cell.value is None)
    ]
    best = [model for model in shown if not model.is_baseline][:MOST_COLUMNS]
    return best + [model for model in shown if model.is_baseline]


def span(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of a scale that holds the values: that of shares, unless all are above 1."""
    known = [value for value in values if value is not None]
    if not known or min(known) <= 1:
        known += [0.0, 1.0]
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 1, high + 1)


def metric_span(measured: Measured, metric: str) -> tuple[float, float]:
    """Return the ends of a scale that holds a metric's values and intervals."""
    cells = [cell for _, cell in measured.cells(metric)]
    ends = (end for cell in cells for end in (cell.value, cell.low, cell.high))
    return span(ends)


def ticks(domain: tuple[float, float], most: int = 5) -> list[float]:
    """Return round numbers of a scale: at least two, and about `most` at most."""
    low, high = domain
    start = 10 ** math.floor(math.log10((high - low) / most))
    found: list[float] = []
    for step in (start * factor for factor in (1, 2, 2.5, 5, 10, 20)):
        several, found = (
            found,
            [
                round(n * step, 12)
                for n in range(math.ceil(low / step), math.floor(high / step) + 1)
            ],
        )
        if len(found) <= most:
            break
    return found if len(found) > 1 else several


def row_of(cell: Estimate, **where: str) -> Row:
    """Return the row of a dot with its interval."""
    return asdict(cell) | where


def dots(title: str, rows: list[Row], panels: Sequence[str], names: Sequence[str]) -> Figure:
    """Draw values with intervals in panels that share the names on the left.

    Args:
        rows: of `row_of`, each with its `panel` and `name`.
    """
    domain = span(row[end] for row in rows for end in ("value", "low", "high"))
    ends = dict(zip(("low", "high"), domain, strict=True))
    rows = [
        # an open interval goes on to the edge
        row
        | {
            end: edge
            for end, edge in ends.items()
            if row[end] is None and (row["low"], row["high"]) != (None, None)
        }
        for row in rows
    ]

    def values(is_wide: bool) -> Values:
        return _panels(rows, panels, names, is_wide) | {
            "domain": domain,
            "ticks": ticks(domain, 3 if is_wide and len(panels) > 2 else 5),
            "step": 20 if len(names) <= _MANY_ROWS else 15,
        }

    return _figure("dots", say("charts.intervals", title=title), values)


def distribution(
    title: str, rows: list[Row], panels: Sequence[str], names: Sequence[str], axis: str
) -> Figure:
    """Draw the shares of ratings as stacked bars: good ones in colour, the others grey.

    Args:
        rows: each with `panel`, `name`, `rating`, `is_good` and `n`.
        axis: title of the shares' axis.
    """
    scale = sorted({(row["rating"], row["is_good"]) for row in rows}, reverse=True)
    good = [rating for rating, is_good in scale if is_good]
    bad = [rating for rating, is_good in scale if not is_good][::-1]
    colours = {
        rating: f"color-mix(in srgb, var(--{name}) {100 - 66 * place // len(of)}%, var(--paper))"
        for name, of in (("accent", good), ("muted", bad))
        for place, rating in enumerate(of)
    }
    ratings = [rating for rating, _ in scale]
    shown = {
        "ratings": ratings,
        "colours": [colours[rating] for rating in ratings],
        "axis": axis,
    }

    def values(is_wide: bool) -> Values:
        return _panels(rows, panels, names, is_wide) | shown | {"ticks": ticks((0, 1))}

    return _figure("distribution", title, values)


def scatter(
    title: str,
    points: list[Row],
    titles: tuple[str, str],
    *,
    curves: Sequence[Row] = (),
    is_of_amounts: bool = False,
) -> Figure:
    """Draw points with intervals as thin crosses, and their names where there is room.

    Args:
        points: of `point`; those of a paper have `name`, `origin`, `x` and `y` only.
        titles: of the axes.
        curves: lines behind the points, with `level`, `x` and `y`.
        is_of_amounts: whether x is an amount; two such charts stand side by side on a wide page.
    """
    x, y = (
        span(row.get(f"{axis}{end}") for row in points for end in ("", "_low", "_high"))
        for axis in ("x", "y")
    )
    if is_of_amounts:
        x = 0.0, 1.15 * max(row["x"] for row in points) or 1.0

    def values(is_wide: bool) -> Values:
        whole = _WIDTHS[True] // 2 - 24 if is_wide and is_of_amounts else _WIDTHS[is_wide]
        width, height = (whole - 160, 560) if whole > _WIDTHS[True] / 2 else (whole - 70, 300)
        return {
            "rows": points,
            "curves": list(curves),
            "labels": _labels(points, (width, height), x, y),
            "width": width,
            "height": height,
            "x_title": titles[0],
            "y_title": titles[1],
            "x_domain": x,
            "y_domain": y,
            "x_ticks": ticks(x, 6 if is_of_amounts else 5),
            "y_ticks": ticks(y),
        }

    return _figure("scatter", title, values)


def point(model: Candidate, place: int | None, x: Estimate | float, y: Estimate) -> Row:
    """Return the row of a model's point in a scatter plot."""
    row: Row = {"name": model_label(model), "place": place}
    row["origin"] = "baseline" if model.is_baseline else "measured"
    for axis, given in (("x", x), ("y", y)):
        if isinstance(given, Estimate):
            row |= {axis: given.value, f"{axis}_low": given.low, f"{axis}_high": given.high}
        else:
            row[axis] = given
    return row


# --- parts -------------------------------------------------------------------------------


def _panels(
    rows: list[Row], panels: Sequence[str], names: Sequence[str], is_wide: bool
) -> dict[str, Any]:
    """Return the values of panels: side by side on a wide page, otherwise stacked."""
    of_names = min(_WIDEST_NAME[is_wide], 7 * max(map(len, names), default=0)) + 12
    columns = len(panels) if is_wide else 1
    return {
        "rows": rows,
        "panels": list(panels),
        "panels_run": "column" if is_wide else "row",
        "names": list(names),
        "names_width": _WIDEST_NAME[is_wide],
        "width": max(60, (_WIDTHS[is_wide] - of_names - 18 * columns) // columns),
    }


def _labels(
    points: list[Row], size: tuple[int, int], x: tuple[float, float], y: tuple[float, float]
) -> list[Row]:
    """Place names beside the points, with our models' places; the first choose first.

    A name that would cover a point or another name becomes its place, or is left out.
    """
    spots = [
        (size[0] * (row["x"] - x[0]) / (x[1] - x[0]), size[1] * (y[1] - row["y"]) / (y[1] - y[0]))
        for row in points
    ]
    taken = [(left - 6, top - 6, left + 6, top + 6) for left, top in spots]
    labels = []
    for row, spot in zip(points, spots, strict=True):
        rank = str(row["place"]) if row.get("place") else ""
        name = f"{rank}. {row['name']}" if rank else row["name"]
        tries = [(text, box) for text in (name, rank) for box in _boxes(text, *spot)]
        for text, box in tries:
            is_inside = min(box) >= 0 and box[2] <= size[0] and box[3] <= size[1]
            if is_inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                middle = (box[1] + box[3]) / 2
                labels.append({"text": text, "x": box[0], "y": middle, "is_ours": "place" in row})
                break
    return labels


def _boxes(text: str, across: float, down: float) -> list[Box]:
    """Give the places of a point's label: its corners, from near to far."""
    width = _LABEL_CHARACTER * len(text)
    return [
        (left, middle - _LABEL_HEIGHT / 2, left + width, middle + _LABEL_HEIGHT / 2)
        for distance in (_LABEL_DISTANCES if text else ())
        for left in (across + distance, across - distance - width)
        for middle in (down - distance, down + distance)
    ]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _figure(name: str, description: str, values_for: Callable[[bool], Values]) -> Figure:
    """Draw a specification with `values_for(is_wide)`, once for each size of the page."""
    return Figure(
        *(
            _svg(_filled(_file(f"{name}.vl.json"), values_for(is_wide)), description)
            for is_wide in (True, False)
        )
    )


@cache
def _file(name: str) -> Any:
    text = (files("tasks.results.report") / "charts" / name).read_text(encoding="utf-8")
    return json.loads(text)


def _filled(part: Any, values: Values) -> Any:
    """Put values in place of `$name` in a specification's keys and texts."""
    if isinstance(part, dict):
        return {_filled(key, values): _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(each, values) for each in part]
    is_named = isinstance(part, str) and part[:1] == "$" and part != "$schema"
    return values[part[1:]] if is_named else part


def _svg(spec: Mapping[str, Any], description: str) -> Markup:
    """Draw a Vega-Lite specification as one named image in the page's units."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg({**spec, "config": _file("config.json")}, vl_version="6.4")
    width, height = (
        float(size) for size in re.findall(r' (?:width|height)="([\d.]+)"', drawn[:400])[:2]
    )
    # Vega labels each part for interactive use; ours is a single image.
    body = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", drawn.partition(">")[2])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(description)}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width / 16:g}rem">'
    )
    return Markup(head + body)
