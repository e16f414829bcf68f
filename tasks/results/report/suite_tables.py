"""The page's tables of a suite's own reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tasks.results.report.measured import OVERALL, Measured
from tasks.results.report.trial import Table
from tasks.text.shares import share
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb

# Longer cells are cut on the page; `tenkbench sql` shows them in full.
_LONGEST = 80


def suite_tables(warehouse: duckdb.DuckDBPyConnection, measured: Measured) -> list[Table]:
    """Return the suite's reports that have rows for this release.

    Reports with a judge column show only the headline judge.
    """
    about = {"release": measured.release, "suite": measured.suite, "judge": measured.judge}
    tables = []
    for name, shown in measured.page.tables.items():
        relation = report_of(measured.suite, name)
        columns = [column for column, *_ in warehouse.execute(f"describe {relation}").fetchall()]
        given = {key: value for key, value in about.items() if key in columns}
        rows = warehouse.execute(
            f"select {', '.join(shown.columns.values())} from {relation} "
            f"where {' and '.join(f'{key} = ${key}' for key in given)}",
            given,
        ).fetchall()
        if rows:
            texts = [
                [
                    _text(measured, column, value)
                    for column, value in zip(shown.columns.values(), row, strict=True)
                ]
                for row in rows
            ]
            tables.append(
                Table(
                    shown.title,
                    shown.meaning,
                    tuple(shown.columns),
                    tuple(map(tuple, texts)),
                    frozenset(_of_numbers(tuple(shown.columns), rows)),
                )
            )
    return tables


def _text(measured: Measured, column: str, value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return share(value)
    if isinstance(value, int):
        return f"{value:,}"
    text = _part(measured, value) if column == "slice" else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _part(measured: Measured, slice_name: str) -> str:
    """Describe a slice in plain words: `Scenario, by the derivation: comparative`."""
    if slice_name == OVERALL:
        return "All"
    dimension, _, value = slice_name.partition("=")
    words = measured.page
    return (
        f"{words.all_dimensions.get(dimension, dimension)}: {words.slice_value(dimension, value)}"
    )


def _of_numbers(headings: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[str]:
    return [
        heading
        for place, heading in enumerate(headings)
        if all(isinstance(row[place], int | float | None) for row in rows)
    ]
