"""The measured values of one suite and release, typed, best model first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.errors import RunFailed
from tasks.results.report.unscored import Unscored
from tasks.suites.page import Page
from tasks.suites.registry import load_suite

if TYPE_CHECKING:
    import duckdb

Row = TypeVar("Row")
OVERALL = "overall"


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
class Published:
    """A model's row in the suite's paper.

    The values are shares of compliant answers by the paper's judge, without intervals.
    """

    model: str
    baseline: float
    robustness: float
    context_grounding: float
    llmc: float


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

    The difference is value - other_value.
    """

    metric: str
    model: str
    other_model: str
    n: int
    value: float | None
    other_value: float | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    p_mcnemar: float | None
    p_clustered: float | None
    p_holm: float | None
    minimum_detectable_difference: float | None


@dataclass(frozen=True, slots=True)
class RatingClasses:
    """How often a model received each rating.

    The counts are separate for expected answers and expected refusals.
    """

    model: str
    expected: str
    n: int
    n_unscored: int
    n_1: int
    n_2: int
    n_3: int
    n_4: int
    n_5: int
    n_6: int


@dataclass(frozen=True, slots=True)
class ContextTokens:
    """Contexts of one kind in one band of 1,000 tokens from `from_tokens`."""

    kind: str
    from_tokens: int
    n: int


@dataclass(frozen=True, slots=True)
class QueryVerb:
    """One verb of the queries with one of its objects."""

    verb: str
    n_verb: int
    object: str | None
    n: int


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
        models: best first, by the headline metric.
        estimates: (model, metric, slice) -> cell.
        other_headlines: (other judge, model) -> the headline metric over all cases.
    """

    suite: str
    page: Page
    release: str
    judge: str
    other_judges: tuple[str, ...]
    rule_judges: frozenset[str]
    n_judgements: int
    beta: float | None  # weight of robustness in LLM Compliance; None if the suite has none
    headline: str
    metrics: tuple[str, ...]
    models: tuple[Candidate, ...]
    estimates: Mapping[tuple[str, str, str], Estimate]
    other_headlines: Mapping[tuple[str, str], Estimate]
    statistics: Statistics
    published: tuple[Published, ...]
    comparisons: tuple[Comparison, ...]
    ratings: tuple[RatingClasses, ...]
    context_tokens: tuple[ContextTokens, ...]
    query_verbs: tuple[QueryVerb, ...]
    unscored: tuple[Unscored, ...]
    rejected: tuple[Rejected, ...]

    @property
    def is_published(self) -> bool:
        """Whether the questions come from a published file."""
        return self.statistics.n_filings is None

    @property
    def places(self) -> dict[str, int | None]:
        """Each model's place by the headline metric, or None without a value."""
        cells = [self.of(model.name, self.headline) for model in self.models]
        found = places_of([None if cell is None else cell.value for cell in cells])
        return {model.name: place for model, place in zip(self.models, found, strict=True)}

    @property
    def shown_metrics(self) -> tuple[str, ...]:
        """The metrics of the leaderboard.

        Compliance is shown only if it is the only metric, since others derive from it.
        """
        return tuple(metric for metric in self.metrics if metric != "compliance") or self.metrics

    @property
    def of_answers(self) -> str:
        """The metric for single answers."""
        return "compliance" if "compliance" in self.metrics else self.headline

    def of(self, model: str, metric: str, slice_name: str = OVERALL) -> Estimate | None:
        """Return a model's cell, or None if it has none."""
        return self.estimates.get((model, metric, slice_name))

    def slices(self, dimension: str, metric: str) -> list[str]:
        """Return a dimension's values that have a cell of the metric.

        They come in the suite's order, or else in natural order.
        """
        start, order = f"{dimension}=", self.page.order.get(dimension, ())
        found = {
            name.removeprefix(start)
            for _, found_metric, name in self.estimates
            if found_metric == metric and name.startswith(start) and "," not in name
        }
        return sorted(
            found, key=lambda value: (order.index(value) if value in order else -1, _natural(value))
        )


def places_of(values: Sequence[float | None]) -> list[int | None]:
    """Rank values from 1 for the highest; equal values share a place.

    A missing value has no place.
    """
    known = [value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other > value for other in known) for value in values
    ]


