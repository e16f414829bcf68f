"""The measured values of one suite and release, typed, best model first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from tasks.core.errors import RunFailed
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.report.failures import has_answer, is_wrong
from tasks.suites.page import Page
from tasks.suites.suite import Suite
from tasks.warehouse.sql_files import PAPER_MODELS, REMARKS

Row = dict[str, Any]
Reports = dict[str, list[Row]]  # relation -> its rows
Slice = tuple[str, str]  # slice_by, slice_value
OVERALL: Slice = ("overall", "all")
SIGNIFICANT = 0.05
PUBLISHED = "dataset"  # the form of a filing that we know only from a published file


class NothingMeasured(RunFailed):
    """The release has no metrics of the suite yet; the message has the command for them."""

    def __init__(self, release: str, suite: str, lake: str = RunSettings().lake) -> None:
        place = place_options(lake=lake, release=release, suite=suite)
        super().__init__(
            f"release {release} has no metrics of {suite} yet; `tenkbench run{place}` makes them"
        )


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One cell of the metrics; the interval is None if too few filings are scored."""

    n: int
    n_unscored: int
    value: float | None
    low: float | None
    high: float | None
    worst: float | None
    best: float | None

    @property
    def has_interval(self) -> bool:
        """Whether at least one end is known."""
        return (self.low, self.high) != (None, None)


