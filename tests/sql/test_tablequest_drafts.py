"""Drafts of TableQuest: sound ones pass the checks, each kind of fault is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tasks.core.rows import Context, FilingTable, QAPair, Reject, Response
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.suites.tablequest import pairs
from tasks.suites.tablequest.rows import Draft, Verification
from tasks.warehouse.sql_files import sql_files
from tests.scripted import response_to
from tests.step_inputs import step_inputs
from tests.written_questions import WRITTEN, snippet, verifier, writer

ROW_TYPES = (Context, FilingTable, QAPair, Reject, Response, Draft, Verification)
CELLS = (("", "2021", "2020"), ("Net sales", "$1,250", "$1,291"), ("Cost of sales", "820", "905"))


def built() -> list[Any]:
    """The rows of a release: of one snippet all is kept, another has a lie and a failed round."""

    def says(operation: str, text: str) -> Any:
        said = WRITTEN[operation]
        if not text.startswith("two"):
            return said
        if operation == "write_hard":
            return "No."
        lie = {"answer": "3.2%"} if operation == "write_medium" else {}
        return said | {"question": f"{said['question']} (again)"} | lie

    contexts = [snippet("one", "filing"), snippet("two", "filing")]
    rows: list[Any] = [*contexts]
    engines = {"generator": [writer(says)], "verifier": [verifier()]}
    rows += pairs.build_drafts(step_inputs("tablequest", shard=contexts, engines=engines))
    rows += pairs.build_pairs(step_inputs("tablequest", *rows))
    asked = [
        call for engine in (*engines["generator"], *engines["verifier"]) for call in engine.calls
    ]
    rows += [response_to(call, "{}") for call in asked]
    for context in contexts:
        rows.append(
            FilingTable(
                table_id=f"{context.context_id} table",
                document_id="filing",
                item="7",
                table_index=0,
                pre_text="",
                cells=CELLS,
                html=None,
                scale="millions",
                start_char=0,
                end_char=1,
            )
        )
    return rows


ROWS = built()


def ask(name: str, rows: list[Any]) -> list[dict[str, Any]]:
    """Query a file of TableQuest's SQL over rows of one release."""
    with duckdb.connect() as connection:
        connection.execute("create schema raw; create schema tablequest")
        for row_type in ROW_TYPES:
            records = [to_record(row) for row in rows if type(row) is row_type]
            loaded = pa.Table.from_pylist(records, schema=arrow_schema(row_type))  # noqa: F841
            table = table_of(row_type).name
            connection.execute(
                f"create table raw.{table} as "
                "select 'dev' as release, 'tablequest' as suite, * from loaded"
            )
        connection.execute(f"create view tablequest.draft_operands as {_sql('draft_operands')}")
        found = connection.execute(_sql(name))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _sql(name: str) -> str:
    return next(file.text for file in sql_files() if file.relation == f"tablequest.{name}")


def draft(level: str, context_id: str = "one") -> Draft:
    (found,) = (
        row
        for row in ROWS
        if isinstance(row, Draft) and (row.level, row.context_id) == (level, context_id)
    )
    return found


def swapped(old: Any, new: Any) -> list[Any]:
    assert old in ROWS
    return [new if row is old else row for row in ROWS]


CHECKS = (
    "check_operands_are_cells_of_their_tables",
    "check_drafts_are_pairs_or_rejects",
    "check_ids_are_unique",
    "check_parents_exist",
)


@pytest.mark.parametrize("check", CHECKS)
def test_sound_rows_pass(check: str) -> None:
    assert ask(check, ROWS) == []


EASY, MEDIUM = draft("easy"), draft("medium")
(CELL,) = EASY.operands


@pytest.mark.parametrize(
    "other", [{"column": 2}, {"row": 9}, {"table_index": 2}, {"text": "1,250"}]
)
def test_a_cell_that_is_not_the_filings_is_named(other: dict[str, Any]) -> None:
    lie = replace(EASY, operands=(replace(CELL, **other),))
    (fault,) = ask(CHECKS[0], swapped(EASY, lie))
    assert fault["draft_id"] == EASY.draft_id


def test_a_draft_that_is_both_a_pair_and_a_reject_or_neither_is_named() -> None:
    pair = next(row for row in ROWS if isinstance(row, QAPair))
    reject = next(row for row in ROWS if isinstance(row, Reject) and row.stage == "qa_pairs")
    warmup = draft("warmup")
    for rows in (
        [row for row in ROWS if row is not pair],
        [row for row in ROWS if row is not reject],
        [*ROWS, replace(reject, parent_id=EASY.draft_id)],
        [*ROWS, replace(reject, parent_id=warmup.draft_id)],
        swapped(warmup, replace(warmup, qa_pair_id="pair")),
        swapped(EASY, replace(EASY, proved=False, unproved_reason="so")),
    ):
        assert len(ask(CHECKS[1], rows)) == 1
