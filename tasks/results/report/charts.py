"""The page's figures, except the trade-off, as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.results.report.drawing import ACCENT, MUTED, Figure, Spec, figure, share_axis
from tasks.results.report.measured import Candidate, Estimate, Measured
from tasks.text.visible import visible

# The number of models in small multiples, besides baselines.
MOST_COLUMNS = 5
# A dimension's value for units whose value is not known.
UNKNOWN = "unknown"
_WIDEST_NAME = {True: 230, False: 176}
_ROW = 20
_MANY_ROWS = 12


def model_label(model: Candidate) -> str:
    """Return a model's name for figures; a baseline is marked as one."""
    return visible(model.name) + (" (baseline)" if model.is_baseline else "")


def perturbation_figure(measured: Measured) -> Figure | None:
    """Draw each model's share of good answers under each variant, with intervals."""
    if not measured.page.has_forms:
        return None
    asked = [name for name in measured.page.variants if good_answers(measured, name)]
    rows = [
        {"variant": measured.page.variant_name(name), "model": label, **_values(cell)}
        for name in asked
        for label, cell in good_answers(measured, name)
    ]
    if not rows:
        return None
    facets = [measured.page.variant_name(name) for name in asked]

    def spec(width: int) -> Spec:
        return _facets(rows, "variant", facets, _labels(measured), width)

    return figure("Share of good answers, by model and variant, with 95 % intervals", spec)


def good_answers(measured: Measured, variant: str) -> list[tuple[str, Estimate]]:
    """Return each model's label and share of good answers for a variant."""
    return _cells(measured, metric_of(measured, variant), f"variant={variant}")


def metric_of(measured: Measured, variant: str) -> str:
    """Return the metric of a variant: good answers, or refusals."""
    is_refusal = measured.slices("variant", "context_grounding")
    return "context_grounding" if variant in is_refusal else measured.of_answers


def task_figure(measured: Measured) -> Figure | None:
    """Draw questions with one answer against longer texts, by metric and model."""
    rows = [
        {"metric": measured.page.metric_name(metric), "model": label, "task": name, **_values(cell)}
        for metric in measured.shown_metrics
        for task, name in measured.page.tasks.items()
        for label, cell in _cells(measured, metric, f"task={task}")
    ]
    if not rows:
        return None
    metrics = [
        measured.page.metric_name(metric)
        for metric in measured.shown_metrics
        if measured.page.metric_name(metric) in {row["metric"] for row in rows}
    ]

    def spec(width: int) -> Spec:
        return _facets(
            rows,
            "metric",
            metrics,
            _labels(measured),
            width,
            series=("task", list(measured.page.tasks.values())),
        )

    return figure(
        "Question answering against text generation, by metric and model, with 95 % intervals", spec
    )


def rating_figure(measured: Measured) -> Figure | None:
    """Draw the frequency of each rating, for expected answers and expected refusals."""
    expected = {"answer": "An answer is expected", "refuse": "A refusal is expected"}
    labels = {model.name: model_label(model) for model in measured.models}
    rows = [
        {"expected": expected[row.expected], "model": labels[row.model], "rating": rating, "n": n}
        for row in measured.ratings
        for rating, n in enumerate((row.n_1, row.n_2, row.n_3, row.n_4, row.n_5, row.n_6), start=1)
        if row.model in labels
    ]
    if not rows:
        return None

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
                "y": _models_axis(_labels(measured), is_wide),
                "x": {
                    "field": "n",
                    "type": "quantitative",
                    "stack": "normalize",
                    "axis": share_axis("share of scored answers"),
                },
                "order": {"field": "rating", "sort": "descending"},
                "color": {
                    "field": "rating",
                    "type": "ordinal",
                    "scale": {
                        "domain": [6, 5, 4, 3, 2, 1],
                        "range": [f"var(--rating-{rating})" for rating in (6, 5, 4, 3, 2, 1)],
                    },
                },
            },
            "width": (width - columns * (_names_width(_labels(measured), is_wide) + 24)) // columns,
            "height": {"step": _ROW + 2},
        }
        return _faceted(rows, "expected", list(expected.values()), columns, bars)

    return figure("Shares of the ratings 1 to 6, by model, for answers and for refusals", spec)


