"""All that the page shows of the warehouse, gathered once as JSON-able rows.

No other file of this room queries the warehouse or knows the columns of shared relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.results.explain.explain import PUBLISHED
from tasks.results.opened import rows_of
from tasks.results.report.failures import JudgeTrial, Unscored
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
from tasks.suites.suite import Suite
from tasks.warehouse.sql_files import (
    MARKS,
    PAPER_MODELS,
    SHOWN_BY_NAME,
    SHOWN_TABLES,
    has_relation,
    report_of,
)

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
    "reports.tested_models",
    "reports.unscored_reasons",
    "reports.judge_trials",
    f"reports.{REJECTED}",
    *OF_JUDGES,
    "suites.evidence",
    "raw.contexts",
    "raw.filings",
    "raw.qa_pairs",
)

# Contexts of pairs without citations are not shown, and they may be large.
_SHOWN = {
    "raw.contexts": """
        and context_id in (
            select unnest([cases.context_id, qa_pairs.context_id])
            from raw.cases as cases
            inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)
            where len(qa_pairs.citations) > 0
        )
    """,
}

# The answers that a page holds, if each case counts as four answers besides its own: a page of some
# 10 MB. Beyond it, whole questions are left out.
MOST_ANSWERS = 44_000
_CASE_ITSELF = 4

# A row is a case, with the answers that the judge rated or could not rate, and games: judgements of
# two answers. Of too many, questions that a model failed come first; others are drawn.
_CASES = """
    with cases as (
        select
            qa_pair_id, variant, case_id, query, original_query, target, task, traits,
            is_answerable, context_id, original_context_id, company, cik, form, period_end,
            filed_date, item, filing_id, source_uri, edgar_url,
            list_sort(list(distinct {
                model: model, rating: rating, label: if(other_model is null, label, null),
                score: score, is_compliant: is_compliant,
                unscored_reason: if(other_model is null, unscored_reason, null),
                rationale: if(other_model is null, rationale, null),
                answer: answer, answer_read: answer_read, finish_reason: finish_reason,
                latency_ms: latency_ms
            }) filter (where judge = $judge)) as answers,
            list({
                judge: judge, model: model, other_model: other_model, label: label,
                unscored_reason: unscored_reason, rationale: rationale
            } order by model, other_model) filter (where other_model is not null) as games
        from reports.explain
        where
            suite = $suite and release = $release
            and (judge = $judge or (other_model is not null and list_contains($judges, judge)))
        group by all
    ),
    questions as (
        select
            qa_pair_id, count(*) as n,
            bool_or(list_contains(answers.list_transform(lambda each: each.is_compliant), false))
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


def gather(
    warehouse: duckdb.DuckDBPyConnection, suite: Suite, release: str, judges: Sequence[str]
) -> Reports:
    """Query one release's warehouse for every relation that a suite's page reads.

    Returns relation -> rows of the suite and release, or of none, as JSON can hold them. Those of
    `reports.explain` are cases with their answers, and only of the judges shown.
    """
    about = {"suite": suite.name, "release": release}
    of_cases = _relations_of_cases(suite)
    names = dict.fromkeys((*_OF_EVERY_SUITE, *_own_relations(suite)))
    reports: Reports = {
        name: _about(warehouse, name, about, _SHOWN.get(name, ""))
        for name in names
        if name not in of_cases
    }
    by = judge_of_metrics(reports[_METRICS], suite, judges)
    judge = next(iter(by.values()), judges[0])
    shown = about | {
        "judge": judge,
        "judges": list(by.values()),
        "variants": list(suite.page.variants),
    }
    most = MOST_ANSWERS // (_CASE_ITSELF + len(reports["reports.tested_models"]))
    cases = reports["reports.explain"] = _rows(warehouse, _CASES, shown | {"most": most})
    for relation, column in of_cases.items():
        given = about | {"ids": sorted({case[column] for case in cases})}
        where = f" and list_contains($ids, {column})"
        reports[relation] = _about(warehouse, relation, given, where)
    return reports


def _about(
    warehouse: duckdb.DuckDBPyConnection, relation: str, given: Mapping[str, Any], where: str
) -> list[Row]:
    """Read a relation's rows of a suite and release, or of none."""
    columns = [name for name, *_ in warehouse.execute(f"describe {relation}").fetchall()]
    named = {name: value for name, value in given.items() if name in columns or f"${name}" in where}
    # what ingest left out is of all suites
    asked = {"suite": "if(suite = 'all', $suite, suite)", "release": "coalesce(release, $release)"}
    for name in set(columns) & set(asked):
        where += f" and {asked[name]} = ${name}"
    return _rows(warehouse, f"from {relation} where true{where}", named)


def measured_of(
    reports: Reports,
    suite: Suite,
    release: str,
    *,
    judges: Sequence[str],
    parameters: Mapping[str, Any],
) -> Measured:
    """Give gathered rows the page's types, best model first.

    Args:
        judges: all judges that rated. A metric's figures are those of the first that it has.
        parameters: options of the suite's metrics, with which they were scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    cells = reports[_METRICS]
    judge_of = judge_of_metrics(cells, suite, judges)
    if not judge_of:
        raise NothingMeasured(release, suite.name)
    metrics = tuple(judge_of)
    judge = judge_of[metrics[0]]
    estimates = {
        (row["model"], row["metric"], _slice(row)): _typed(MetricCell, row)
        for row in cells
        if row["judge"] == judge_of[row["metric"]]
    }
    other_headlines = {
        (row["judge"], row["model"]): _typed(MetricCell, row)
        for row in cells
        if row["judge"] != judge and (row["metric"], _slice(row)) == (metrics[0], OVERALL)
    }
    paper = reports.get(f"{suite.name}.{PAPER_MODELS}", [])
    judged = {row["judge"]: row for row in reports["reports.judges"]}
    filings, (statistics,) = reports["raw.filings"], reports["reports.dataset_statistics"]
    ends = sorted(row["period_end"] for row in filings if row["period_end"])
    forms = {case["form"] for case in reports["reports.explain"]}
    if forms and forms <= {PUBLISHED, None}:
        statistics = statistics | {"n_filings": None}
    measured = Measured(
        suite=suite,
        release=release,
        judge=judge,
        other_judges=tuple(
            other
            for other in judges
            if other != judge and any(other == rated for rated, _ in other_headlines)
        ),
        judge_of=judge_of,
        rule_judges=frozenset(name for name, row in judged.items() if row["is_rules"]),
        n_judgements=judged[judge]["n"],
        parameters=parameters,
        metrics=metrics,
        models=tuple(
            _typed(ScoredModel, row | {"name": row["model"]})
            for row in reports["reports.tested_models"]
        ),
        estimates=estimates,
        other_headlines=other_headlines,
        paper={row["model"]: row for row in paper},
        statistics=statistics,
        period=(ends[0], ends[-1]) if ends else None,
        comparisons=tuple(
            _typed(ShownComparison, row)
            for row in reports["reports.comparisons"]
            if row["judge"] == judge_of.get(row["metric"])
            and _slice(row) == OVERALL
            and row["difference"] is not None
        ),
        unscored=tuple(_typed(Unscored, row) for row in reports["reports.unscored_reasons"]),
        trials=tuple(_typed(JudgeTrial, row) for row in reports["reports.judge_trials"]),
        reports=reports,
    )
    places = measured.places_of([measured.of(m.name, metrics[0]) for m in measured.models])
    ranked = sorted(
        zip(places, measured.models, strict=True),
        key=lambda found: (found[0] or len(places) + 1, found[1].name),
    )
    return replace(measured, models=tuple(model for _, model in ranked))


def judge_of_metrics(cells: Sequence[Row], suite: Suite, judges: Sequence[str]) -> dict[str, str]:
    """Map each metric, in the page's order, to the first of the judges that it has."""
    judges_of: dict[str, set[str]] = {}
    for row in cells:
        if row["judge"] in judges:
            judges_of.setdefault(row["metric"], set()).add(row["judge"])
    order = [*suite.page.metrics, *sorted(judges_of.keys() - suite.page.metrics.keys())]
    return {
        metric: next(judge for judge in judges if judge in judges_of[metric])
        for metric in order
        if metric in judges_of
    }


def _own_relations(suite: Suite) -> list[str]:
    """Return the relations that a suite's page names, and those that it shows by their names."""
    shown = [each for section in suite.page.sections for each in section.shows]
    named = [
        name
        for each in shown
        for name in (
            (each,)
            if isinstance(each, str)
            else (getattr(each, "relation", None), getattr(each, "curves", None))
        )
    ]
    return [
        *(report_of(suite.name, name) for name in named if name),
        *(f"{suite.name}.{name}" for name in SHOWN_BY_NAME if has_relation(suite.name, name)),
    ]


def _relations_of_cases(suite: Suite) -> dict[str, str]:
    """Map relations that only shown cases need to the column that names a case or its question."""
    columns = {MARKS: "case_id", SHOWN_TABLES: "qa_pair_id"}
    return {
        f"{suite.name}.{name}": column
        for name, column in columns.items()
        if has_relation(suite.name, name)
    }


def _rows(warehouse: duckdb.DuckDBPyConnection, query: str, given: Mapping[str, Any]) -> list[Row]:
    return [plain_row(row) for row in rows_of(warehouse, query, given)]


def plain_row(row: Mapping[str, Any]) -> Row:
    """Give a relation's row values that JSON has."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def _slice(row: Row) -> Slice:
    return row["slice_by"], row["slice_value"]


def _typed(row_type: type[Typed], row: Row) -> Typed:
    return row_type(**{field.name: row[field.name] for field in fields(row_type)})  # type: ignore[arg-type]
