"""Explain a score: a cell, its cases, and one case in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed
from tasks.core.rows import Metric
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.explain.names import NoSuchName, narrowed
from tasks.suites.registry import load_suite
from tasks.suites.suite import Derived, Rating
from tasks.warehouse.sql_files import CHANGES, has_relation

if TYPE_CHECKING:
    import duckdb

# The form of a filing that we know only from a published file.
PUBLISHED = "dataset"


class NotThereYet(RunFailed):
    """The result does not exist yet; the message names the command."""


class Outdated(RunFailed):
    """The metrics are older than the lake; the message names the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """One case with a model's answer and a judge's rating."""

    case_id: str
    variant: str
    query: str  # as asked
    rating: int | None
    label: str | None = None
    score: float | None = None
    is_compliant: bool | None
    unscored_reason: str | None
    rationale: str | None = None
    answer_read: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One case or pair that a cell counts, with its judged cases.

    The worst case comes first.
    """

    unit_id: str  # of the case or pair
    part: str  # the metric that counts it; for LLM Compliance, one of its two parts
    qa_pair_id: str
    query: str  # of the pair, before any variant
    score: float | None  # 1 holds, 0 fails, a fraction holds in part; None is unscored
    cases: tuple[JudgedCase, ...]  # of a game, one for each order of the two answers
    other_model: str | None = None  # whom the model was compared with


def company_of(company: str | None, cik: str | None) -> str | None:
    """Return a filing's company name, or else its SEC number."""
    return company or (cik and f"CIK {cik}")


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
        NotThereYet: the suite has no metrics yet.
        NoSuchName: the metrics have no such release, model, judge, metric or slice.
        Ambiguous: there are several, and the arguments do not select one.
    """
    columns = [field.name for field in fields(Metric)]
    rows = connection.execute(
        f"select {', '.join(columns)} from reports.metrics where suite = $suite", {"suite": suite}
    )
    found = [Metric(**dict(zip(columns, row, strict=True))) for row in rows.fetchall()]
    if not found:
        where, place = "", {"lake": lake, "suite": suite}
        if release is not None:
            where, place = f" in release '{release}'", {**place, "release": release}
        raise NotThereYet(
            f"{suite} has no metrics{where} yet; `tenkbench run{place_options(**place)}` makes them"
        )
    for option, wanted in {"release": release, "model": model, "metric": metric}.items():
        found = narrowed(found, option, wanted, attrgetter(option), f"the results of {suite}")
    where = f"the results for {found[0].metric}"
    for option, wanted in {"judge": judge, "slice": slice_name}.items():
        found = narrowed(found, option, wanted, attrgetter(option), where)
    (cell,) = found
    return cell


def part_cells(connection: duckdb.DuckDBPyConnection, cell: Metric) -> list[Metric]:
    """Return the cells that a cell is made of, in its own slice; none if it counts units itself.

    Parts that the suite does not name to readers, such as the bins of a calibration, are left out.
    """
    suite = load_suite(cell.suite)
    columns = [field.name for field in fields(Metric)]
    derived = suite.metrics.get(cell.metric)
    parts = [part for part in parts_of(cell) if part in suite.page.metrics]
    if not isinstance(derived, Derived) or not parts:
        return []
    rows = connection.execute(
        f"select {', '.join(columns)} from reports.metrics where suite = $suite "
        "and release = $release and model = $model and judge = $judge and slice_by = $slice_by "
        "and slice_value = $slice_value and list_contains($parts, metric)",
        {
            name: getattr(cell, name)
            for name in ("suite", "release", "model", "judge", "slice_by", "slice_value")
        }
        | {"parts": parts},
    ).fetchall()
    found = [Metric(**dict(zip(columns, row, strict=True))) for row in rows]
    return sorted(found, key=lambda part: parts.index(part.metric))


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
        lake: for messages.

    Raises:
        Outdated: the cell counts units, but the lake no longer has them.
    """
    units = connection.execute(
        "select metric, unit_id, qa_pair_id, case_ids, score, other_model "
        "from staging.cell_units where suite = $suite and release = $release and model = $model "
        "and judge = $judge and list_contains($metrics, metric) "
        "and slice_by = $slice_by and slice_value = $slice_value",
        {
            name: getattr(cell, name)
            for name in ("suite", "release", "model", "judge", "slice_by", "slice_value")
        }
        | {"metrics": list(parts_of(cell))},
    ).fetchall()
    if not units and cell.n + cell.n_unscored:
        place = place_options(lake=lake, release=cell.release, suite=cell.suite)
        raise Outdated(
            f"{cell.metric} of {cell.model}, slice {cell.slice}, was computed from "
            f"{cell.n + cell.n_unscored:,} cases or pairs, but release {cell.release} no longer "
            f"holds them; `tenkbench score{place}` computes its metrics again"
        )
    metric = load_suite(cell.suite).metrics.get(cell.metric)
    if isinstance(metric, Rating) and metric.method == "elo" and parameters is not None:
        anchor = parameters[metric.anchor]
        units = [unit for unit in units if anchor in (cell.model, unit[-1])]
    compares = any(other is not None for *_, other in units)
    judged, queries = _judged_cases(connection, cell, compares)
    found = [
        Unit(
            unit_id=unit_id,
            part=part,
            qa_pair_id=pair_id,
            query=queries.get(pair_id, ""),
            score=int(score) if score in (0, 1) else score,
            cases=tuple(
                sorted(
                    (case for case_id in case_ids for case in judged.get((case_id, other), ())),
                    key=_badness,
                )
            ),
            other_model=other,
        )
        for part, unit_id, pair_id, case_ids, score, other in units
    ]
    return sorted(found, key=_unit_badness)


