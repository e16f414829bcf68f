"""Scatter plots of models: robustness by grounding, score by cost and speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.results.report.charts import model_label
from tasks.results.report.drawing import (
    ACCENT,
    GRID,
    INK,
    MUTED,
    NARROW,
    RULE,
    WIDE,
    Figure,
    Spec,
    share_axis,
    svg,
)
from tasks.results.report.labels import Named, place
from tasks.results.report.measured import Measured

MEASURED, BASELINE, PUBLISHED = "measured", "baseline", "published"
_LEVELS = (0.2, 0.4, 0.6, 0.8)
_STEPS = 60


def tradeoff_figure(measured: Measured) -> Figure | None:
    """Draw robustness against context grounding, with curves of equal LLM Compliance."""
    points = []
    for model in measured.models:
        robustness, grounding = (
            measured.of(model.name, metric) for metric in ("robustness", "context_grounding")
        )
        if (
            robustness is None
            or grounding is None
            or robustness.value is None
            or grounding.value is None
        ):
            continue
        points.append(
            {
                "name": model_label(model),
                "place": measured.places[model.name],
                "origin": BASELINE if model.is_baseline else MEASURED,
                "x": robustness.value,
                "x_low": robustness.ci_low,
                "x_high": robustness.ci_high,
                "y": grounding.value,
                "y_low": grounding.ci_low,
                "y_high": grounding.ci_high,
            }
        )
    if not points or measured.beta is None:
        return None
    published = [
        {"name": row.model, "origin": PUBLISHED, "x": row.robustness, "y": row.context_grounding}
        for row in measured.published
    ]
    description = (
        "Robustness against context grounding, a point a model with 95 % intervals, "
        "with curves of equal LLM Compliance"
    )
    return Figure(
        *(
            svg(
                _tradeoff(points + published, _contours(measured.beta), width),
                description,
            )
            for width in (WIDE, NARROW)
        )
    )


def price_figures(measured: Measured) -> list[tuple[str, Figure]]:
    """Draw the headline metric against cost and answer time, if known."""
    axes = {
        "Cost": (
            "US dollars per 1,000 answers",
            lambda m: None if m.cost_usd is None else 1000 * m.cost_usd / m.n_calls,
        ),
        "Speed": (
            "seconds per answer, mean",
            lambda m: None if m.mean_latency_ms is None else m.mean_latency_ms / 1000,
        ),
    }
    figures = []
    for title, (axis, amount) in axes.items():
        points = [
            {
                "name": model_label(model),
                "place": measured.places[model.name],
                "origin": MEASURED,
                "x": amount(model),
                "y": cell.value,
                "y_low": cell.ci_low,
                "y_high": cell.ci_high,
            }
            for model in measured.models
            if model.n_calls
            and amount(model) is not None
            and (cell := measured.of(model.name, measured.headline)) is not None
            and cell.value is not None
        ]
        if points:
            score = measured.page.metric_name(measured.headline)
            figures.append(
                (
                    title,
                    Figure(
                        *(
                            svg(_against(points, axis, score, width), f"{score} against {axis}")
                            for width in (WIDE // 2 - 24, NARROW)
                        )
                    ),
                )
            )
    return figures


# --- parts -------------------------------------------------------------------------------


def _contours(beta: float) -> list[dict[str, Any]]:
    """Sample curves of equal LLM Compliance.

    A curve is (1 + b²) R G / (b² G + R) = level, for robustness R and grounding G from 0 to 1.
    """
    rows = []
    for level in _LEVELS:
        # On a curve, G falls from 1 as R grows to 1: G = level R / ((1 + b²) R - level b²).
        first = level * beta**2 / (1 + beta**2 - level)
        for step in range(_STEPS + 1):
            robustness = first ** (1 - step / _STEPS)
            grounding = level * robustness / ((1 + beta**2) * robustness - level * beta**2)
            rows.append({"level": f"{level:g}", "x": robustness, "y": grounding, "order": step})
    return rows


def _tradeoff(points: list[dict[str, Any]], contours: list[dict[str, Any]], width: int) -> Spec:
    is_wide = width > 600
    size = (width - 160, 560) if is_wide else (width - 60, 320)
    x = _axis("x", "robustness", 1.0)
    y = _axis("y", "context grounding", 1.0)
    ends = {row["level"]: row for row in contours}
    curves: list[Spec] = [
        {
            "data": {"values": contours},
            "mark": {"type": "line", "color": GRID, "strokeWidth": 1.2, "interpolate": "monotone"},
            "encoding": {"x": x, "y": y, "detail": {"field": "level"}, "order": {"field": "order"}},
        },
        {
            "data": {"values": list(ends.values())},
            "mark": {"type": "text", "align": "left", "dx": 4, "color": MUTED, "fontSize": 11},
            "encoding": {"x": x, "y": y, "text": {"field": "level"}},
        },
    ]
    return _scatter(points, x, y, *size, widest=1.0, behind=curves)


def _against(points: list[dict[str, Any]], axis: str, score: str, width: int) -> Spec:
    widest = 1.15 * max(point["x"] for point in points) or 1.0
    return _scatter(
        points, _axis("x", axis, widest), _axis("y", score, 1.0), width - 70, 300, widest=widest
    )


def _axis(field: str, title: str, widest: float) -> Spec:
    axis = share_axis(title) if widest == 1.0 else {"title": title, "tickCount": 5}
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, widest]},
        "axis": axis | {"grid": False, "labelColor": MUTED, "ticks": True, "domain": True},
    }


def _scatter(
    points: list[dict[str, Any]],
    x: Spec,
    y: Spec,
    width: int,
    height: int,
    *,
    widest: float,
    behind: Sequence[Spec] = (),
) -> Spec:
    return {
        "data": {"values": points},
        "width": width,
        "height": height,
        "layer": [*behind, *_points(x, y), *_labels(points, width, height, widest)],
    }


def _points(x: Spec, y: Spec) -> list[Spec]:
    """Draw intervals as thin crosses, with one mark per origin.

    The origins are: measured here, a baseline, published.
    """
    origins = [MEASURED, BASELINE, PUBLISHED]
    rule: Spec = {"type": "rule", "color": ACCENT, "strokeWidth": 1.2, "opacity": 0.5}
    return [
        {
            "mark": rule,
            "encoding": {"x": x, "y": {**y, "field": "y_low"}, "y2": {"field": "y_high"}},
        },
        {
            "mark": rule,
            "encoding": {"x": {**x, "field": "x_low"}, "x2": {"field": "x_high"}, "y": y},
        },
        {
            "mark": {"type": "point", "size": 64, "opacity": 1, "strokeWidth": 1.5},
            "encoding": {
                "x": x,
                "y": y,
                "shape": {
                    "field": "origin",
                    "type": "nominal",
                    "legend": None,
                    "scale": {"domain": origins, "range": ["circle", "square", "circle"]},
                },
                "fill": {
                    "field": "origin",
                    "type": "nominal",
                    "legend": None,
                    "scale": {"domain": origins, "range": [ACCENT, "var(--paper)", "var(--paper)"]},
                },
                "stroke": {
                    "field": "origin",
                    "type": "nominal",
                    "legend": None,
                    "scale": {"domain": origins, "range": [ACCENT, ACCENT, "var(--published)"]},
                },
            },
        },
    ]


def _labels(points: list[dict[str, Any]], width: int, height: int, widest: float) -> list[Spec]:
    """Place names beside the points, our models first.

    If one of our names does not fit, its place in the leaderboard replaces it. A published model's
    name that does not fit is left out, since the leaderboard has it.
    """

    def across(value: float) -> float:
        return width * value / widest

    def down(value: float) -> float:
        return height * (1 - value)

    named = []
    for point in points:
        x, y = across(point["x"]), down(point["y"])
        lines = []
        if point.get("x_low") is not None:
            lines.append((across(point["x_low"]), y - 2, across(point["x_high"]), y + 2))
        if point.get("y_low") is not None:
            lines.append((x - 2, down(point["y_high"]), x + 2, down(point["y_low"])))
        short = None if point["origin"] == PUBLISHED else str(point["place"])
        named.append(Named(point["name"], x, y, short, tuple(lines)))
    placed = place(named, width, height)
    texts = [
        {"name": label.text, "is_ours": label.point.short is not None, "x": label.x, "y": label.y}
        for label in placed
    ]
    ties = [
        dict(zip(("x", "y", "x2", "y2"), label.tie, strict=True)) for label in placed if label.tie
    ]
    pixels = {"type": "quantitative", "scale": None}
    at: Spec = {
        "x": {"field": "x", **pixels, "axis": None},
        "y": {"field": "y", **pixels, "axis": None},
    }
    return [
        {
            "data": {"values": ties},
            "mark": {"type": "rule", "color": RULE, "strokeWidth": 1},
            "encoding": at | {"x2": {"field": "x2"}, "y2": {"field": "y2"}},
        },
        {
            "data": {"values": texts},
            "mark": {"type": "text", "align": "left", "baseline": "middle", "fontSize": 12},
            "encoding": at
            | {
                "text": {"field": "name"},
                "color": {
                    "condition": {"test": "datum.is_ours", "value": INK},
                    "value": MUTED,
                },
            },
        },
    ]