def tokens_figure(measured: Measured) -> Figure | None:
    """Draw the length of contexts by kind."""
    kinds = measured.page.contexts
    rows = [
        {
            "kind": kinds.get(row.kind, row.kind),
            "from": row.from_tokens,
            "to": row.from_tokens + 1000,
            "n": row.n,
        }
        for row in measured.context_tokens
    ]
    if not rows:
        return None
    longest = max(row.from_tokens for row in measured.context_tokens) + 1_000

    def spec(width: int) -> Spec:
        bars: Spec = {
            "mark": {"type": "bar", "color": ACCENT, "binSpacing": 1},
            "encoding": {
                "x": {
                    "field": "from",
                    "type": "quantitative",
                    "bin": {"binned": True, "step": 1000},
                    "axis": {
                        "title": "tokens of the context",
                        "format": ",d",
                        "values": list(range(0, longest, 5_000 if _is_wide(width) else 10_000)),
                        "grid": False,
                    },
                    "scale": {"zero": True},
                },
                "x2": {"field": "to"},
                "y": {
                    "field": "n",
                    "type": "quantitative",
                    "axis": {"title": "questions", "tickCount": 3, "labelColor": MUTED},
                },
            },
            "width": (width - 140) // 2 if _is_wide(width) else width - 70,
            "height": 130,
        }
        found = [
            kind for kind in dict.fromkeys(kinds.values()) if kind in {row["kind"] for row in rows}
        ]
        return _faceted(rows, "kind", found, len(found) if _is_wide(width) else 1, bars)

    return figure("Number of questions by length of their context in tokens", spec)


def slice_figures(measured: Measured, metric: str) -> dict[str, Figure]:
    """Draw a figure for each dimension that divides the metric's units.

    A figure has one column per model and one row per slice, with its number of units in brackets.
    """
    return {
        dimension: _slice_figure(measured, metric, dimension, title)
        for dimension, title in measured.page.all_dimensions.items()
        if len(known_slices(measured, metric, dimension)) > 1
        and (measured.is_published or dimension not in measured.page.of_published)
    }


def known_slices(measured: Measured, metric: str, dimension: str) -> list[str]:
    """Return a dimension's values for which a shown model has a cell.

    The value `unknown` is left out.
    """
    shown = columns_of(measured)
    return [
        value
        for value in measured.slices(dimension, metric)
        if value != UNKNOWN
        and any(measured.of(model.name, metric, f"{dimension}={value}") for model in shown)
    ]


def _slice_figure(measured: Measured, metric: str, dimension: str, title: str) -> Figure:
    values = known_slices(measured, metric, dimension)
    models = columns_of(measured)
    names = []
    for value in values:
        counts = {
            cell.n
            for model in models
            if (cell := measured.of(model.name, metric, f"{dimension}={value}"))
        }
        said = f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
        names.append(f"{measured.page.slice_value(dimension, visible(value))} ({said})")
    rows = [
        {"model": model_label(model), "slice": name, **_values(cell)}
        for model in models
        for value, name in zip(values, names, strict=True)
        if (cell := measured.of(model.name, metric, f"{dimension}={value}")) is not None
    ]

    def spec(width: int) -> Spec:
        return _facets(
            rows, "model", [model_label(model) for model in models], names, width, y="slice"
        )

    return figure(
        f"{measured.page.metric_name(metric)} by model and {title.lower()}, with 95 % intervals",
        spec,
    )


def columns_of(measured: Measured) -> list[Candidate]:
    """Return the models in small multiples: the best ones and every baseline.

    A model without any judged answer is left out.
    """
    overall = {
        model.name: measured.of(model.name, measured.of_answers) for model in measured.models
    }
    shown = [
        model
        for model in measured.models
        if not ((cell := overall[model.name]) and cell.value is None)
    ]
    best = [model for model in shown if not model.is_baseline][:MOST_COLUMNS]
    return best + [model for model in shown if model.is_baseline]


