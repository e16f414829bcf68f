"""The page's scatter plot: a Vega-Lite specification, filled with rows, as SVG.

In a specification, `"$name"` stands for a value. Figures need no script: their colours are the
page's CSS variables, which follow its light and dark scheme, and their sizes are in rem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from tasks.results.report.measured import MetricCell, Row, ScoredModel, span


def scatter(
    title: str,
    points: list[Row],
    titles: tuple[str, str],
    *,
    curves: Sequence[Row] = (),
) -> Markup:
    """Draw points with intervals as thin crosses, and the names or places of our models.

    Args:
        points: of `point`; those of a paper have no label and no intervals.
        titles: of the axes.
        curves: lines behind the points, with `level`, `x` and `y`.
    """
    x, y = (
        span(row.get(f"{axis}{end}") for row in points for end in ("", "_low", "_high"))
        for axis in ("x", "y")
    )
    values = {
        "rows": points,
        "curves": list(curves),
        "x_title": titles[0],
        "y_title": titles[1],
        "x_domain": x,
        "y_domain": y,
    }
    return _svg(_filled(_file("scatter.vl.json"), values), title)


def point(model: ScoredModel, label: str, x: MetricCell, y: MetricCell) -> Row:
    """Return the row of a model's point."""
    row: Row = {"label": label, "origin": "baseline" if model.is_baseline else "measured"}
    for axis, cell in (("x", x), ("y", y)):
        row |= {axis: cell.value, f"{axis}_low": cell.low, f"{axis}_high": cell.high}
    return row


@cache
def _file(name: str) -> Any:
    text = (files("tasks.results.report") / "charts" / name).read_text(encoding="utf-8")
    return json.loads(text)


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """Put values in place of `$name` in a specification's texts."""
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(each, values) for each in part]
    return values[part[1:]] if isinstance(part, str) and part[:1] == "$" else part


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
