"""The content of each section of the page, from the measured values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.results.report import charts
from tasks.results.report.drawing import Figure
from tasks.results.report.measured import Candidate, Comparison, Estimate, Measured, rows_of
from tasks.results.report.tables import Table, shown_tables
from tasks.suites.page import Distribution, Dots, Scatter, Section, ShownReport
from tasks.text.shares import interval, share, signed_share
from tasks.text.visible import visible
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Part:
    """A chart or a table of a section, with its texts.

    Attributes:
        basis: numbers of units behind the values, such as `4 to 17 answers per dot`.
    """

    title: str = ""
    text: str = ""
    figure: Figure | None = None
    caption: str = ""
    basis: str = ""
    table: Table | None = None


# --- sections of a suite -----------------------------------------------------------------


def own_sections(
    warehouse: duckdb.DuckDBPyConnection, measured: Measured
) -> list[tuple[Section, list[Part]]]:
    """Fill the suite's own sections; those without data are left out."""
    found = []
    for section in measured.page.sections:
        drawn = [_drawn(warehouse, measured, shown) for shown in section.shows]
        if parts := [part for part in drawn if part is not None]:
            found.append((section, parts))
    return found


def _drawn(
    warehouse: duckdb.DuckDBPyConnection,
    measured: Measured,
    shown: ShownReport | Dots | Scatter | Distribution,
) -> Part | None:
    match shown:
        case Dots():
            return _dots(measured, shown)
        case Scatter():
            return _scatter(warehouse, measured, shown)
        case Distribution():
            return _distribution(warehouse, measured, shown)
    parts = table_parts(shown_tables(warehouse, measured, [shown]))
    return parts[0] if parts else None


def _dots(measured: Measured, shown: Dots) -> Part | None:
    page, dimension = measured.page, shown.dimension
    metric_of = {
        value: next(m for m in shown.metrics if value in measured.slices(dimension, m))
        for value in measured.slices(dimension, *shown.metrics)
        if value != charts.UNKNOWN
    }
    names = [page.slice_value(dimension, value) for value in metric_of]
    found = [
        (cell, charts.dot(cell, panel=name, name=charts.model_label(model)))
        for name, (value, metric) in zip(names, metric_of.items(), strict=True)
        for model, cell in measured.cells(metric, f"{dimension}={value}")
    ]
    if not found:
        return None
    labels = [charts.model_label(model) for model in measured.models]
    variants = [page.variants[value] for value in metric_of if value in page.variants]
    return Part(
        title=shown.title,
        figure=charts.dots(shown.title, [row for _, row in found], names, labels),
        caption=" ".join(f"{variant.name}: {variant.meaning}." for variant in variants),
        basis=_basis(measured, shown.metrics[0], (cell for cell, _ in found)),
        table=_changes(measured, shown, metric_of) if shown.changes_from in metric_of else None,
    )


def _changes(measured: Measured, shown: Dots, metric_of: Mapping[str, str]) -> Table:
    """Tabulate all values, and changes from one slice to others of the same metric."""
    page, start = measured.page, shown.changes_from or ""

    def text(model: Candidate, value: str) -> str:
        first, cell = (
            measured.of(model.name, metric_of[each], f"{shown.dimension}={each}")
            for each in (start, value)
        )
        if cell is None or cell.value is None:
            return "–"
        is_change = value != start and metric_of[value] == metric_of[start]
        if not is_change or first is None or first.value is None:
            return share(cell.value)
        return f"{share(cell.value)} ({signed_share(cell.value - first.value, minus='−')})"

    headings = tuple(page.slice_value(shown.dimension, value) for value in metric_of)
    return Table(
        f"{shown.title}, and the change from {page.slice_value(shown.dimension, start).lower()}",
        "",
        ("Model", *headings),
        tuple(
            (model.name, *(text(model, value) for value in metric_of)) for model in measured.models
        ),
        frozenset(headings),
    )