# --- parts -------------------------------------------------------------------------------


def _is_wide(width: int) -> bool:
    return width > 600


def _labels(measured: Measured) -> list[str]:
    return [model_label(model) for model in measured.models]


def _names_width(labels: Sequence[str], is_wide: bool) -> int:
    return min(_WIDEST_NAME[is_wide], 7 * max(map(len, labels), default=0)) + 12


def _cells(measured: Measured, metric: str, slice_name: str) -> list[tuple[str, Estimate]]:
    found = (
        (model_label(model), measured.of(model.name, metric, slice_name))
        for model in measured.models
    )
    return [(label, cell) for label, cell in found if cell is not None and cell.value is not None]


def _values(cell: Estimate) -> dict[str, Any]:
    return {"value": cell.value, "low": cell.ci_low, "high": cell.ci_high}


def _models_axis(labels: Sequence[str], is_wide: bool, field: str = "model") -> Spec:
    axis = {"title": None, "grid": False, "labelLimit": _WIDEST_NAME[is_wide]}
    return {"field": field, "type": "nominal", "sort": list(labels), "axis": axis}


def _facets(
    rows: list[dict[str, Any]],
    facet: str,
    facets: Sequence[str],
    labels: Sequence[str],
    width: int,
    *,
    y: str = "model",
    series: tuple[str, list[str]] | None = None,
) -> Spec:
    """Draw small multiples of values with intervals.

    They are side by side on a wide page, otherwise stacked. If there is a series, its first value
    is filled and its second hollow.
    """
    is_wide = _is_wide(width)
    columns = len(facets) if is_wide else 1
    names = _names_width(labels, is_wide)
    position: Spec = {
        "y": _models_axis(labels, is_wide, y),
        "x": {"type": "quantitative", "scale": {"domain": [0, 1]}},
    }
    shape: Spec = {}
    if series is not None:
        name, domain = series
        position["yOffset"] = {
            "field": name,
            "type": "nominal",
            "sort": domain,
            "scale": {"paddingOuter": 0.3},
        }
        shape = {
            "fill": {
                "field": name,
                "type": "nominal",
                "scale": {"domain": domain, "range": [ACCENT, "var(--paper)"]},
                "legend": None,
            }
        }
    ticks = (0, 0.5, 1) if columns > 2 else (0, 0.25, 0.5, 0.75, 1)
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 1.5, "opacity": 0.55},
            "encoding": position
            | {
                "x": {**position["x"], "field": "low", "axis": share_axis(None, ticks)},
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {
                "type": "circle",
                "size": 48,
                "opacity": 1,
                "stroke": ACCENT,
                "strokeWidth": 1.5,
            }
            | ({} if series else {"fill": ACCENT}),
            "encoding": position | {"x": {**position["x"], "field": "value"}} | shape,
        },
    ]
    step = _ROW + 8 if series else _ROW if len(labels) <= _MANY_ROWS else _ROW - 5
    drawn = {
        "layer": layers,
        "width": max(60, (width - names - 18 * columns) // columns),
        "height": {"step": step, "for": "position"},
    }
    return _faceted(rows, facet, facets, columns, drawn, is_shared=is_wide)


def _faceted(
    rows: list[dict[str, Any]],
    field: str,
    order: Sequence[str],
    columns: int,
    drawn: Spec,
    is_shared: bool = False,
) -> Spec:
    """Repeat a drawing for each value of a field.

    Side by side, they can share the names on the left.
    """
    size = {key: drawn[key] for key in ("width", "height")}
    header = {"labelLimit": drawn["width"]}
    how = {"field": field, "type": "nominal", "sort": list(order), "header": header}
    facet = {"column": how} if is_shared else how
    rest = {} if is_shared else {"columns": columns}
    return {"data": {"values": rows}, "facet": facet, **rest, "spacing": 16, "spec": drawn | size}
