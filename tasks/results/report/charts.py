"""The page's scatter plot: a Vega-Lite specification, filled with rows, as SVG.

In a specification, `"$name"` stands for a value. Figures need no script: their colours are the
page's CSS variables, which follow its light and dark scheme, and their sizes are in rem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from markupsafe import Markup

from tasks.results.report.measured import MetricCell, Row, ScoredModel, span


def scatter(
    title: str, points: Sequence[Row], titles: tuple[str, str], curves: Sequence[Row]
) -> Markup:
    """Draw points with intervals as thin crosses, and the names or places of our models.

    Args:
        points: of `point`; those of a paper have no label and no intervals.
        titles: of the axes.
        curves: lines behind the points, with `level`, `x` and `y`.
    """
    import vl_convert

    spec = _file("scatter.vl.json")
    values: Row = {"rows": points, "curves": curves, "x_title": titles[0], "y_title": titles[1]}
    for axis in ("x", "y"):
        ends = [row.get(f"{axis}{end}") for row in points for end in ("", "_low", "_high")]
        values[f"{axis}_domain"] = span(ends)
    for name, value in values.items():
        spec = spec.replace(f'"${name}"', json.dumps(value))
    config = json.loads(_file("config.json"))
    drawn = vl_convert.vegalite_to_svg(json.loads(spec) | {"config": config}, vl_version="6.4")
    width, height = (
        float(size) for size in re.findall(r' (?:width|height)="([\d.]+)"', drawn[:400])[:2]
    )
    # Vega labels each part for interactive use; ours is a single image.
    body = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", drawn.partition(">")[2])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width / 16:g}rem">'
    )
    return Markup(head + body)


def point(model: ScoredModel, label: str, x: MetricCell, y: MetricCell) -> Row:
    """Return the row of a model's point."""
    row: Row = {"label": label, "origin": "baseline" if model.is_baseline else "measured"}
    for axis, cell in (("x", x), ("y", y)):
        row |= {axis: cell.value, f"{axis}_low": cell.low, f"{axis}_high": cell.high}
    return row


def _file(name: str) -> str:
    return (files("tasks.results.report") / "charts" / name).read_text(encoding="utf-8")
