"""The measured values of one suite and release, typed, best model first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.errors import RunFailed
from tasks.pipeline.settings import place_options
from tasks.results.report.judge_trials import JudgeTrial
from tasks.results.report.unscored import Unscored
from tasks.suites.page import Page
from tasks.suites.suite import Suite
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb

Row = TypeVar("Row")
OVERALL = "overall"
SIGNIFICANT = 0.05


class NothingMeasured(RunFailed):
    """The release has no metrics of the suite yet.

    The message names the commands that compute them.
    """

    def __init__(self, release: str, suite: str) -> None:
        super().__init__(
            f"release {release} has no metrics of {suite} yet; "
            f"`tenkbench run{place_options(release=release, suite=suite)}` makes them"
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """One cell of the metrics.

    The interval is None if too few filings are scored.
    """

    n: int
    n_unscored: int
    value: float | None
    ci_low: float | None
    ci_high: float | None
    worst: float | None
    best: float | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model of the lake.

    A baseline answers by rules and is not a language model.
    """

    name: str
    is_baseline: bool
    engine: str  # the engine and its version
    mean_latency_ms: float | None
    n_calls: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same units of all cases.

    The difference is the first model's value less the other's.
    """

    metric: str
    model: str
    other_model: str
    n: int
    difference: float
    ci_low: float | None
    ci_high: float | None
    p_holm: float | None
    minimum_detectable_difference: float | None

    @property
    def turned(self) -> Comparison:
        """The same comparison with the two models swapped."""
        return replace(
            self,
            model=self.other_model,
            other_model=self.model,
            difference=0.0 - self.difference,
            ci_low=None if self.ci_high is None else 0.0 - self.ci_high,
            ci_high=None if self.ci_low is None else 0.0 - self.ci_low,
        )

    @property
    def ends(self) -> list[float]:
        """The difference, and the ends of its interval if it has one."""
        return [end for end in (self.difference, self.ci_low, self.ci_high) if end is not None]

    @property
    def is_significant(self) -> bool:
        """Whether chance does not readily explain the difference."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of one suite in one release, by one judge.

    Attributes:
        judge: the judge of these figures; `other_judges` rated too.
        rule_judges: judges that are deterministic rules over words and figures.
        parameters: options of the suite's metrics, such as weights.
        metrics: in the page's order; models are ranked by the first.
        models: best first.
        estimates: (model, metric, slice) -> cell.
        other_headlines: (other judge, model) -> the headline metric over all cases.
        paper: model of the suite's paper -> its values by metric.
        statistics: the row of `reports.dataset_statistics`, with the period of the filings. It has
            no number of filings if a published file gave the contexts.
    """

    suite: Suite
    release: str
    judge: str
    other_judges: tuple[str, ...]
    rule_judges: frozenset[str]
    n_judgements: int
    parameters: Mapping[str, Any]
    metrics: tuple[str, ...]
    models: tuple[Candidate, ...]
    estimates: Mapping[tuple[str, str, str], Estimate]
    other_headlines: Mapping[tuple[str, str], Estimate]
    paper: Mapping[str, Mapping[str, float]]
    statistics: Mapping[str, Any]
    comparisons: tuple[Comparison, ...]
    unscored: tuple[Unscored, ...]
    trials: tuple[JudgeTrial, ...]

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
        """Whether the questions come from a published file."""
        return self.statistics["n_filings"] is None

    @property
    def places(self) -> dict[str, int | None]:
        """Each model's place by the headline metric, or None without a value."""
        found = self.places_of([self.of(model.name, self.headline) for model in self.models])
        return {model.name: place for model, place in zip(self.models, found, strict=True)}

    @property
    def of_answers(self) -> str:
        """The metric for single answers."""
        declared = self.page.of_answers
        return declared if declared in self.metrics else self.headline

    @property
    def shown_metrics(self) -> tuple[str, ...]:
        """The metrics of the leaderboard."""
        others = tuple(metric for metric in self.metrics if metric != self.page.of_answers)
        return others or self.metrics

    def is_lower_better(self, metric: str) -> bool:
        """Return whether a metric is better the lower it is."""
        label = self.page.metrics.get(metric)
        return label is not None and label.is_lower_better

    def places_of(self, cells: Sequence[Estimate | None]) -> list[int | None]:
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

    def of(self, model: str, metric: str, slice_name: str = OVERALL) -> Estimate | None:
        """Return a model's cell, or None if it has none."""
        return self.estimates.get((model, metric, slice_name))

    def cells(self, metric: str, slice_name: str = OVERALL) -> list[tuple[Candidate, Estimate]]:
        """Return the models that have a value, with their cells."""
        found = ((model, self.of(model.name, metric, slice_name)) for model in self.models)
        return [(model, cell) for model, cell in found if cell and cell.value is not None]

    def compared(self, metric: str) -> list[Comparison]:
        """Return a metric's comparisons, each pair once, the better model first."""
        sign = -1 if self.is_lower_better(metric) else 1
        found = (row for row in self.comparisons if row.metric == metric)
        return [row if sign * row.difference >= 0 else row.turned for row in found]

    def slices(self, dimension: str, *metrics: str) -> list[str]:
        """Return a dimension's values that have a cell of one of the metrics.

        They come in the suite's order, or else in natural order.
        """
        start, order = f"{dimension}=", self.page.order_of(dimension)
        found = {
            name.removeprefix(start)
            for _, metric, name in self.estimates
            if metric in metrics and name.startswith(start) and "," not in name
        }
        return sorted(
            found, key=lambda value: (order.index(value) if value in order else -1, _natural(value))
        )