def parts_of(cell: Metric) -> tuple[str, ...]:
    """Return the metrics whose units a cell counts: itself, or those that it is made of."""
    derived = load_suite(cell.suite).metrics.get(cell.metric)
    return (cell.metric,) if derived is None else derived.of


def _judged_cases(
    connection: duckdb.DuckDBPyConnection, cell: Metric, compares: bool
) -> tuple[dict[tuple[str, str | None], list[JudgedCase]], dict[str, str]]:
    """Map (case_id, compared model or None) to judged cases, and qa_pair_id to the pair's query."""
    columns = [field.name for field in fields(JudgedCase)]
    rows = connection.execute(
        "select qa_pair_id, original_query, model, other_model, "
        f"{', '.join(columns)} from reports.explain "
        "where release = $release and suite = $suite and judge = $judge and " + _of_model(compares),
        {name: getattr(cell, name) for name in ("release", "suite", "model", "judge")},
    ).fetchall()
    judged: dict[tuple[str, str | None], list[JudgedCase]] = {}
    for _, _, first, second, *values in rows:
        case = JudgedCase(**dict(zip(columns, values, strict=True)))
        other = second if first == cell.model else first
        if second is not None and case.label is not None:
            case = replace(case, label=f"{first} {case.label} against {second}")
        judged.setdefault((case.case_id, other), []).append(case)
    return judged, {row[0]: row[1] for row in rows}


def _of_model(compares: bool) -> str:
    """Write the condition that a model answered, or was compared with the one that did."""
    return "(model = $model or other_model = $model)" if compares else "model = $model"


def _place(score: float | None) -> float:
    """Rank a score: failed, then unscored, then correct in part, then correct."""
    return 1 if score is None else 1 + score if score else 0


def _badness(case: JudgedCase) -> tuple[float, int, str]:
    score = None if case.is_compliant is None else int(case.is_compliant)
    return _place(score), case.rating or 0, case.case_id


