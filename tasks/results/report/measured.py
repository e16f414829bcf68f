"""The measured values of one suite and release, typed, best model first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tasks.core.errors import RunFailed
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.report.failures import JudgeTrial, Unscored
from tasks.suites.page import Page
from tasks.suites.suite import Suite
from tasks.warehouse.sql_files import REMARKS

Row = dict[str, Any]
Reports = dict[str, list[Row]]  # relation -> its rows
Slice = tuple[str, str]  # slice_by, slice_value
OVERALL: Slice = ("overall", "all")
SIGNIFICANT = 0.05


class NothingMeasured(RunFailed):
    """The release has no metrics of the suite yet.

    The message names the commands that compute them.
    """

    def __init__(self, release: str, suite: str, lake: str = RunSettings().lake) -> None:
        place = place_options(lake=lake, release=release, suite=suite)
        super().__init__(
            f"release {release} has no metrics of {suite} yet; `tenkbench run{place}` makes them"
        )


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One cell of the metrics.

    The interval is None if too few filings are scored.
    """

    n: int
    n_unscored: int
    value: float | None
    low: float | None
    high: float | None
    worst: float | None
    best: float | None

    @classmethod
    def counted(cls, n_of_them: int, n: int) -> MetricCell:
        """Make the cell of a share, without an interval."""
        return cls(n, 0, n_of_them / n, None, None, None, None)