def measure(
    warehouse: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    *,
    judges: Sequence[str],
    parameters: Mapping[str, Any],
) -> Measured:
    """Query one release's warehouse for all values of a suite's page.

    Args:
        judges: all judges that rated. The figures are those of the first.
        parameters: options of the suite's metrics, with which they were scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    judge, *other_judges = judges
    about = {"suite": suite.name, "release": release}
    by_judge = about | {"judge": judge}

    def ask(query: str) -> list[tuple[Any, ...]]:
        given = {name: value for name, value in about.items() if f"${name}" in query}
        return warehouse.execute(query, given).fetchall()

    def of_type(row_type: type[Row], rows: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
        names = [field.name for field in fields(row_type)]  # type: ignore[arg-type]
        return tuple(row_type(*(row[name] for name in names)) for row in rows)

    cells = ask(
        "select model, judge, metric, if(slice_by = 'overall', slice_by, slice_by || '=' || "
        "slice_value) as slice, n, n_unscored, value, low as ci_low, high as ci_high, worst, best "
        "from reports.metrics where suite = $suite and release = $release"
    )
    estimates = {
        (model, metric, name): Estimate(*values)
        for model, by, metric, name, *values in cells
        if by == judge
    }
    if not estimates:
        raise NothingMeasured(release, suite.name)
    found = {metric for _, metric, _ in estimates}
    known, paper = suite.page.metrics, suite.page.paper
    metrics = [metric for metric in known if metric in found] + sorted(found - set(known))
    judged = {row["judge"]: row for row in rows_of(warehouse, "reports.judges", about)}
    (first, last, is_dataset), *_ = ask(
        "select min(period_end), max(period_end), bool_and(form = 'dataset') from raw.filings "
        "where release = $release"
    )
    (statistics, *_) = rows_of(warehouse, "reports.dataset_statistics", about)
    measured = Measured(
        suite=suite,
        release=release,
        judge=judge,
        other_judges=tuple(other_judges),
        rule_judges=frozenset(name for name, row in judged.items() if row["is_rules"]),
        n_judgements=judged[judge]["n"],
        parameters=parameters,
        metrics=tuple(metrics),
        models=of_type(
            Candidate,
            (
                row | {"name": row["model"]}
                for row in rows_of(warehouse, "reports.tested_models", about)
            ),
        ),
        estimates=estimates,
        other_headlines={
            (by, model): Estimate(*values)
            for model, by, metric, name, *values in cells
            if by != judge and (metric, name) == (metrics[0], OVERALL)
        },
        paper={
            row["model"]: {metric: row[metric] for metric in metrics if metric in row}
            for row in (rows_of(warehouse, report_of(suite.name, paper.relation)) if paper else ())
        },
        statistics=statistics
        | {"first_period_end": first, "last_period_end": last}
        | ({"n_filings": None} if is_dataset else {}),
        comparisons=tuple(
            row
            for row in of_type(
                Comparison,
                (
                    row | {"ci_low": row["low"], "ci_high": row["high"]}
                    for row in rows_of(
                        warehouse, "reports.comparisons", by_judge | {"slice_by": OVERALL}
                    )
                ),
            )
            if row.difference is not None
        ),
        unscored=of_type(Unscored, rows_of(warehouse, "reports.unscored_reasons", about)),
        trials=of_type(JudgeTrial, rows_of(warehouse, "reports.judge_trials", about)),
    )
    places = measured.places
    ranked = sorted(measured.models, key=lambda m: (places[m.name] or len(places) + 1, m.name))
    return replace(measured, models=tuple(ranked))


def rows_of(
    warehouse: duckdb.DuckDBPyConnection, relation: str, about: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a relation whose columns have these values, in its order."""
    columns = [column for column, *_ in warehouse.execute(f"describe {relation}").fetchall()]
    given = {name: value for name, value in (about or {}).items() if name in columns}
    where = " and ".join(["true", *(f"{name} = ${name}" for name in given)])
    found = warehouse.execute(f"from {relation} where {where}", given).fetchall()
    return [dict(zip(columns, row, strict=True)) for row in found]


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