def _unit_badness(unit: Unit) -> tuple[float, list[tuple[float, int]], str]:
    return _place(unit.score), [_badness(case)[:2] for case in unit.cases], unit.qa_pair_id


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

    A case comes once per comparison, and the baseline first.

    Raises:
        NoSuchName: no such case, pair, release, model or judge exists.
        NotThereYet: no answer to it is judged yet.
        Ambiguous: there are several, and the arguments do not select one.
    """
    key = _key_of(connection, suite, name, lake)
    found = connection.execute(
        "select distinct judgements.release, judgements.model, judgements.judge from "
        "staging.judgements as judgements inner join raw.cases as cases using (release, suite, "
        f"case_id) where suite = $suite and cases.{key} = $name",
        {"suite": suite, "name": name},
    ).fetchall()
    if not found:
        of = {"lake": lake, "suite": suite} | ({"release": release} if release else {})
        raise NotThereYet(
            f"no answer to {name} is judged yet; `tenkbench judge{place_options(**of)}`, with its "
            "models, judges them"
        )
    given = {"release": release, "model": model, "judge": judge}
    for place, (option, wanted) in enumerate(given.items()):
        found = narrowed(found, option, wanted, itemgetter(place), f"the judgements of {name}")
    ((of_release, of_model, of_judge),) = found
    described = connection.execute("describe reports.explain").fetchall()
    columns = [name for name, *_ in described]
    (compares,) = connection.execute(
        "select count(other_model) > 0 from staging.judgements "
        "where suite = $suite and release = $release and judge = $judge",
        {"suite": suite, "release": of_release, "judge": of_judge},
    ).fetchone()
    # Only equality conditions: with these, DuckDB skips the prompts of other cases.
    rows = connection.execute(
        f"select {', '.join(columns)} from reports.explain where suite = $suite and {key} = $name "
        f"and release = $release and judge = $judge and {_of_model(compares)}",
        {"suite": suite, "name": name, "release": of_release, "model": of_model, "judge": of_judge},
    ).fetchall()
    judged = [dict(zip(columns, row, strict=True)) for row in rows]
    return sorted(
        judged,
        key=lambda row: (
            row["variant"] != "baseline",
            not row["is_answerable"],
            row["variant"],
            row["model"],
            row["other_model"] or "",
        ),
    )


def suites_with(connection: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    """Return the suites that have a case or pair of this id."""
    rows = connection.execute(
        "select distinct suite from raw.cases where case_id = $name or qa_pair_id = $name "
        "order by suite",
        {"name": name},
    ).fetchall()
    return [suite for (suite,) in rows]


def _key_of(connection: duckdb.DuckDBPyConnection, suite: str, name: str, lake: str) -> str:
    """Return the column that contains the name: case_id or qa_pair_id.

    Raises:
        NoSuchName: neither column contains it.
    """
    for key in ("case_id", "qa_pair_id"):
        query = f"from raw.cases where suite = $suite and {key} = $name limit 1"
        if connection.execute(query, {"suite": suite, "name": name}).fetchone():
            return key
    if others := suites_with(connection, name):
        raise NoSuchName(
            f"{suite} has no case or pair {name!r}, but {others[0]} has: add --suite {others[0]}"
        )
    query = f"select case_id, query from raw.cases where suite = '{suite}'"
    raise NoSuchName(
        f"{suite} has no case or pair {name!r}; `tenkbench sql{place_options(lake=lake)} "
        f'"{query}"` lists cases'
    )


def evidence(connection: duckdb.DuckDBPyConnection, row: Mapping[str, Any]) -> dict[str, str]:
    """Map headings to a pair's evidence besides its citations, and to that of the case.

    It is empty if the suite has no such evidence.
    """
    rows = connection.execute(
        "select heading, string_agg(said, chr(10) order by place) from suites.evidence where "
        "release = $release and suite = $suite and qa_pair_id = $qa_pair_id "
        "and coalesce(case_id, $case_id) = $case_id group by heading order by heading",
        {name: row[name] for name in ("release", "suite", "qa_pair_id", "case_id")},
    )
    return dict(rows.fetchall())


def changed_on_purpose(
    connection: duckdb.DuckDBPyConnection, row: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what a good reply is, and passages before and after the change.

    None if the suite does not change cases on purpose.
    """
    if not has_relation(row["suite"], CHANGES):
        return None
    ((wanted, passages),) = connection.execute(
        f"select wanted, passages from {row['suite']}.{CHANGES} "
        "where release = $release and case_id = $case_id",
        {name: row[name] for name in ("release", "case_id")},
    ).fetchall()
    return {"wanted": wanted, "passages": passages}
