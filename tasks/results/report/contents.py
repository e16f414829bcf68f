"""The content of each section of the page, from the measured values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tasks.results.report import charts, scatter
from tasks.results.report.drawing import Figure
from tasks.results.report.measured import (
    OVERALL,
    Candidate,
    Comparison,
    Estimate,
    Measured,
    places_of,
)
from tasks.results.report.trial import Table
from tasks.results.report.verdict import SIGNIFICANT, overall, turned
from tasks.text.shares import share

# The page's sections in order.
SECTIONS = (
    ("leaderboard", "Leaderboard"),
    ("perturbations", "Forms"),
    ("tradeoff", "Trade-off"),
    ("ratings", "Ratings"),
    ("tasks", "Tasks"),
    ("slices", "Filings"),
    ("details", "Details"),
    ("pairs", "Pairs"),
    ("prices", "Cost"),
    ("questions", "Questions"),
    ("judge", "Judge"),
    ("cases", "Answers"),
    ("provenance", "Sources"),
)


def figures(measured: Measured) -> dict[str, Any]:
    slice_metric = measured.of_answers
    return {
        "variant": charts.perturbation_figure(measured),
        "tradeoff": scatter.tradeoff_figure(measured),
        "ratings": charts.rating_figure(measured),
        "tasks": charts.task_figure(measured),
        "tokens": charts.tokens_figure(measured),
        "slices": _slices(measured, slice_metric),
        "slice_metric": measured.page.metric_name(slice_metric),
        "prices": scatter.price_figures(measured),
    }


@dataclass(frozen=True, slots=True)
class Slices:
    """One dimension's figure and its numbers of units."""

    title: str
    meaning: str | None  # explains the parts, if their names do not
    figure: Figure
    n: str  # `4 to 17`
    n_unknown: str | None  # units that belong to none of the parts
    has_too_few_filings: bool


def _slices(measured: Measured, metric: str) -> list[Slices]:
    models = charts.columns_of(measured)

    def cells(dimension: str, values: Sequence[str]) -> list[Estimate]:
        found = (
            measured.of(model.name, metric, f"{dimension}={value}")
            for model in models
            for value in values
        )
        return [cell for cell in found if cell is not None]

    slices = []
    for dimension, figure in charts.slice_figures(measured, metric).items():
        known = cells(dimension, charts.known_slices(measured, metric, dimension))
        unknown = cells(dimension, [charts.UNKNOWN])
        has_single = any(cell.value is not None and cell.ci_low is None for cell in known)
        n_unknown = _range_of(unknown) if unknown else None
        slices.append(
            Slices(
                measured.page.all_dimensions[dimension],
                measured.page.values.get(dimension),
                figure,
                _range_of(known),
                n_unknown,
                has_single,
            )
        )
    return slices


def shown_sections(
    figures: Mapping[str, Any],
    comparisons: Sequence[Pair],
    details: Sequence[Table],
    has_trial: bool,
) -> set[str]:
    """Return the sections that this release has content for."""
    drawn = {
        "perturbations": "variant",
        "tradeoff": "tradeoff",
        "ratings": "ratings",
        "tasks": "tasks",
    }
    drawn |= {"slices": "slices", "prices": "prices"}
    shown = {section for section, figure in drawn.items() if figures[figure]}
    shown |= {"leaderboard", "questions", "cases", "provenance"} | (
        {"details"} if details else set()
    )
    return shown | ({"pairs"} if comparisons else set()) | ({"judge"} if has_trial else set())


def changes(measured: Measured) -> dict[str, Any]:
    """Return each model's share of good answers by variant, and its change.

    The change is from the baseline, for variants that also expect answers.
    """
    names = [name for name in measured.page.variants if charts.good_answers(measured, name)]
    rows = []
    for model in measured.models:
        cells = []
        start = _value(measured.of(model.name, measured.of_answers, "variant=baseline"))
        for name in names:
            metric = charts.metric_of(measured, name)
            value = _value(measured.of(model.name, metric, f"variant={name}"))
            is_change = (
                metric == measured.of_answers
                and name != "baseline"
                and value is not None
                and start is not None
            )
            cells.append(
                (
                    value,
                    value - start
                    if is_change and value is not None and start is not None
                    else None,
                )
            )
        rows.append((model, cells))
    return {"columns": [measured.page.variant_name(name) for name in names], "rows": rows}


