"""The page's charts as Vega-Lite specifications: dots, scatter and distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks.results.report.drawing import (
    ACCENT,
    GRID,
    INK,
    MUTED,
    WIDE,
    Figure,
    Spec,
    figure,
    share_axis,
)
from tasks.results.report.labels import Named, place
from tasks.results.report.measured import Candidate, Estimate, Measured
from tasks.text.visible import visible

# The number of models in small multiples, besides baselines.
MOST_COLUMNS = 5
# A dimension's value for units whose value is not known.
UNKNOWN = "unknown"
_WIDEST_NAME = {True: 230, False: 176}
_ROW = 20
_MANY_ROWS = 12

Rows = list[dict[str, Any]]


def model_label(model: Candidate) -> str:
    """Return a model's name for figures; a baseline is marked as one."""
    return visible(model.name) + (" (baseline)" if model.is_baseline else "")


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
    """Return the ends of a scale that holds the values: 0 and 1 for shares."""
    known = [0.0, *(value for value in values if value is not None)]
    return min(known), max(known) if max(known) > 1 else 1.0


def metric_span(measured: Measured, metric: str) -> tuple[float, float]:
    """Return the ends of a scale that holds a metric's values and intervals."""
    cells = [cell for _, cell in measured.cells(metric)]
    return span(end for cell in cells for end in (cell.value, cell.ci_low, cell.ci_high))


def dot(cell: Estimate, **where: str) -> dict[str, Any]:
    """Return the row of a dot with its interval."""
    return {**where, "value": cell.value, "low": cell.ci_low, "high": cell.ci_high}