def measure(
    warehouse: duckdb.DuckDBPyConnection,
    *,
    suite: str,
    release: str,
    judges: Sequence[str],
    beta: float | None,
    answer_operations: Sequence[str],
) -> Measured:
    """Query one release's warehouse for all values of a suite's page.

    Args:
        judges: all judges that rated. The figures are those of the first.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    ask = _Asking(warehouse, {"suite": suite, "release": release})
    cells = ask.rows(
        "select model, judge, metric, slice, n, n_unscored, value, ci_low, ci_high, worst, best "
        "from raw.metrics where suite = $suite and release = $release"
    )
    judge, *other_judges = judges
    if judge not in {by for _, by, *_ in cells}:
        raise NothingMeasured(release, suite)
    estimates = {
        (model, metric, name): Estimate(*values)
        for model, by, metric, name, *values in cells
        if by == judge
    }
    found = {metric for _, metric, _ in estimates}
    words = load_suite(suite).page
    metrics = [metric for metric in words.metrics if metric in found] + sorted(
        found - set(words.metrics)
    )
    headline = metrics[0]

    def rank(model: Candidate) -> tuple[float, str]:
        cell = estimates.get((model.name, headline, OVERALL))
        return (1.0 if cell is None or cell.value is None else -cell.value), model.name

    published = f"{suite}.published"
    return Measured(
        suite=suite,
        page=words,
        release=release,
        judge=judge,
        other_judges=tuple(other_judges),
        rule_judges=frozenset(name for (name,) in ask.rows(_RULE_JUDGES)),
        n_judgements=ask.rows(_N_JUDGEMENTS, judge=judge)[0][0],
        beta=beta,
        headline=headline,
        metrics=tuple(metrics),
        models=tuple(
            sorted(ask.of(Candidate, _CANDIDATES, operations=list(answer_operations)), key=rank)
        ),
        estimates=estimates,
        other_headlines={
            (by, model): Estimate(*values)
            for model, by, metric, name, *values in cells
            if by != judge and (metric, name) == (headline, OVERALL)
        },
        statistics=ask.of(Statistics, _STATISTICS)[0],
        published=tuple(
            ask.of(Published, f"from {published} order by llmc desc, model")
            if beta is not None and ask.has(published)
            else ()
        ),
        comparisons=tuple(
            ask.of(
                Comparison,
                "from reports.comparisons where release = $release and suite = $suite and judge "
                "= $judge and slice = 'overall' order by metric, model, other_model",
                judge=judge,
            )
        ),
        ratings=tuple(
            ask.of(
                RatingClasses,
                "from reports.rating_classes where release = $release and suite = $suite and "
                "judge = $judge",
                judge=judge,
            )
        ),
        context_tokens=tuple(
            ask.of(
                ContextTokens,
                "from reports.context_tokens where release = $release and suite = $suite order "
                "by all",
            )
        ),
        query_verbs=tuple(
            ask.of(
                QueryVerb,
                "from reports.query_verbs where release = $release and suite = $suite "
                "order by n_verb desc, verb, n desc, object",
            )
        ),
        unscored=tuple(
            ask.of(
                Unscored,
                "from reports.unscored_reasons where release = $release and suite = $suite order "
                "by n desc, model, judge, variant, unscored_reason",
            )
        ),
        rejected=tuple(
            ask.of(
                Rejected,
                "from reports.rejects_by_reason where release = $release and suite = $suite "
                "order by n desc, stage, reason",
            )
        ),
    )


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


class _Asking:
    """Queries about one suite and release, with typed rows."""

    def __init__(self, warehouse: duckdb.DuckDBPyConnection, about: Mapping[str, str]) -> None:
        self.warehouse = warehouse
        self.about = about

    def rows(self, query: str, **more: Any) -> list[tuple[Any, ...]]:
        given = {**self.about, **more}
        used = {name: value for name, value in given.items() if f"${name}" in query}
        return self.warehouse.execute(query, used).fetchall()

    def of(self, row_type: type[Row], query: str, **more: Any) -> list[Row]:
        """Return the query's rows as values of the type.

        Columns are selected by its field names.
        """
        columns = ", ".join(f'"{field.name}"' for field in fields(row_type))  # type: ignore[arg-type]
        return [row_type(*row) for row in self.rows(f"select {columns} from ({query})", **more)]

    def has(self, relation: str) -> bool:
        return bool(
            self.rows(
                "select 1 from duckdb_views() where schema_name || '.' || view_name = $relation",
                relation=relation,
            )
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
