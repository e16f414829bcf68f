"""All that the page shows of the warehouse, gathered once as JSON-able rows.

No other file of this room queries the warehouse or knows the columns of shared relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.results.opened import rows_of
from tasks.results.report.measured import (
    OVERALL,
    Measured,
    MetricCell,
    NothingMeasured,
    Reports,
    Row,
    ScoredModel,
    ShownComparison,
    Slice,
)
from tasks.results.report.tables import OF_JUDGES, REJECTED
from tasks.suites.page import Scatter
from tasks.suites.suite import Rating, Suite
from tasks.warehouse.sql_files import SHOWN_BY_NAME, has_relation, report_of

if TYPE_CHECKING:
    import duckdb

Typed = TypeVar("Typed")

_METRICS = "reports.metrics"
_OF_EVERY_SUITE = (
    _METRICS,
    "reports.comparisons",
    "reports.earlier_metrics",
    "reports.dataset_statistics",
    "reports.judges",
    "reports.leaderboard",
    "reports.operations",
    "reports.tested_models",
    "reports.judge_trials",
    f"reports.{REJECTED}",
    *OF_JUDGES,
    "raw.filings",
)

# The answers that a page holds, if each case counts as four answers besides its own: a page of some
# 10 MB. Beyond it, whole questions are left out.
MOST_ANSWERS = 44_000
_CASE_ITSELF = 4

# A row is a case, with the answers that the judge rated or could not rate, what others said of it,
# and games: judgements of two answers, of which those with an anchor are shown. A game is not among
# what other judges said, as it tells of no answer whether it is good. Of too many, questions that a
# model failed come first; others are drawn.
_CASES = """
    with cases as (
        select
            qa_pair_id, variant, case_id, query, original_query, target, task, traits,
            is_answerable, context_id, original_context_id, company, cik, form, period_end,
            filed_date, item, filing_id, source_uri, edgar_url,
            list_sort(list(distinct {
                model: model, is_good: is_compliant,
                verdict: if(other_model is null, macros.verdict(rating, label, score), null),
                is_rated: rating is not null,
                unscored_reason: if(other_model is null, unscored_reason, null),
                rationale: if(other_model is null, rationale, null),
                answer: answer, answer_read: answer_read, finish_reason: finish_reason,
                latency_ms: round(latency_ms)::bigint
            }) filter (where judge = $judge)) as answers,
            list({
                model: model, judge: judge, is_good: is_compliant,
                verdict: macros.verdict(rating, label, score),
                said: coalesce(unscored_reason, rationale)
            } order by judge) filter (where other_model is null and judge != $judge) as others,
            list({
                model: model, other_model: other_model, verdict: label,
                is_with_anchor: list_contains($anchors::varchar[], other_model),
                unscored_reason: unscored_reason, rationale: left(rationale, 1500)
            } order by model, other_model)
                filter (where list_contains($anchors::varchar[], other_model)
                    or (other_model is not null and list_contains($anchors::varchar[], model))
                ) as games,
            count(other_model) // 2 - len(coalesce(games, [])) // 2 as n_other_games
        from reports.explain
        where
            suite = $suite and release = $release and (judge = $judge or list_contains(
                if(other_model is null, $others::varchar[], $judges::varchar[]), judge))
        group by all
        having bool_or(judge = $judge or other_model is not null)
    ),
    questions as (
        select
            qa_pair_id, count(*) as n,
            bool_or(list_contains(answers.list_transform(lambda each: each.is_good), false))
                as is_failed
        from cases group by all
    ),
    shown as (
        select qa_pair_id from questions
        qualify $most >= sum(n) over (
            order by is_failed desc nulls last, md5(qa_pair_id), qa_pair_id
        )
    )
    select *, (select count(*) from cases) as n_cases
    from cases semi join shown using (qa_pair_id)
    order by company nulls last, period_end, qa_pair_id,
        coalesce(list_position($variants, variant), 99), variant, case_id
"""
# What shows the answer to a question, and to one of its cases alone (that has its `case_id`).
# Contexts of pairs without citations are not shown, and they may be large.
_QUESTIONS = """
    select qa_pair_id, citations, text, start_char
    from raw.qa_pairs as pairs left join raw.contexts as contexts
        on pairs.release = contexts.release and pairs.suite = contexts.suite
        and pairs.context_id = contexts.context_id and len(citations) > 0
    where pairs.release = $release and pairs.suite = $suite and list_contains($ids, qa_pair_id)
    order by qa_pair_id
"""
_EVIDENCE = """
    select coalesce(case_id, qa_pair_id) as id, heading, list(said order by place) as lines
    from suites.evidence where release = $release and suite = $suite
    group by all order by id, heading
