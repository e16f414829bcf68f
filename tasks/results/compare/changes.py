"""Changes between two releases: rows, row counts and scores, from the warehouse."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import duckdb

# The tables that are compared, in the order in which a run makes them.
COMPARED_TABLES = ("filings", "documents", "contexts", "qa_pairs", "cases", "rejects")

# The relations that the functions below read, for `open_warehouse(asked=...)`.
ASKED = "from reports.release_rows; from reports.release_changes"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """Row counts of a table, or of one kind, in two releases."""

    table: str
    kind: str | None  # a case's variant, a context's kind, a reject's stage; None for all
    n_before: int
    n_after: int
    n_same: int
    n_changed: int
    n_gone: int
    n_new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """A row of `reports.release_changes`, which documents the fields."""

    model: str
    judge: str
    metric: str
    slice: str
    basis: Literal["all", "shared"]
    n: int
    other_n: int
    n_groups: int
    other_n_groups: int
    value: float
    ci_low: float | None
    ci_high: float | None
    other_value: float
    other_ci_low: float | None
    other_ci_high: float | None
    change: float
    change_low: float | None
    change_high: float | None
    n_lost: int | None
    n_gained: int | None
    p: float | None
    p_holm: float | None
    is_more_than_noise: bool | None


def row_counts(
    connection: duckdb.DuckDBPyConnection, release: str, other_release: str, suite: str
) -> list[RowCounts]:
    """Count each table's rows: first all, then each kind.

    Tables come in the order of `COMPARED_TABLES`.
    """
    rows = connection.execute(
        """
        select
            table_name,
            if(grouping(kind) = 0, kind, null),
            count(*) filter (where change != 'new'),
            count(*) filter (where change != 'gone'),
            count(*) filter (where change = 'same'),
            count(*) filter (where change = 'changed'),
            count(*) filter (where change = 'gone'),
            count(*) filter (where change = 'new')
        from reports.release_rows
        where release = $release and other_release = $other_release and suite in ('all', $suite)
        group by grouping sets ((table_name), (table_name, kind))
        order by list_position($tables, table_name), grouping(kind) desc, kind
        """,
        {
            "release": release,
            "other_release": other_release,
            "suite": suite,
            "tables": list(COMPARED_TABLES),
        },
    ).fetchall()
    names = [field.name for field in fields(RowCounts)]
    return [RowCounts(**dict(zip(names, row, strict=True))) for row in rows]


def score_changes(
    connection: duckdb.DuckDBPyConnection, release: str, other_release: str, suite: str
) -> list[ScoreChange]:
    """Return the changes of all scores that both releases have, overall first."""
    names = [field.name for field in fields(ScoreChange)]
    rows = connection.execute(
        f"""
        select {", ".join(names)}
        from reports.release_changes
        where release = $release and other_release = $other_release and suite = $suite
        order by slice != 'overall', judge, basis, model, metric, slice
        """,
        {"release": release, "other_release": other_release, "suite": suite},
    ).fetchall()
    return [ScoreChange(**dict(zip(names, row, strict=True))) for row in rows]
