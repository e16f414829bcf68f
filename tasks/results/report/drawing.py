"""Draw Vega-Lite specifications as SVG, so that figures need no script.

Colours are the page's CSS variables, which follow its light and dark scheme. Sizes are in rem and
follow its text size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from markupsafe import Markup

Spec = dict[str, Any]

INK, MUTED, RULE, GRID, ACCENT = (
    f"var(--{name})" for name in ("ink", "muted", "rule", "grid", "accent")
)

# The width of a figure beside the text of a laptop, and on a phone, in pixels at 16 px per rem.
WIDE = 1080
NARROW = 340

# The font that measures text while drawing; the page's style sheet sets its own.
_FONT = "Liberation Sans"
_SIZE = 12
_CONFIG: Spec = {
    "background": None,
    "font": _FONT,
    "padding": 2,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "gridColor": GRID,
        "domainColor": RULE,
        "tickColor": RULE,
        "labelFontSize": _SIZE,
        "titleFontSize": _SIZE,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "axisY": {"domain": False, "ticks": False, "labelPadding": 8, "labelColor": INK},
    "header": {
        "labelColor": INK,
        "labelFontSize": _SIZE,
        "labelFontWeight": "bold",
        "labelAnchor": "start",
        "labelPadding": 4,
        "title": None,
    },
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "title": None,
        "labelColor": INK,
        "labelFontSize": _SIZE,
        "symbolStrokeColor": INK,
        "offset": 10,
    },
    "text": {"fill": INK, "fontSize": _SIZE},
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One drawing in the page's two sizes, with a spoken description."""

    wide: Markup
    narrow: Markup


def figure(description: str, spec_for: Callable[[int], Spec], wide: int = WIDE) -> Figure:
    """Draw `spec_for(width)`, without `$schema` and `config`, once for each size of the page."""
    return Figure(*(_svg(spec_for(width), description) for width in (wide, NARROW)))


def _svg(spec: Spec, description: str) -> Markup:
    """Draw a Vega-Lite specification as one named image in the page's units."""
    import vl_convert

    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "config": _CONFIG} | spec
    drawn = vl_convert.vegalite_to_svg(whole, vl_version="6.4")
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


def share_axis(title: str | None = None, values: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)) -> Spec:
    """Return an axis of shares from 0 to 1."""
    return {"title": title, "values": list(values), "format": ".2~f", "grid": True}