def _scatter(
    warehouse: duckdb.DuckDBPyConnection, measured: Measured, shown: Scatter
) -> Part | None:
    cells = {model.name: cell for model, cell in measured.cells(shown.y)}
    found = [
        (cell, charts.point(model, measured.places[model.name], x=cell, y=cells[model.name]))
        for model, cell in measured.cells(shown.x)
        if model.name in cells
    ]
    if not found:
        return None
    points = [row for _, row in found] + [
        {"name": name, "origin": "paper", "x": values[shown.x], "y": values[shown.y]}
        for name, values in measured.paper.items()
        if {shown.x, shown.y} <= values.keys()
    ]
    curves = []
    if shown.curves:
        relation = report_of(measured.suite.name, shown.curves)
        curves = [
            {"level": row["level"], "x": row[shown.x], "y": row[shown.y]}
            for row in rows_of(warehouse, relation, {})
        ]
    names = [measured.page.metric_name(metric) for metric in (shown.x, shown.y)]
    return Part(
        title=shown.title,
        figure=charts.scatter(
            f"{shown.title}; a point a model, with 95 % intervals",
            points,
            (names[0], names[1]),
            curves=curves,
        ),
        caption=(
            "Filled points were measured here, with 95 % intervals; squares are rule-based "
            "baselines"
            + ("; hollow grey points are the paper's models" if measured.paper else "")
            + ". Names without room are left out."
        ),
        basis=_basis(measured, shown.x, (cell for cell, _ in found)),
    )


def _distribution(
    warehouse: duckdb.DuckDBPyConnection, measured: Measured, shown: Distribution
) -> Part | None:
    about = {"suite": measured.suite.name, "release": measured.release, "judge": measured.judge}
    found = rows_of(warehouse, report_of(measured.suite.name, shown.relation), about)
    labels = {model.name: charts.model_label(model) for model in measured.models}
    rows = [
        {
            "panel": shown.panels[row["expected"]],
            "name": labels[row["model"]],
            "rating": row["rating"],
            "is_good": row["is_compliant"],
            "n": row["n"],
        }
        for row in found
        if row["rating"] is not None
    ]
    if not rows:
        return None
    bars: dict[tuple[str, str], int] = {}
    for row in rows:
        bars[row["panel"], row["name"]] = bars.get((row["panel"], row["name"]), 0) + row["n"]
    n_unrated = sum(row["n"] for row in found if row["rating"] is None)
    panels = list(shown.panels.values())
    return Part(
        title=shown.title,
        figure=charts.distribution(shown.title, rows, panels, list(labels.values())),
        caption=f"Shares of the rated answers. {n_unrated:,} answers have no rating.",
        basis=f"{_least_to_most(bars.values())} rated answers per model and panel",
    )


# --- sections of every suite -------------------------------------------------------------


def slice_parts(measured: Measured) -> list[Part]:
    """Draw each dimension that divides the units of the metric for single answers."""
    page, metric = measured.page, measured.of_answers
    models = charts.columns_of(measured)
    parts = []
    for dimension, title in page.all_dimensions.items():
        if dimension in page.of_published and not measured.is_published:
            continue
        cells = {
            value: [
                (model, cell)
                for model in models
                if (cell := measured.of(model.name, metric, f"{dimension}={value}"))
            ]
            for value in measured.slices(dimension, metric)
        }
        unknown = [cell for _, cell in cells.pop(charts.UNKNOWN, [])]
        known = {
            f"{page.slice_value(dimension, visible(value))} "
            f"({_range(cell for _, cell in found)})": found
            for value, found in cells.items()
            if found
        }
        if len(known) < 2:
            continue
        rows = [
            charts.dot(cell, panel=charts.model_label(model), name=name)
            for name, found in known.items()
            for model, cell in found
        ]
        caption = []
        if any(row["value"] is not None and row["low"] is None for row in rows):
            caption.append("A dot without a line rests on too few filings for an interval.")
        if unknown:
            caption.append(
                f"Left out: {_range(unknown)} answers per model of which this is not known."
            )
        parts.append(
            Part(
                title=title,
                text=page.values.get(dimension, ""),
                figure=charts.dots(
                    f"{page.metric_name(metric)} by model and {title.lower()}",
                    rows,
                    [charts.model_label(model) for model in models],
                    list(known),
                ),
                caption=" ".join(caption),
                basis=_basis(
                    measured, metric, (cell for found in known.values() for _, cell in found)
                ),
            )
        )
    return parts