def dots(description: str, rows: Rows, panels: Sequence[str], names: Sequence[str]) -> Figure:
    """Draw values with intervals in panels that share the names on the left.

    Panels are side by side on a wide page, otherwise stacked.

    Args:
        rows: of `dot`, each with its `panel` and `name`.
    """
    scale = {"domain": span(row[end] for row in rows for end in ("value", "low", "high"))}

    def spec(width: int) -> Spec:
        is_wide = _is_wide(width)
        columns = len(panels) if is_wide else 1
        ticks = (0, 0.5, 1) if columns > 2 else (0, 0.25, 0.5, 0.75, 1)
        x = {"type": "quantitative", "scale": scale, "axis": _axis(scale["domain"], None, ticks)}
        position: Spec = {"y": _names_axis(names, is_wide)}
        mark: Spec = {"type": "circle", "size": 48, "opacity": 1, "fill": ACCENT}
        step = _ROW if len(names) <= _MANY_ROWS else _ROW - 5
        drawn = {
            "layer": [
                {
                    "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 1.5, "opacity": 0.55},
                    "encoding": position | {"x": x | {"field": "low"}, "x2": {"field": "high"}},
                },
                {
                    "mark": mark | {"stroke": ACCENT, "strokeWidth": 1.5},
                    "encoding": position | {"x": x | {"field": "value"}},
                },
            ],
            "width": max(60, (width - _names_width(names, is_wide) - 18 * columns) // columns),
            "height": {"step": step, "for": "position"},
        }
        return _panels(rows, panels, columns, drawn, is_shared=is_wide)

    return figure(f"{description}, with 95 % intervals", spec)


def distribution(
    description: str, rows: Rows, panels: Sequence[str], names: Sequence[str]
) -> Figure:
    """Draw the shares of ratings as stacked bars: good ones in colour, the others grey.

    Args:
        rows: each with `panel`, `name`, `rating`, `is_good` and `n`.
    """
    scale = sorted({(row["rating"], row["is_good"]) for row in rows}, reverse=True)
    good = [rating for rating, is_good in scale if is_good]
    bad = [rating for rating, is_good in scale if not is_good][::-1]
    colours = {
        rating: f"color-mix(in srgb, var(--{name}) {100 - 66 * place // len(of)}%, var(--paper))"
        for name, of in (("accent", good), ("muted", bad))
        for place, rating in enumerate(of)
    }
    domain = [rating for rating, _ in scale]

    def spec(width: int) -> Spec:
        is_wide, columns = _is_wide(width), 2 if _is_wide(width) else 1
        bars: Spec = {
            "mark": {
                "type": "bar",
                "height": {"band": 0.72},
                "stroke": "var(--paper)",
                "strokeWidth": 1,
            },
            "encoding": {
                "y": _names_axis(names, is_wide),
                "x": {
                    "field": "n",
                    "type": "quantitative",
                    "stack": "normalize",
                    "axis": share_axis("share of rated answers"),
                },
                "order": {"field": "rating", "sort": "descending"},
                "color": {
                    "field": "rating",
                    "type": "ordinal",
                    "scale": {"domain": domain, "range": [colours[rating] for rating in domain]},
                },
            },
            "width": (width - columns * (_names_width(names, is_wide) + 24)) // columns,
            "height": {"step": _ROW + 2},
        }
        return _panels(rows, panels, columns, bars)

    return figure(description, spec)


def scatter(
    description: str,
    points: Rows,
    titles: tuple[str, str],
    *,
    curves: Rows | None = None,
    is_of_amounts: bool = False,
) -> Figure:
    """Draw points with intervals as thin crosses, and their names where there is room.

    Args:
        points: each with `name`, `origin`, `x` and `y`, and for models of this release `place`;
            ends of intervals are `x_low`, `x_high`, `y_low` and `y_high`.
        titles: of the axes.
        curves: lines behind the points, with `level`, `x` and `y`.
        is_of_amounts: whether x is an amount; two such charts stand side by side on a wide page.
    """
    ends = [span(_ends(points, axis)) for axis in ("x", "y")]
    if is_of_amounts:
        ends[0] = (0.0, 1.15 * max(point["x"] for point in points) or 1.0)

    def spec(width: int) -> Spec:
        is_wide = _is_wide(width)
        size = (width - 160, 560) if is_wide else (width - 70, 300)
        x, y = (
            {
                "field": field,
                "type": "quantitative",
                "scale": {"domain": list(domain)},
                "axis": _axis(domain, title)
                | {"grid": False, "labelColor": MUTED, "ticks": True, "domain": True},
            }
            for field, domain, title in zip(("x", "y"), ends, titles, strict=True)
        )
        return {
            "data": {"values": points},
            "width": size[0],
            "height": size[1],
            "layer": [*_curves(curves or [], x, y), *_crosses(x, y), _names(points, size, ends)],
        }

    return figure(description, spec, wide=WIDE // 2 - 24 if is_of_amounts else WIDE)


def point(model: Candidate, place: int | None, **axes: Estimate | float) -> dict[str, Any]:
    """Return the row of a model's point in a scatter plot."""
    row: dict[str, Any] = {"name": model_label(model), "place": place}
    row["origin"] = "baseline" if model.is_baseline else "measured"
    for axis, given in axes.items():
        if isinstance(given, Estimate):
            row |= {axis: given.value, f"{axis}_low": given.ci_low, f"{axis}_high": given.ci_high}
        else:
            row[axis] = given
    return row


# --- parts -------------------------------------------------------------------------------


def _ends(points: Rows, axis: str) -> list[float | None]:
    return [point.get(f"{axis}{end}") for point in points for end in ("", "_low", "_high")]


def _is_wide(width: int) -> bool:
    return width > 600


def _axis(
    domain: tuple[float, float],
    title: str | None,
    ticks: Sequence[float] = (0, 0.25, 0.5, 0.75, 1),
) -> Spec:
    return share_axis(title, ticks) if domain == (0, 1) else {"title": title, "tickCount": 5}


def _names_width(names: Sequence[str], is_wide: bool) -> int:
    return min(_WIDEST_NAME[is_wide], 7 * max(map(len, names), default=0)) + 12


def _names_axis(names: Sequence[str], is_wide: bool) -> Spec:
    axis = {"title": None, "grid": False, "labelLimit": _WIDEST_NAME[is_wide]}
    return {"field": "name", "type": "nominal", "sort": list(names), "axis": axis}


def _panels(
    rows: Rows, panels: Sequence[str], columns: int, drawn: Spec, is_shared: bool = False
) -> Spec:
    """Repeat a drawing for each panel; side by side, they can share the names on the left."""
    size = {key: drawn[key] for key in ("width", "height")}
    header = {"labelLimit": drawn["width"]}
    how = {"field": "panel", "type": "nominal", "sort": list(panels), "header": header}
    facet = {"column": how} if is_shared else how
    rest = {} if is_shared else {"columns": columns}
    return {"data": {"values": rows}, "facet": facet, **rest, "spacing": 16, "spec": drawn | size}


def _curves(curves: Rows, x: Spec, y: Spec) -> list[Spec]:
    rows = [row | {"level": f"{row['level']:g}"} for row in curves]
    ends = {row["level"]: row for row in rows}
    line = {"type": "line", "color": GRID, "strokeWidth": 1.2, "interpolate": "monotone"}
    text = {"type": "text", "align": "left", "dx": 4, "color": MUTED, "fontSize": 11}
    order = {"detail": {"field": "level"}, "order": {"field": "x"}}
    return [
        {"data": {"values": rows}, "mark": line, "encoding": {"x": x, "y": y, **order}},
        {
            "data": {"values": list(ends.values())},
            "mark": text,
            "encoding": {"x": x, "y": y, "text": {"field": "level"}},
        },
    ]


# How a point looks, by its origin: shape, fill and stroke.
_LOOKS: Mapping[str, tuple[str, str, str]] = {
    "measured": ("circle", ACCENT, ACCENT),
    "baseline": ("square", "var(--paper)", ACCENT),
    "paper": ("circle", "var(--paper)", "var(--published)"),
}


def _crosses(x: Spec, y: Spec) -> list[Spec]:
    rule: Spec = {"type": "rule", "color": ACCENT, "strokeWidth": 1.2, "opacity": 0.5}
    across = {"x": x | {"field": "x_low"}, "x2": {"field": "x_high"}, "y": y}
    down = {"x": x, "y": y | {"field": "y_low"}, "y2": {"field": "y_high"}}
    looks = {
        channel: {
            "field": "origin",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": list(_LOOKS), "range": [look[i] for look in _LOOKS.values()]},
        }
        for i, channel in enumerate(("shape", "fill", "stroke"))
    }
    mark = {"type": "point", "size": 64, "opacity": 1, "strokeWidth": 1.5}
    return [
        {"mark": rule, "encoding": down},
        {"mark": rule, "encoding": across},
        {"mark": mark, "encoding": {"x": x, "y": y, **looks}},
    ]


def _names(points: Rows, size: tuple[int, int], ends: Sequence[tuple[float, float]]) -> Spec:
    """Place names beside the points, our models first; one without room is left out."""

    def at(point: Mapping[str, Any], field: str) -> tuple[float, float]:
        x, y = (point.get(f"{axis}{field}") for axis in ("x", "y"))
        (left, right), (low, high) = ends
        across = size[0] * ((point["x"] if x is None else x) - left) / (right - left)
        return across, size[1] * (high - (point["y"] if y is None else y)) / (high - low)

    named = []
    for point in points:
        (x, y), (left, bottom), (right, top) = (at(point, end) for end in ("", "_low", "_high"))
        short = str(point["place"]) if "place" in point else None
        lines = ((left, y - 2, right, y + 2), (x - 2, top, x + 2, bottom))
        named.append(Named(point["name"], x, y, short, lines))
    labels = place(named, *size)
    texts = [
        {"name": label.text, "is_ours": label.is_ours, "x": label.x, "y": label.y}
        for label in labels
    ]
    pixels = {"type": "quantitative", "scale": None, "axis": None}
    colour = {"condition": {"test": "datum.is_ours", "value": INK}, "value": MUTED}
    return {
        "data": {"values": texts},
        "mark": {"type": "text", "align": "left", "baseline": "middle", "fontSize": 12},
        "encoding": {
            "x": {"field": "x", **pixels},
            "y": {"field": "y", **pixels},
            "text": {"field": "name"},
            "color": colour,
        },
    }