def span(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of a scale that holds the values: that of shares, unless all are above 1."""
    known = [value for value in values if value is not None]
    if not known or min(known) <= 1:
        known += [0.0, 1.0]
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 1, high + 1)


# Models in small multiples, besides baselines.
MOST_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model of the lake.

    A baseline answers by rules and is not a language model. `asked_by` names the operations that
    asked it, and `n_answers` counts the cases that it answered or failed on. `n_cut_off` of them
    reached the token limit, with an answer or before it.
    """

    name: str
    asked_by: str
    is_baseline: bool
    engine: str  # the engine and its version
    n_answers: int
    n_cut_off: int
    mean_latency_ms: float | None
    n_calls: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """Two models on the same units of all cases.

    The difference is the first model's value less the other's.
    """

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
    def furthest(self) -> float:
        """The largest amount of the difference and the ends of its interval."""
        return max(abs(end or 0.0) for end in (self.difference, self.low, self.high))

    @property
    def is_significant(self) -> bool:
        """Whether chance does not readily explain the difference: P and the interval say so."""
        if self.p_holm is None or self.low is None or self.high is None:
            return False
        return self.p_holm < SIGNIFICANT and self.low * self.high > 0


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of one suite in one release, by one judge.

    Attributes:
        judge: the judge of the headline metric, which `other_judges` rated too.
        judge_of: metric -> the judge of its figures.
        rule_judges: judges that are deterministic rules over words and figures.
        parameters: options of the suite's metrics, such as weights.
        metrics: in the page's order; models are ranked by the first.
        models: best first.
        estimates: (model, metric, slice) -> cell.
        other_headlines: (other judge, model) -> the headline metric over all cases.
        paper: model of the suite's paper -> its row: values by metric, `judge` and `n_questions`.
        statistics: the row of `reports.dataset_statistics`. It has no number of filings if a
            published file gave the contexts, or if no filing did.
        period: the first and the last end of the filings' years, if known.
        reports: all rows that were gathered.
    """

    suite: Suite
    release: str
    judge: str
    other_judges: tuple[str, ...]
    judge_of: Mapping[str, str]
    rule_judges: frozenset[str]
    n_judgements: int
    parameters: Mapping[str, Any]
    metrics: tuple[str, ...]
    models: tuple[ScoredModel, ...]
    estimates: Mapping[tuple[str, str, Slice], MetricCell]
    other_headlines: Mapping[tuple[str, str], MetricCell]
    paper: Mapping[str, Row]
    statistics: Mapping[str, Any]
    period: tuple[str, str] | None
    comparisons: tuple[ShownComparison, ...]
    unscored: tuple[Unscored, ...]
    trials: tuple[JudgeTrial, ...]
    reports: Reports

    @property
    def page(self) -> Page:
        """The suite's texts."""
        return self.suite.page

    @property
    def headline(self) -> str:
        """The metric that models are ranked by."""
        return self.metrics[0]

    @property
    def is_published(self) -> bool:
        """Whether the questions come from a published file, or from no filing."""
        return self.statistics["n_filings"] is None

    @property
    def places(self) -> dict[str, int | None]:
        """Each model's place by the headline metric.

        It is None without a value, and if no other model has one.
        """
        found = self.places_of([self.of(model.name, self.headline) for model in self.models])
        is_ranked = sum(place is not None for place in found) > 1
        return {
            model.name: place if is_ranked else None
            for model, place in zip(self.models, found, strict=True)
        }

    @property
    def remarks(self) -> list[Row]:
        """The suite's remarks on its figures."""
        return self.own_rows(REMARKS)

    @property
    def has_forms(self) -> bool:
        """Whether the release asks in several forms; if not, each question is one case."""
        return len(self.slices("variant", *self.metrics)) > 1

    @property
    def unjudged(self) -> tuple[ScoredModel, ...]:
        """The models whose answers the judge was never given."""
        judged = {m for m, metric, _ in self.estimates if self.judge_of.get(metric) == self.judge}
        return tuple(model for model in self.models if model.name not in judged)

    @property
    def n_unscored(self) -> int:
        """The number of answers that the judge could not rate or was not given."""
        unscored = [
            row
            for row in self.unscored
            if row.judge == self.judge and row.has_answer and not row.is_wrong
        ]
        return sum(row.n for row in unscored) + sum(model.n_answers for model in self.unjudged)

    @property
    def n_answers(self) -> int:
        """The number of answers of all models."""
        without = [row for row in self.unscored if row.judge == self.judge and not row.has_answer]
        n_given = self.n_judgements - sum(row.n for row in without)
        return n_given + sum(model.n_answers for model in self.unjudged)

    @property
    def n_shown(self) -> tuple[int, int]:
        """The number of cases that the page holds, and of all."""
        cases = self.reports["reports.explain"]
        return len(cases), cases[0]["n_cases"] if cases else 0

    @property
    def of_answers(self) -> str:
        """The metric for single answers."""
        declared = self.page.of_answers
        return declared if declared in self.metrics else self.headline

    @property
    def shown_metrics(self) -> tuple[str, ...]:
        """The metrics of the leaderboard."""
        others = tuple(metric for metric in self.metrics if metric != self.page.of_answers)
        return tuple(
            metric
            for metric in others or self.metrics
            if any(self.of(model.name, metric) for model in self.models)
        )

    @property
    def leading(self) -> list[ScoredModel]:
        """The models in small multiples: the best ones and every baseline.

        A model without any judged answer is left out.
        """
        shown = [
            model
            for model in self.models
            if not ((cell := self.of(model.name, self.of_answers)) and cell.value is None)
        ]
        best = [model for model in shown if not model.is_baseline][:MOST_COLUMNS]
        return best + [model for model in shown if model.is_baseline]

    def asked_as(self, model: ScoredModel) -> str:
        """Name the operations that asked a model, but for the suite's first one."""
        others = sorted({*model.asked_by.split(", ")} - {self.suite.answers[0].name})
        names = (name.removeprefix("answer").strip("_").replace("_", " ") for name in others)
        return ", ".join(names)

    def rule_of(self, judge: str) -> str | None:
        """Return how a judge decides, if it is a rule of the suite that says so."""
        return self.suite.judges[judge].rule if judge in self.suite.judges else None

    def is_lower_better(self, metric: str) -> bool:
        """Return whether a metric is better the lower it is."""
        label = self.page.metrics.get(metric)
        return label is not None and label.is_lower_better

    def places_of(self, cells: Sequence[MetricCell | None]) -> list[int | None]:
        """Rank cells of the headline metric from 1 for the best; equal values share a place.

        A cell without a value has no place.
        """
        sign = -1 if self.is_lower_better(self.headline) else 1
        values = [
            None if cell is None or cell.value is None else sign * cell.value for cell in cells
        ]
        return [
            None
            if value is None
            else 1 + sum(other is not None and other > value for other in values)
            for value in values
        ]

    def of(self, model: str, metric: str, part: Slice = OVERALL) -> MetricCell | None:
        """Return a model's cell, or None if it has none."""
        return self.estimates.get((model, metric, part))

    def cells(self, metric: str, part: Slice = OVERALL) -> list[tuple[ScoredModel, MetricCell]]:
        """Return the models that have a value, with their cells."""
        found = ((model, self.of(model.name, metric, part)) for model in self.models)
        return [(model, cell) for model, cell in found if cell and cell.value is not None]

    def compared(self, metric: str) -> list[ShownComparison]:
        """Return a metric's comparisons, each pair once, the better model first."""
        sign = -1 if self.is_lower_better(metric) else 1
        found = (row for row in self.comparisons if row.metric == metric)
        return [row if sign * row.difference >= 0 else row.turned for row in found]

    def rows(self, relation: str, **only: str) -> list[Row]:
        """Return a relation's rows with these values in those of the columns that it has."""
        return [
            row
            for row in self.reports[relation]
            if all(row.get(name, value) == value for name, value in only.items())
        ]

    def judged_rows(self, relation: str, **only: str) -> list[Row]:
        """Return a relation's rows by the page's judge, or by all if it has none."""
        return self.rows(relation, judge=self.judge, **only) or self.rows(relation, **only)

    def metric_span(self, metric: str) -> tuple[float, float]:
        """Return the ends of a scale that holds a metric's values and intervals."""
        cells = [cell for _, cell in self.cells(metric)]
        ends = (end for cell in cells for end in (cell.value, cell.low, cell.high))
        return span(ends)

    def own_rows(self, name: str) -> list[Row]:
        """Return the rows of a relation of the suite's folder; none if it has no such file."""
        return self.reports.get(f"{self.suite.name}.{name}", [])

    def slices(self, dimension: str, *metrics: str) -> list[str]:
        """Return a dimension's values that have a cell of one of the metrics.

        They come in the suite's order, or else in natural order.
        """
        return self.in_order(
            dimension,
            (
                value
                for _, metric, (by, value) in self.estimates
                if metric in metrics and by == dimension
            ),
        )

    def in_order(self, dimension: str, values: Iterable[str]) -> list[str]:
        """Sort a dimension's values, each once, in the suite's order or else in natural order."""
        order = self.page.order_of(dimension)
        return sorted(
            set(values),
            key=lambda value: (order.index(value) if value in order else -1, _natural(value)),
        )


# First word of a slice's name -> its rank among other names: before (-1), after (1) or last (2).
_PLACE = {"below": -1, "before": -1, "first": -1, "last": 1, "after": 1, "unknown": 2}


def _natural(text: str) -> list[tuple[int, int | str]]:
    """Return a natural sort key for slice names.

    `2,000` sorts before `10,000`, and `first third` before `last third`.
    """
    return [
        (_PLACE.get(text.partition(" ")[0], 0), ""),
        *(
            (0, int(part)) if part.isdigit() else (1, part)
            for part in re.split(r"(\d+)", text.replace(",", ""))
            if part
        ),
    ]