def price_parts(measured: Measured) -> list[Part]:
    """Draw the headline metric against cost and answer time, if known."""
    name = measured.page.metric_name(measured.headline)
    amounts: dict[tuple[str, str], Callable[[Candidate], float | None]] = {
        ("Cost", "US dollars per 1,000 answers"): lambda model: (
            None if model.cost_usd is None else 1000 * model.cost_usd / model.n_calls
        ),
        ("Speed", "seconds per answer, mean"): lambda model: (
            None if model.mean_latency_ms is None else model.mean_latency_ms / 1000
        ),
    }
    parts = []
    for (title, axis), amount in amounts.items():
        points = [
            charts.point(model, measured.places[model.name], x=found, y=cell)
            for model, cell in measured.cells(measured.headline)
            if model.n_calls and (found := amount(model)) is not None
        ]
        if points:
            drawn = charts.scatter(
                f"{name} against {axis}", points, (axis, name), is_of_amounts=True
            )
            parts.append(Part(title=title, figure=drawn))
    return parts


def table_parts(tables: Iterable[Table]) -> list[Part]:
    """Return a part for each table."""
    return [Part(table.title, table.meaning, table=table) for table in tables]


def pairs(measured: Measured) -> list[Comparison]:
    """Return all comparisons, the better model first, in the leaderboard's order."""
    places = {model.name: place for place, model in enumerate(measured.models)}
    return [
        row
        for metric in measured.metrics
        for row in sorted(
            measured.compared(metric), key=lambda row: (places[row.model], places[row.other_model])
        )
    ]


def meaning(measured: Measured, metric: str) -> str:
    """Return what follows a metric's name: its meaning, options and direction."""
    label, derived = measured.page.metrics.get(metric), measured.suite.metrics.get(metric)
    text = f": {label.meaning}" if label else ""
    for option in derived.options if derived else ():
        text += f" ({option.replace('_', ' ')} {measured.parameters[option]})"
    return f"{text}; lower is better" if measured.is_lower_better(metric) else text


def left_out(measured: Measured, model: Candidate) -> list[str]:
    """Describe the unrated units that a model's headline metric leaves out.

    They are counted in the metric's own units: `2 questions`, `1 answer`.
    """
    labels = measured.page.metrics
    known = labels.get(measured.headline)
    texts = []
    for metric in (known.parts if known else ()) or (measured.headline,):
        cell = measured.of(model.name, metric)
        if cell is not None and cell.n_unscored:
            unit = labels[metric].unit if metric in labels else "answer"
            texts.append(f"{cell.n_unscored:,} {unit}{'' if cell.n_unscored == 1 else 's'}")
    return texts


def by_judge(measured: Measured) -> Table | None:
    """Tabulate each model's headline metric by each judge; None if there is only one judge.

    The title says if judges order the models that all of them judged differently.
    """
    if not measured.other_judges:
        return None
    judges = (measured.judge, *measured.other_judges)
    rows = {
        model.name: (
            measured.of(model.name, measured.headline),
            *(measured.other_headlines.get((judge, model.name)) for judge in measured.other_judges),
        )
        for model in measured.models
    }
    shared = [row for row in rows.values() if all(cell and cell.value is not None for cell in row)]
    orders = {tuple(measured.places_of(found)) for found in zip(*shared, strict=True)}
    words = measured.page
    name = words.metric_name(measured.headline)
    rules = "".join(
        f" {judge}: {words.judges[judge]}." for judge in judges if judge in words.judges
    )
    return Table(
        "Another judge, another order" if len(orders) > 1 else f"{name} by each judge",
        f"{name} by each judge's {words.judging.given}s, with its 95 % interval.{rules}",
        ("Model", *judges),
        tuple((model, *map(_with_interval, row)) for model, row in rows.items()),
        frozenset(judges),
    )


def _with_interval(cell: Estimate | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    if cell.ci_low is None or cell.ci_high is None:
        return f"{share(cell.value)} (no interval)"
    return f"{share(cell.value)} ({interval(cell.ci_low, cell.ci_high)})"


def _basis(measured: Measured, metric: str, cells: Iterable[Estimate]) -> str:
    label = measured.page.metrics.get(metric)
    return f"{_range(cells)} {label.unit if label else 'answer'}s per dot"


def _range(cells: Iterable[Estimate]) -> str:
    return _least_to_most(cell.n for cell in cells)


def _least_to_most(numbers: Iterable[int]) -> str:
    known = sorted(set(numbers)) or [0]
    return f"{known[0]:,}" if len(known) == 1 else f"{known[0]:,} to {known[-1]:,}"
