"""The measured values of one suite and release, typed, best model first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.errors import RunFailed
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
            f"release {release} has no metrics of {suite} yet; `tenkbench run` or `tenkbench "
            "score` makes them"
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
class Statistics:
    """A suite's size in a release, and the period that it covers.

    Periods are None if filings have no dates. `n_filings` is None for a published dataset, whose
    file does not name the filings behind its contexts.
    """

    n_filings: int | None
    first_period_end: date | None
    last_period_end: date | None
    n_contexts: int
    n_pairs: int
    n_cases: int
    n_rejects: int
    mean_context_tokens: float | None


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
    def is_significant(self) -> bool:
        """Whether chance does not readily explain the difference."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Rejected:
    """A count of rejects by stage and reason."""

    stage: str
    reason: str
    n: int


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
    statistics: Statistics
    comparisons: tuple[Comparison, ...]
    unscored: tuple[Unscored, ...]
    rejected: tuple[Rejected, ...]

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
        return self.statistics.n_filings is None

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
    about = {"suite": suite.name, "release": release, "judge": judge}

    def ask(query: str, **more: Any) -> list[tuple[Any, ...]]:
        given = {name: value for name, value in (about | more).items() if f"${name}" in query}
        return warehouse.execute(query, given).fetchall()

    def ask_for(row_type: type[Row], query: str, **more: Any) -> tuple[Row, ...]:
        columns = ", ".join(f'"{field.name}"' for field in fields(row_type))  # type: ignore[arg-type]
        return tuple(row_type(*row) for row in ask(f"select {columns} from ({query})", **more))

    cells = ask(
        "select model, judge, metric, slice, n, n_unscored, value, ci_low, ci_high, worst, best "
        "from raw.metrics where suite = $suite and release = $release"
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
    measured = Measured(
        suite=suite,
        release=release,
        judge=judge,
        other_judges=tuple(other_judges),
        rule_judges=frozenset(name for (name,) in ask(_RULE_JUDGES)),
        n_judgements=ask(_N_JUDGEMENTS)[0][0],
        parameters=parameters,
        metrics=tuple(metrics),
        models=ask_for(
            Candidate, _CANDIDATES, operations=[operation.name for operation in suite.answers]
        ),
        estimates=estimates,
        other_headlines={
            (by, model): Estimate(*values)
            for model, by, metric, name, *values in cells
            if by != judge and (metric, name) == (metrics[0], OVERALL)
        },
        paper={
            row["model"]: {metric: row[metric] for metric in metrics if metric in row}
            for row in (
                rows_of(warehouse, report_of(suite.name, paper.relation), {}) if paper else ()
            )
        },
        statistics=ask_for(Statistics, _STATISTICS)[0],
        comparisons=ask_for(
            Comparison,
            "from reports.comparisons where release = $release and suite = $suite and judge "
            "= $judge and slice = 'overall' and difference is not null "
            "order by metric, model, other_model",
        ),
        unscored=ask_for(
            Unscored,
            "from reports.unscored_reasons where release = $release and suite = $suite order "
            "by n desc, model, judge, variant, unscored_reason",
        ),
        rejected=ask_for(
            Rejected,
            "from reports.rejects_by_reason where release = $release and suite = $suite "
            "order by n desc, stage, reason",
        ),
    )
    places = measured.places
    ranked = sorted(measured.models, key=lambda m: (places[m.name] or len(places) + 1, m.name))
    return replace(measured, models=tuple(ranked))


def rows_of(
    warehouse: duckdb.DuckDBPyConnection, relation: str, about: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return a relation's rows, in its order, as far as its columns have these values."""
    columns = [column for column, *_ in warehouse.execute(f"describe {relation}").fetchall()]
    given = {name: value for name, value in about.items() if name in columns}
    where = " and ".join(["true", *(f"{name} = ${name}" for name in given)])
    found = warehouse.execute(f"from {relation} where {where}", given).fetchall()
    return [dict(zip(columns, row, strict=True)) for row in found]


_N_JUDGEMENTS = """
select count(*) from staging.judgements
where suite = $suite and release = $release and judge = $judge
"""

_RULE_JUDGES = """
select judgements.judge
from staging.judgements as judgements
inner join raw.responses as responses
    on judgements.release = responses.release
    and judgements.suite = responses.suite
    and judgements.judge_request_id = responses.request_id
where judgements.suite = $suite and judgements.release = $release
group by judgements.judge
having bool_and(responses.engine = 'extractive')
"""

_STATISTICS = """
select
    statistics.* replace (if(filings.are_contexts, null, statistics.n_filings) as n_filings),
    filings.*
from reports.dataset_statistics as statistics
cross join (
    select
        min(period_end) as first_period_end,
        max(period_end) as last_period_end,
        bool_and(form = 'dataset') as are_contexts
    from raw.filings
    where release = $release
) as filings
where statistics.release = $release and statistics.suite = $suite
"""

# Latency and cost cover answering alone, not judging or writing questions. They are rounded, since
# DuckDB adds in any order: the same lake gives the same page.
_CANDIDATES = """
with answered as (

    select
        requests.model as name,
        bool_and(responses.engine = 'extractive') as is_baseline,
        array_to_string(
            list_sort(list(distinct concat_ws(
                ' ', responses.engine, nullif(responses.engine_version, '')
            ))),
            ', '
        ) as engine
    from raw.requests as requests
    inner join raw.responses as responses using (release, suite, request_id)
    where
        requests.suite = $suite
        and requests.release = $release
        and list_contains($operations, requests.operation)
    group by all

),

-- a suite may have several operations that answer
calls as (

    select
        model as name,
        sum(mean_latency_ms * n_calls)
        / sum(n_calls) filter (where mean_latency_ms is not null) as mean_latency_ms,
        sum(n_calls)::bigint as n_calls,
        sum(cost_usd) as cost_usd
    from reports.operations
    where release = $release and suite = $suite and list_contains($operations, operation)
    group by all

)

select
    answered.name,
    answered.is_baseline,
    answered.engine,
    round(calls.mean_latency_ms, 3) as mean_latency_ms,
    coalesce(calls.n_calls, 0) as n_calls,
    round(calls.cost_usd, 6) as cost_usd
from answered
left join calls using (name)
"""


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