def span(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of a scale that holds the values: that of shares, unless all are above 1."""
    known = [value for value in values if value is not None]
    if not known or min(known) <= 1:
        known += [0.0, 1.0]
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 1, high + 1)


def span_of(cells: Iterable[MetricCell | None]) -> tuple[float, float]:
    """Return the ends of a scale that holds values and intervals."""
    return span(end for cell in cells if cell for end in (cell.value, cell.low, cell.high))


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model of the lake; a baseline answers by rules and is not a language model."""

    name: str
    asked_by: str  # names of the operations that asked it
    is_baseline: bool
    engine: str  # and its version
    n_answers: int  # cases that it answered or failed on
    n_cut_off: int  # those of them that reached the token limit, with an answer or before it
    mean_latency_ms: float | None
    n_calls: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """Two models on the same units of all cases: the first one's value less the other's."""

    metric: str
    model: str
    other_model: str
    n: int
    n_groups: int
    difference: float
    low: float | None
    high: float | None
    p_holm: float | None
    minimum_detectable_difference: float | None

    @property
    def turned(self) -> ShownComparison:
        """The same comparison with the two models swapped."""
        return replace(
            self,
            model=self.other_model,
            other_model=self.model,
            difference=0.0 - self.difference,
            low=None if self.high is None else 0.0 - self.high,
            high=None if self.low is None else 0.0 - self.low,
        )

    @property
    def is_significant(self) -> bool:
        """Whether chance does not readily explain the difference: P and the interval say so."""
        if self.p_holm is None or self.low is None or self.high is None:
            return False
        return self.p_holm < SIGNIFICANT and self.low * self.high > 0


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of one suite in one release, by one judge."""

    suite: Suite
    release: str
    judge: str  # of the headline metric, which `other_judges` rated too
    other_judges: tuple[str, ...]
    judge_of: Mapping[str, str]  # metric -> the judge of its figures, in the page's order
    parameters: Mapping[str, Any]  # options of the suite's metrics, such as weights
    models: tuple[ScoredModel, ...]  # best first
    estimates: Mapping[tuple[str, str, Slice], MetricCell]  # by model, metric and slice
    other_headlines: Mapping[tuple[str, str], MetricCell]  # over all cases, by judge and model
    comparisons: tuple[ShownComparison, ...]
    reports: Reports  # all rows that were gathered

    @property
    def page(self) -> Page:
        """The suite's texts."""
        return self.suite.page

    @property
    def statistics(self) -> Row:
        """The row of `reports.dataset_statistics`."""
        (row,) = self.reports["reports.dataset_statistics"]
        return row

    @property
    def is_published(self) -> bool:
        """Whether the questions come from a published file, or from no filing."""
        forms = {case["form"] for case in self.reports["reports.explain"]}
        is_known = self.statistics["n_filings"] is not None
        return not is_known or bool(forms and forms <= {PUBLISHED, None})

    @property
    def group(self) -> str:
        """What a resampling draws: a filing, or a query if no question has one."""
        forms = {case["form"] for case in self.reports["reports.explain"]}
        return "query" if forms == {None} else "filing"

    @property
    def has_forms(self) -> bool:
        """Whether the release asks in several forms; if not, each question is one case."""
        return len(self.slices("variant", *self.judge_of)) > 1

    @property
    def remarks(self) -> list[Row]:
        """The suite's remarks on its figures."""
        return self.own_rows(REMARKS)

    @property
    def paper(self) -> dict[str, Row]:
        """Each model of the suite's paper with its values by metric, `judge` and `n_questions`."""
        return {row["model"]: row for row in self.own_rows(PAPER_MODELS)}

    @property
    def n_shown(self) -> tuple[int, int]:
        """The number of cases that the page holds, and of all."""
        cases = self.reports["reports.explain"]
        return len(cases), cases[0]["n_cases"] if cases else 0

    def own_rows(self, name: str) -> list[Row]:
        """Return the rows of a relation of the suite's folder; none if it has no such file."""
        return self.reports.get(f"{self.suite.name}.{name}", [])

    def judged_rows(self, relation: str) -> list[Row]:
        """Return a relation's rows by the page's judge, or all if it has none of it."""
        rows = self.reports[relation]
        return [row for row in rows if row.get("judge", self.judge) == self.judge] or rows

    @property
    def rule_judges(self) -> frozenset[str]:
        """The judges that are deterministic rules over words and figures."""
        rows = self.reports["reports.judges"]
        return frozenset(row["judge"] for row in rows if row["is_rules"])

    def rule_of(self, judge: str) -> str | None:
        """Return how a judge decides, if it is a rule of the suite that says so."""
        return self.suite.judges[judge].rule if judge in self.suite.judges else None

    @property
    def unjudged(self) -> tuple[ScoredModel, ...]:
        """The models whose answers the judge was never given."""
        judged = {m for m, metric, _ in self.estimates if self.judge_of.get(metric) == self.judge}
        return tuple(model for model in self.models if model.name not in judged)

    @property
    def n_unscored(self) -> int:
        """The number of answers that the judge could not rate or was not given."""
        unscored = (row for row in self.unscored if has_answer(row) and not is_wrong(row))
        n_not_given = sum(model.n_answers for model in self.unjudged)
        return sum(row["n"] for row in unscored) + n_not_given

    @property
    def n_answers(self) -> int:
        """The number of answers of all models."""
        (n_judged,) = (r["n"] for r in self.reports["reports.judges"] if r["judge"] == self.judge)
        without = sum(row["n"] for row in self.unscored if not has_answer(row))
        return int(n_judged) - without + sum(model.n_answers for model in self.unjudged)

    @property
    def unscored(self) -> list[Row]:
        """The judge's rows of `reports.unscored_reasons`."""
        rows = self.reports["reports.unscored_reasons"]
        return [row for row in rows if row["judge"] == self.judge]

    @property
    def priced(self) -> list[ScoredModel]:
        """The models whose answers have a known cost or speed."""
        asked = [model for model in self.models if model.n_calls]
        return [m for m in asked if (m.cost_usd, m.mean_latency_ms) != (None, None)]

    @property
    def usd_per_right(self) -> dict[str, float | None]:
        """What an answer cost that the judge found right, by model."""
        rows = self.reports.get("reports.leaderboard", ())
        return {row["model"]: row["usd_per_right"] for row in rows if row["judge"] == self.judge}

    def rank(self, model: ScoredModel) -> tuple[float, str]:
        """Return a key that sorts models by the headline metric, best first, then by name."""
        cell = self.of(model.name, self.headline)
        if cell is None or cell.value is None:
            return inf, model.name
        return cell.value if self.is_lower_better(self.headline) else -cell.value, model.name

    @property
    def places(self) -> dict[str, int | None]:
        """Each model's place by the headline metric; None without a value, or if it is alone."""
        ranks = {model.name: self.rank(model)[0] for model in self.models}
        known = sorted(rank for rank in ranks.values() if rank != inf)
        places = {name: 1 + known.index(rank) for name, rank in ranks.items() if rank != inf}
        return {name: places.get(name) if len(known) > 1 else None for name in ranks}

    def is_ahead_of(self, best: ScoredModel, model: ScoredModel) -> bool:
        """Whether a lead by the headline stays, whatever the unscored of both would have scored."""
        both = [self.of(each.name, self.headline) for each in (best, model)]
        upper, lower = reversed(both) if self.is_lower_better(self.headline) else both
        if not upper or not lower or upper.worst is None or lower.best is None:
            return True
        return upper.worst > lower.best

    def asked_as(self, model: ScoredModel) -> str:
        """Name the operations that asked a model, but for the suite's first one."""
        others = sorted({*model.asked_by.split(", ")} - {self.suite.answers[0].name})
        names = (name.removeprefix("answer").strip("_").replace("_", " ") for name in others)
        return ", ".join(names)

    @property
    def headline(self) -> str:
        """The metric that models are ranked by."""
        return next(iter(self.judge_of))

    @property
    def of_answers(self) -> str:
        """The metric for single answers."""
        declared = self.page.of_answers
        return declared if declared and declared in self.judge_of else self.headline

    @property
    def shown_metrics(self) -> list[str]:
        """The metrics of the leaderboard."""
        others = [metric for metric in self.judge_of if metric != self.page.of_answers]
        measured = {metric for _, metric, part in self.estimates if part == OVERALL}
        return [metric for metric in others or self.judge_of if metric in measured]

    def is_lower_better(self, metric: str) -> bool:
        """Return whether a metric is better the lower it is."""
        return self.page.label(metric).is_lower_better

    def of(self, model: str, metric: str, part: Slice = OVERALL) -> MetricCell | None:
        """Return a model's cell, or None if it has none."""
        return self.estimates.get((model, metric, part))

    def cells(self, metric: str) -> list[tuple[ScoredModel, MetricCell]]:
        """Return the models that have a value, with their cells."""
        cells = ((model, self.of(model.name, metric)) for model in self.models)
        return [(model, cell) for model, cell in cells if cell and cell.value is not None]

    def metric_span(self, metric: str) -> tuple[float, float]:
        """Return the ends of a scale that holds a metric's values and intervals."""
        return span_of(cell for _, cell in self.cells(metric))

    def compared(self, metric: str) -> list[ShownComparison]:
        """Return a metric's comparisons, each pair once, the better model first."""
        sign = -1 if self.is_lower_better(metric) else 1
        rows = (row for row in self.comparisons if row.metric == metric)
        return [row if sign * row.difference >= 0 else row.turned for row in rows]

    def slices(self, dimension: str, *metrics: str) -> list[str]:
        """Return a dimension's values that have a cell of one of the metrics, in order."""
        slices = {part for _, metric, part in self.estimates if metric in metrics}
        return self.in_order(dimension, (value for by, value in slices if by == dimension))

    def in_order(self, dimension: str, values: Iterable[str]) -> list[str]:
        """Sort a dimension's values, each once, in the suite's order or else in natural order."""
        place = {value: place for place, value in enumerate(self.page.order_of(dimension))}
        return sorted(set(values), key=lambda value: (place.get(value, -1), _natural(value)))


# First word of a slice's name -> its rank among other names: before (-1), after (1) or last (2).
_PLACE = {"below": -1, "before": -1, "first": -1, "last": 1, "after": 1, "unknown": 2}


def _natural(text: str) -> list[tuple[int, int | str]]:
    """Return a key that sorts `2,000` before `10,000`, and `first third` before `last third`."""
    parts = [part for part in re.split(r"(\d+)", text.replace(",", "")) if part]
    ranks = [(0, int(part)) if part.isdigit() else (1, part) for part in parts]
    return [(_PLACE.get(text.partition(" ")[0], 0), ""), *ranks]