def _value(cell: Estimate | None) -> float | None:
    return None if cell is None else cell.value


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of the table of pairs, the better model first."""

    metric_name: str
    model: str
    other_model: str
    difference: float
    ci_low: float | None
    ci_high: float | None
    p_holm: float | None
    detectable: float | None
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.difference, self.ci_low, self.ci_high) if end is not None]


def pairs(measured: Measured) -> list[Pair]:
    rows = []
    for metric in measured.metrics:
        places = {model.name: place for place, model in enumerate(measured.models)}
        found = [row for row in overall(measured, metric) if row.difference is not None]
        ahead: dict[frozenset[str], Comparison] = {}
        for row in found:
            better = row if row.difference is not None and row.difference >= 0 else turned(row)
            ahead.setdefault(frozenset((row.model, row.other_model)), better)
        ordered = sorted(
            ahead.values(), key=lambda row: (places[row.model], places[row.other_model])
        )
        rows += [
            Pair(
                measured.page.metric_name(metric),
                row.model,
                row.other_model,
                row.difference or 0.0,
                row.ci_low,
                row.ci_high,
                row.p_holm,
                row.minimum_detectable_difference,
                row.n,
            )
            for row in ordered
        ]
    return rows


def left_out(measured: Measured, model: Candidate) -> list[str]:
    """Describe the unrated units that a model's headline metric leaves out.

    They are counted in the metric's own units: `2 questions`, `1 answer`.
    """
    known = measured.page.metrics.get(measured.headline)
    texts = []
    for metric in (known.parts if known else ()) or (measured.headline,):
        cell = measured.of(model.name, metric)
        if cell is not None and cell.n_unscored:
            unit = (
                measured.page.metrics[metric].unit if metric in measured.page.metrics else "answer"
            )
            texts.append(f"{cell.n_unscored:,} {unit}{'' if cell.n_unscored == 1 else 's'}")
    return texts


@dataclass(frozen=True, slots=True)
class ByJudge:
    """The headline metric by each judge, and whether their orders agree.

    `is_alike` is None if fewer than two models have a value from every judge.
    """

    table: Table
    is_alike: bool | None


def by_judge(measured: Measured) -> ByJudge | None:
    """Tabulate each model's headline metric by each judge.

    The table has places if the judges order the models differently. Places count only models with a
    value from every judge. Returns None if there is only one judge.
    """
    if not measured.other_judges:
        return None
    cells = {
        measured.judge: [measured.of(model.name, measured.headline) for model in measured.models]
    }
    for judge in measured.other_judges:
        cells[judge] = [
            measured.other_headlines.get((judge, model.name)) for model in measured.models
        ]
    is_shared = [
        all(_value(cell) is not None for cell in row) for row in zip(*cells.values(), strict=True)
    ]
    places = {
        judge: places_of(
            [_value(cell) if has else None for cell, has in zip(found, is_shared, strict=True)]
        )
        for judge, found in cells.items()
    }
    is_alike = len(set(map(tuple, places.values()))) == 1 if sum(is_shared) > 1 else None
    columns = [
        [
            _by_one(cell, place if is_alike is False else None)
            for cell, place in zip(found, places[judge], strict=True)
        ]
        for judge, found in cells.items()
    ]
    words = measured.page
    rules = "".join(f" {judge}: {words.judges[judge]}." for judge in cells if judge in words.judges)
    name = words.metric_name(measured.headline)
    shown = ", and the model's place by it" if is_alike is False else ""
    table = Table(
        "Another judge, another order" if is_alike is False else f"{name} by each judge",
        f"{name} by each judge's {words.judging.given}s, with its 95 % interval{shown}.{rules}",
        ("Model", *cells),
        tuple(
            (model.name, *row)
            for model, row in zip(measured.models, zip(*columns, strict=True), strict=True)
        ),
        frozenset(cells),
    )
    return ByJudge(table, is_alike)


def _by_one(cell: Estimate | None, place: int | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    interval = (
        "no interval"
        if cell.ci_low is None or cell.ci_high is None
        else f"{share(cell.ci_low)} to {share(cell.ci_high)}"
    )
    return f"{share(cell.value)} ({interval}){'' if place is None else f', place {place}'}"


def verbs(measured: Measured) -> list[dict[str, Any]]:
    return [
        {
            "verb": verb,
            "n": n,
            "objects": [f"{row.object} {row.n}" for row in rows if row.object is not None],
        }
        for (verb, n), rows in (
            (key, list(found))
            for key, found in groupby(measured.query_verbs, key=lambda row: (row.verb, row.n_verb))
        )
    ]


def numbers_behind(measured: Measured) -> dict[str, str]:
    """Return each figure's number of units: `70`, or `68 to 72`."""

    def cells(metrics: Sequence[str], is_wanted: Any) -> str:
        return _range_of(
            [
                cell
                for (_, metric, name), cell in measured.estimates.items()
                if metric in metrics and is_wanted(name)
            ]
        )

    ratings = sorted({row.n - row.n_unscored for row in measured.ratings})
    return {
        "headline": cells([measured.headline], lambda name: name == OVERALL),
        "variant": cells(
            [measured.of_answers, "context_grounding"],
            lambda name: name.startswith("variant=") and "," not in name,
        ),
        "tasks": cells(measured.shown_metrics, lambda name: name.startswith("task=")),
        "ratings": "0" if not ratings else f"{ratings[0]:,} to {ratings[-1]:,}",
    }


def _range_of(cells: Sequence[Estimate]) -> str:
    counts = sorted({cell.n for cell in cells}) or [0]
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def unscored_table(measured: Measured) -> Table | None:
    """Tabulate why answers could not be judged, by judge, variant and reason.

    The counts are over all models.
    """
    counts: dict[tuple[str, str, str], int] = {}
    for row in measured.unscored:
        key = (row.judge, measured.page.variant_name(row.variant), row.unscored_reason)
        counts[key] = counts.get(key, 0) + row.n
    if not counts:
        return None
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    judging = measured.page.judging
    return Table(
        f"Answers without a {judging.given}",
        f"An answer that could not be {judging.done} counts neither as good nor as bad; every "
        "figure says how many there are.",
        ("Judge", "Form", "Reason", "Answers"),
        tuple((*key, f"{n:,}") for key, n in ordered),
        frozenset({"Answers"}),
    )


# The page lists at most this many reasons; a release may have hundreds.
_MOST_REASONS = 12


def rejected_table(measured: Measured) -> Table | None:
    """Tabulate why filings, texts and drafts were rejected, commonest reason first."""
    if not measured.rejected:
        return None
    shown, rest = measured.rejected[:_MOST_REASONS], measured.rejected[_MOST_REASONS:]
    rows = [(row.reason, row.stage.replace("_", " "), f"{row.n:,}") for row in shown]
    if rest:
        rows.append((f"{len(rest):,} other reasons", "", f"{sum(row.n for row in rest):,}"))
    return Table(
        "What fell out, and why",
        "Step is where on the way it fell out: of contexts, the texts to be shown; of qa pairs, "
        "the questions with their answers.",
        ("Reason", "Step", "Number"),
        tuple(rows),
        frozenset({"Number"}),
    )