"""


def gather(
    warehouse: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    judges: Sequence[str],
    parameters: Mapping[str, Any],
) -> Reports:
    """Query one release's warehouse for every relation that a suite's page reads.

    `judges` and `parameters` are as in `measured_of`. Returns relation -> rows of the suite and
    release, or of none, as JSON can hold them. Those of `reports.explain` are cases with their
    answers, and only of the judges shown.
    """
    about = {"suite": suite.name, "release": release}
    names = dict.fromkeys((*_OF_EVERY_SUITE, *_own_relations(suite)))
    reports: Reports = {name: _about(warehouse, name, about) for name in names}
    by = judge_of_metrics(reports[_METRICS], suite, judges)
    ratings = [metric for metric in suite.metrics.values() if isinstance(metric, Rating)]
    headline, judge = next(iter(by.items()), ("", judges[0]))
    rated = {row["judge"] for row in reports[_METRICS] if row["metric"] == headline}
    shown = {
        "judge": judge,
        "judges": list(by.values()),
        "others": sorted(rated.intersection(judges) - {judge}),
        "variants": list(suite.page.variants),
        "anchors": sorted({parameters[rating.anchor] for rating in ratings}),
        "most": MOST_ANSWERS // (_CASE_ITSELF + len(reports["reports.tested_models"])),
    }
    cases = reports["reports.explain"] = _rows(warehouse, _CASES, about | shown)
    if all(case["form"] is None for case in cases):  # what ingest left out is no question of theirs
        rejects = f"reports.{REJECTED}"
        reports[rejects] = [row for row in reports[rejects] if row["suite"] == suite.name]
    ids = {"ids": sorted({case["qa_pair_id"] for case in cases})}
    reports["raw.qa_pairs"] = _rows(warehouse, _QUESTIONS, about | ids)
    reports["suites.evidence"] = _rows(warehouse, _EVIDENCE, about)
    return reports


def _about(
    warehouse: duckdb.DuckDBPyConnection, relation: str, about: Mapping[str, Any]
) -> list[Row]:
    """Read a relation's rows of a suite and release, or of none."""
    columns = {name for name, *_ in warehouse.execute(f"describe {relation}").fetchall()}
    # what ingest left out is of all suites
    is_about = {
        "suite": "if(suite = 'all', $suite, suite) = $suite",
        "release": "coalesce(release, $release) = $release",
    }
    where = [condition for name, condition in is_about.items() if name in columns]
    used = {name: value for name, value in about.items() if name in columns}
    return _rows(warehouse, f"from {relation} where {' and '.join(['true', *where])}", used)


def measured_of(
    reports: Reports,
    suite: Suite,
    release: str,
    *,
    judges: Sequence[str],
    parameters: Mapping[str, Any],
) -> Measured:
    """Give gathered rows the page's types, best model first.

    `judges` are all that rated; a metric's figures are those of the first that it has.
    `parameters` are the options with which the suite's metrics were scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    cells = reports[_METRICS]
    judge_of = judge_of_metrics(cells, suite, judges)
    if not judge_of:
        raise NothingMeasured(release, suite.name)
    headline, judge = next(iter(judge_of.items()))
    other_headlines = {
        (row["judge"], row["model"]): _typed(MetricCell, row)
        for row in cells
        if row["judge"] != judge and (row["metric"], _slice(row)) == (headline, OVERALL)
    }
    rated = {other for other, _ in other_headlines}
    measured = Measured(
        suite=suite,
        release=release,
        judge=judge,
        other_judges=tuple(other for other in judges if other in rated),
        judge_of=judge_of,
        parameters=parameters,
        models=tuple(
            _typed(ScoredModel, row | {"name": row["model"]})
            for row in reports["reports.tested_models"]
        ),
        estimates={
            (row["model"], row["metric"], _slice(row)): _typed(MetricCell, row)
            for row in cells
            if row["judge"] == judge_of[row["metric"]]
        },
        other_headlines=other_headlines,
        comparisons=tuple(
            _typed(ShownComparison, row)
            for row in reports["reports.comparisons"]
            if (row["judge"], _slice(row)) == (judge_of.get(row["metric"]), OVERALL)
            and row["difference"] is not None
        ),
        reports=reports,
    )
    return replace(measured, models=tuple(sorted(measured.models, key=measured.rank)))


def judge_of_metrics(cells: Sequence[Row], suite: Suite, judges: Sequence[str]) -> dict[str, str]:
    """Map each metric, in the page's order, to the first of the judges that it has."""
    rated = {(row["metric"], row["judge"]) for row in cells}
    names = {metric for metric, _ in rated}
    order = [*suite.page.metrics, *sorted(names - suite.page.metrics.keys())]
    pairs = [(metric, judge) for metric in order for judge in reversed(judges)]
    return {metric: judge for metric, judge in pairs if (metric, judge) in rated}  # the last stays


def _own_relations(suite: Suite) -> list[str]:
    """Return the relations that a suite's page names, and those that it shows by their names."""
    parts = [part for section in suite.page.sections for part in section.shows]
    named = [part for part in parts if isinstance(part, str)]
    named += [part.curves for part in parts if isinstance(part, Scatter) and part.curves]
    return [
        *(report_of(suite.name, name) for name in named),
        *(f"{suite.name}.{name}" for name in SHOWN_BY_NAME if has_relation(suite.name, name)),
    ]


def _rows(
    warehouse: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, Any]
) -> list[Row]:
    """Return a query's rows with values that JSON has."""
    rows = rows_of(warehouse, query, parameters)
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    value = float(value) if isinstance(value, Decimal) else value
    return None if isinstance(value, float) and isnan(value) else value  # JSON has no such number


def _slice(row: Row) -> Slice:
    return row["slice_by"], row["slice_value"]


def _typed(row_type: type[Typed], row: Row) -> Typed:
    return row_type(**{field.name: row[field.name] for field in fields(row_type)})  # type: ignore[arg-type]
