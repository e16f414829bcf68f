"""Explain a score: a cell, its cases, and one case in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.rows import Metric
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.opened import narrowed, rows_of
from tasks.suites.registry import load_suite
from tasks.suites.suite import Rating, Suite
from tasks.warehouse.sql_files import CHANGES, has_relation

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """One case with a model's answer and a judge's rating."""

    case_id: str
    variant: str
    query: str  # as asked
    rating: int | None = None
    label: str | None = None
    score: float | None = None
    is_compliant: bool | None
    unscored_reason: str | None = None
    rationale: str | None = None
    answer_read: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One case or pair that a cell counts, with its judged cases."""

    unit_id: str  # of the case or pair
    part: str  # the metric that counts it; for LLM Compliance, one of its two parts
    qa_pair_id: str
    query: str  # of the pair, before any variant
    score: float | None  # 1 holds, 0 fails, a fraction holds in part; None is unscored
    cases: tuple[JudgedCase, ...]  # worst first; of a game, one for each order of the two answers
    other_model: str | None = None  # whom the model was compared with


# --- a cell ------------------------------------------------------------------------------


def find_cell(
    connection: duckdb.DuckDBPyConnection,
    *,
    suite: str,
    release: str | None,
    model: str | None,
    judge: str | None,
    metric: str | None,
    slice_name: str,
    lake: str = RunSettings().lake,
) -> Metric:
    """Find one cell of the written metrics.

    An argument may be None if the metrics have only one value for it; `lake` is for messages.

    Raises:
        RunFailed: the suite has no metrics yet, or not this one.
        WrongUsage: the metrics have no such release, model, judge, metric or slice, or several.
    """
    columns = ", ".join(field.name for field in fields(Metric))
    query = f"select {columns} from reports.metrics where suite = $suite"
    cells = [Metric(**row) for row in rows_of(connection, query, {"suite": suite})]
    if not cells:
        raise RunFailed(
            f"{suite} has no metrics yet; `tenkbench run{_place(lake, suite, release)}` makes them"
        )
    declared = load_suite(suite)
    metrics = {cell.metric for cell in cells}
    if metric is not None and metric in declared.page.metrics.keys() - metrics:
        raise RunFailed(f"{suite} has no {metric} yet; {why_missing(declared, metric)}")
    names = {"release": release, "model": model, "metric": metric, "judge": judge}
    for option, name in (names | {"slice": slice_name}).items():
        cells = narrowed(cells, option, name, attrgetter(option), f"the results of {suite}")
    (cell,) = cells
    return cell


def why_missing(suite: Suite, metric: str) -> str:
    """Say why no model has a metric of the suite; of a rating, which judges give it."""
    if not isinstance(suite.metrics.get(metric), Rating):
        return "no judged answer counts for it"
    judges = [name for name, judge in suite.model_judges.items() if judge.compares]
    return f"it needs a judge of two answers: --judge {' or '.join(judges)}=MODEL"


def _place(lake: str, suite: str, release: str | None) -> str:
    release = release or RunSettings().release
    return place_options(lake=lake, release=release, suite=suite)


def cell_units(
    connection: duckdb.DuckDBPyConnection,
    cell: Metric,
    parameters: Mapping[str, Any] | None = None,
    lake: str = RunSettings().lake,
) -> list[Unit]:
    """Return the units of a cell: failed first, then unscored, then correct.

    Args:
        parameters: options of the suite's metrics. An Elo rating counts only games with the anchor
            that they name.

    Raises:
        RunFailed: the cell counts units, but the lake no longer has them.
    """
    metric = load_suite(cell.suite).metrics.get(cell.metric)
    names = ("suite", "release", "model", "judge", "slice_by", "slice_value")
    place: dict[str, Any] = {name: getattr(cell, name) for name in names}
    place["metrics"] = [cell.metric] if metric is None else [*metric.of]
    place["anchor"] = None  # all games count
    if parameters and isinstance(metric, Rating) and metric.method == "elo":
        place["anchor"] = parameters[metric.anchor]
    units = rows_of(connection, _UNITS, place)
    if not units and cell.n + cell.n_unscored:
        raise RunFailed(
            f"{cell.metric} of {cell.model}, slice {cell.slice}, was computed from "
            f"{cell.n + cell.n_unscored:,} cases or pairs, but release {cell.release} no longer "
            f"holds them; `tenkbench score{_place(lake, cell.suite, cell.release)}` computes its "
            "metrics again"
        )
    return [
        Unit(**unit | {"cases": tuple(JudgedCase(**case) for case in unit["cases"] or ())})
        for unit in units
    ]


def differing(units: Iterable[Unit], other_units: Iterable[Unit]) -> list[Unit]:
    """Return a model's units that exactly one of it and another model gets right."""
    key = attrgetter("part", "unit_id", "other_model")
    scores = {key(unit): unit.score for unit in other_units}
    scored = [unit for unit in units if None not in (unit.score, scores.get(key(unit)))]
    return [unit for unit in scored if unit.score != scores[key(unit)]]


