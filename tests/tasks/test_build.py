"""A build holds a part in memory, whatever the number of filings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.build import build_shard
from tasks.core.rows import Context, Document, Filing, FilingTable, Reject, Request, Response
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Lake, Part
from tasks.pipeline.plan import plan_build
from tasks.pipeline.resolved import ResolvedRun, resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import plan_ingest
from tasks.pipeline.steps import committed
from tasks.suites.shared.contexts import context_of as make_context
from tasks.suites.suite import StepInputs
from tests.built import build_steps, ingest_files

N_FILINGS = 5


def ingest_copies(run: ResolvedRun) -> None:
    """Write copies of a sample as ingest does, each a part of its own."""
    sample = sample_folder() / "brackwater-2018.htm"
    parsed = read_filing(
        FilingSource(uri="a.htm", data=sample.read_bytes(), encoding="cl100k_base")
    )
    assert isinstance(parsed, ParsedFiling)
    planned = plan_ingest(run)
    parts = [planned.write(Reject, [], suite="all", stage="ingest")]
    for shard in range(N_FILINGS):
        filing = replace(parsed.filing, filing_id=str(shard))
        document = replace(parsed.document, filing_id=str(shard), document_id=str(shard))
        tables = [
            replace(table, document_id=str(shard), table_id=f"{shard} {table.table_index}")
            for table in parsed.tables
        ]
        for row_type, rows in ((Filing, [filing]), (Document, [document]), (FilingTable, tables)):
            parts.append(planned.write(row_type, rows, shard))
    planned.commit(parts)


def build(lake: Path, run: object) -> list[Part]:
    """Run a function as a step that makes contexts; each filing is a part of ingest."""
    resolved = resolve(RunSettings(lake=str(lake), workers=1))
    ingest_copies(resolved)
    step = replace(resolved.build[0], run=run)
    return build_shard.fn(resolved, plan_build(resolved, step), step, 0, 1)


def test_a_part_is_written_as_soon_as_it_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.suites.suite.CONTEXTS_OF_A_PART", 2)
    written: list[int] = []

    def run(inputs: StepInputs) -> Iterator[Context]:
        for document in inputs.rows(Document):
            written.append(len([*tmp_path.rglob("contexts/**/*.parquet")]))
            yield make_context("some", document.text, document, encoding=inputs.encoding)

    parts = build(tmp_path, run)
    assert written == [0, 0, 1, 1, 2]
    assert [part.n_rows for part in parts] == [2, 2, 1]


def test_a_part_is_dropped_before_the_next_one_is_read(tmp_path: Path) -> None:
    held: list[list[list[object]]] = []

    def run(inputs: StepInputs) -> Iterator[Context]:
        for read in inputs.parts(Document, FilingTable):
            assert all(read)
            assert not any(rows for before in held for rows in before)
            held.append([*read])
        yield from ()

    build(tmp_path, run)
    assert len(held) == N_FILINGS


def test_calls_are_written_as_soon_as_they_fill_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a stream of calls for each context
    step = "tasks.suites.failsafeqa.perturbations.irrelevant_context"
    monkeypatch.setattr(f"{step}.CONTEXTS_OF_A_PART", 1)
    run = RunSettings(lake=str(tmp_path), workers=1)
    ingest_files(run)
    build_steps(run)
    lake, name = Lake(tmp_path), "failsafeqa.build.cases.irrelevant_context"

    def calls() -> tuple[int, list[tuple[Request, Response]]]:
        commit = committed(lake, run, name)
        answers = {answer.request_id: answer for answer in lake.read(commit, Response)}
        asked = sorted(lake.read(commit, Request), key=lambda request: request.seq)
        rows = [(request, answers[request.request_id]) for request in asked]
        return len(commit.parts_of("requests")), rows

    n_parts, whole = calls()
    monkeypatch.setattr("tasks.pipeline.steps._CALLS_OF_A_PART", 1)
    build_steps(replace(run, force=True), "cases.irrelevant_context")
    n_more_parts, divided = calls()
    assert n_more_parts > n_parts == 1
    assert divided == whole