_COLUMNS = ", ".join(f"{field.name} := judged.{field.name}" for field in fields(JudgedCase))
# Failed comes first, then unscored, then correct in part, then correct. Of a game, `other_model` is
# the model that the cell's own was compared with, whichever of the two came first.
_UNITS = f"""
with judged as (

    select
        * exclude (label, other_model),
        label || if(other_model is null, '', ' against ' || other_model) as said,
        if(other_model is null, label, model || ' ' || said) as label,
        if(model = $model, other_model, model) as other_model,
        (if(is_compliant is null, 1, 2 * is_compliant::int), coalesce(rating, 0)) as badness
    from reports.explain
    where release = $release and suite = $suite and judge = $judge
        and $model in (model, other_model)

),

units as (

    select * from staging.cell_units
    where suite = $suite and release = $release and model = $model and judge = $judge
        and slice_by = $slice_by and slice_value = $slice_value
        and list_contains($metrics, metric)
        and ($anchor is null or $anchor in (model, other_model))

),

cases as (

    select
        metric,
        unit_id,
        units.other_model,
        list(struct_pack({_COLUMNS}) order by badness, judged.case_id) as cases,
        list(badness order by badness, judged.case_id) as badness
    from (select *, unnest(case_ids) as case_id from units) as units
    inner join judged
        on units.case_id = judged.case_id
        and units.other_model is not distinct from judged.other_model
    group by all

)

select
    units.unit_id,
    units.metric as part,
    units.qa_pair_id,
    coalesce(qa_pairs.query, '') as query,
    score,
    cases.cases,
    units.other_model
from units
left join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)
left join cases
    on units.metric = cases.metric
    and units.unit_id = cases.unit_id
    and units.other_model is not distinct from cases.other_model
order by
    case when score = 0 then 0 when score is null then 1 else 1 + score end,
    cases.badness nulls first,
    units.qa_pair_id
"""


# --- a case ------------------------------------------------------------------------------


def find_judged(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    *,
    suite: str,
    release: str | None,
    model: str | None,
    judge: str | None,
    lake: str = RunSettings().lake,
) -> list[dict[str, Any]]:
    """Return rows of `reports.explain`: a judged case by its id, or a pair's cases.

    A case comes once per comparison, and the baseline first. Each row has the pair's `evidence`,
    besides citations, and what was `changed` on purpose: the passages before and after, and what a
    good reply is.

    Raises:
        WrongUsage: no such case, pair, release, model or judge exists, or several.
        RunFailed: no answer to it is judged yet.
    """
    if suite not in (others := suites_with(connection, name)):
        raise WrongUsage(
            f"{suite} has no case or pair {name!r}, but {others[0]} has: add --suite {others[0]}"
            if others
            else f"{suite} has no case or pair {name!r}; `tenkbench sql{place_options(lake=lake)} "
            f"\"select case_id, query from raw.cases where suite = '{suite}'\"` lists cases"
        )
    place: dict[str, Any] = {"suite": suite, "name": name}
    judged = rows_of(
        connection,
        "select distinct release, model, judge from staging.judgements as judgements "
        "inner join raw.cases as cases using (release, suite, case_id) "
        "where suite = $suite and $name in (case_id, qa_pair_id)",
        place,
    )
    if not judged:
        raise RunFailed(
            f"no answer to {name} is judged yet; `tenkbench judge{_place(lake, suite, release)}`, "
            "with its models, judges them"
        )
    for option, wanted in {"release": release, "model": model, "judge": judge}.items():
        judged = narrowed(judged, option, wanted, itemgetter(option), f"the judgements of {name}")
    rows = rows_of(
        connection,
        "from reports.explain where suite = $suite and $name in (case_id, qa_pair_id) "
        "and release = $release and judge = $judge and $model in (model, other_model) order by "
        "variant != 'baseline', not is_answerable, variant, model, other_model nulls first",
        place | judged[0],
    )
    return [
        row | {"evidence": _evidence(connection, row), "changed": _changed(connection, row)}
        for row in rows
    ]


def suites_with(connection: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    """Return the suites that have a case or pair of this id."""
    query = "select distinct suite from raw.cases where $name in (case_id, qa_pair_id) order by all"
    return [row["suite"] for row in rows_of(connection, query, {"name": name})]


def _evidence(connection: duckdb.DuckDBPyConnection, row: Mapping[str, Any]) -> dict[str, str]:
    """Map headings to evidence of the pair and the case; empty if the suite has none."""
    rows = connection.execute(
        "select heading, string_agg(said, chr(10) order by place) from suites.evidence where "
        "release = $release and suite = $suite and qa_pair_id = $qa_pair_id "
        "and coalesce(case_id, $case_id) = $case_id group by heading order by heading",
        {name: row[name] for name in ("release", "suite", "qa_pair_id", "case_id")},
    )
    return dict(rows.fetchall())


def _changed(
    connection: duckdb.DuckDBPyConnection, row: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the purposeful change of a case; None if the suite makes none."""
    if not has_relation(row["suite"], CHANGES):
        return None
    query = (
        f"select wanted, passages from {row['suite']}.{CHANGES} "
        "where release = $release and case_id = $case_id"
    )
    place = {name: row[name] for name in ("release", "case_id")}
    return next(iter(rows_of(connection, query, place)), None)
