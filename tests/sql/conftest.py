"""Lakes written row by row, so that what SQL makes of them can be worked out by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.rows import Case, Judgement, QAPair, Request, Response, Sampling
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import Answer, Charged, Kept
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.raw_tables import row_types
from tests.scored import RESULTS, results_read, score_into
from tests.sql import rated

PERTURBATIONS = (
    "baseline",
    "misspelled",
    "incomplete",
    "out_of_domain",
    "ocr",
    "missing_context",
    "irrelevant_context",
)


class HandmadeLake:
    """Rows by table, release and suite, written to Parquet when the warehouse is opened."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.journal = root / "_ledger" / "journal.sqlite"
        self.rows: dict[tuple[str, str, str | None], list[Any]] = {}
        self.n_paid = 0  # times that something was kept in the ledger

    def add(self, *rows: Any, release: str = "dev", suite: str | None = "failsafeqa") -> None:
        """Put rows into their table."""
        for row in rows:
            self.rows.setdefault((table_of(type(row)).name, release, suite), []).append(row)

    def swap(self, old: Any, new: Any) -> None:
        """Put one row in another's place; the old one must be there."""
        found = [rows for rows in self.rows.values() if old in rows]
        assert found, old
        for rows in found:
            rows[rows.index(old)] = new

    def drop(self, row: Any) -> None:
        """Take one row out; it must be there."""
        found = [rows for rows in self.rows.values() if row in rows]
        assert found, row
        for rows in found:
            rows.remove(row)

    def of(self, row_type: type) -> list[Any]:
        """All rows of one type."""
        return [
            row
            for (table, *_), rows in self.rows.items()
            if table == table_of(row_type).name
            for row in rows
        ]

    def move_to(self, suite: str) -> None:
        """Make all rows so far another suite's."""
        for (table, release, of), rows in list(self.rows.items()):
            del self.rows[table, release, of]
            self.rows[table, release, suite] = [
                replace(row, suite=suite) if isinstance(row, Case) else row for row in rows
            ]

    def write(self) -> dict[str, list[str]]:
        """Write every table; table -> files."""
        parts: dict[str, list[str]] = {}
        for (table, release, suite), rows in self.rows.items():
            folder = self.root / table / f"release={release}"
            if suite is not None:
                folder /= f"suite={suite}"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "part-00000.parquet"
            schema = arrow_schema(row_types()[table])
            pq.write_table(
                pa.Table.from_pylist([to_record(row) for row in rows], schema=schema), path
            )
            parts.setdefault(table, []).append(str(path))
        return parts

    def add_pair(
        self,
        name: str,
        task: str = "qa",
        perturbations: tuple[str, ...] = PERTURBATIONS,
        release: str = "dev",
    ) -> None:
        """A pair and its cases, `<name>.<variant>`."""
        self.add(
            QAPair(
                qa_pair_id=name,
                context_id=f"context of {name}",
                query="What was revenue?",
                answer="$5 million",
                task=task,  # type: ignore[arg-type]
                quality=5,
            ),
            release=release,
        )
        for variant in perturbations:
            self.add(
                Case(
                    case_id=f"{name}.{variant}",
                    qa_pair_id=name,
                    suite="failsafeqa",
                    variant=variant,
                    query="What was revenue?",
                    context_id=None if variant == "missing_context" else f"context of {name}",
                    target="$5 million",
                    is_answerable=variant not in ("missing_context", "irrelevant_context"),
                ),
                release=release,
            )

    def judge(
        self,
        name: str,
        ratings: dict[str, int | None],
        model: str = "m",
        judge: str = "j",
        release: str = "dev",
    ) -> None:
        """Ratings of a pair's cases; None is unscored."""
        for variant, rating in ratings.items():
            case_id = f"{name}.{variant}"
            self.add(
                Judgement(
                    judgement_id=f"{case_id} {model} {judge}",
                    request_id=f"{case_id} {model}",
                    case_id=case_id,
                    model=model,
                    judge=judge,
                    rating=rating,
                    unscored_reason="no verdict" if rating is None else None,
                ),
                release=release,
            )

    def buy(self, *calls: tuple[Request, Response], after: int | None = None) -> None:
        """Keep answers in the lake's ledger; `after` replaces those up to this number."""
        journal = ResponseCache(self.journal)
        now = time.time()
        bought = (Kept(_answer(request, response, after), now) for request, response in calls)
        journal.store(*bought).result()
        journal.close()
        self.n_paid += 1

    def charge(self, request: Request, failure: Response) -> None:
        """Have the lake's ledger count a failure that was charged for."""
        journal = ResponseCache(self.journal)
        journal.store(Charged(_answer(request, failure), time.time())).result()
        journal.close()
        self.n_paid += 1

    def open(self, **options: Any) -> duckdb.DuckDBPyConnection:
        """The warehouse over what was added; it is scored if the query reads results."""
        journal = ResponseCache(self.journal)
        asked = options.get("asked")
        read = RESULTS if asked is None else results_read(asked)
        if not read:
            return open_warehouse(self.write(), journal=journal, **options)
        connection = open_warehouse(self.write(), journal=journal, **options | {"asked": None})
        score_into(connection, options.get("parameters"), read)
        return connection


def _answer(request: Request, response: Response, after: int | None = None) -> Answer:
    assert request.key is not None
    return Answer(
        key=request.key,
        model=request.model,
        operation=request.operation,
        response=response,
        after=after,
    )


@pytest.fixture(scope="session")
def handmade() -> type[HandmadeLake]:
    """The class, for tests that need more than one lake."""
    return HandmadeLake


@pytest.fixture
def lake(tmp_path: Path) -> HandmadeLake:
    """An empty hand-made lake."""
    return HandmadeLake(tmp_path)


@pytest.fixture
def asked(lake: HandmadeLake) -> Iterator[Callable[..., list[tuple]]]:
    """Write the lake, open its warehouse and ask it one question; options go to the warehouse.

    A lake that has not changed since it was scored is not scored again.
    """
    opened: list[duckdb.DuckDBPyConnection] = []
    scored: list[tuple[Any, set[str], duckdb.DuckDBPyConnection]] = []

    def ask(query: str, **options: Any) -> list[tuple]:
        state = ({key: list(rows) for key, rows in lake.rows.items()}, lake.n_paid, options)
        read = results_read(query)
        if read and scored and scored[-1][0] == state and scored[-1][1] >= read:
            return scored[-1][2].execute(query).fetchall()
        opened.append(lake.open(asked=query, **options))
        if read:
            scored.append((state, read, opened[-1]))
        return opened[-1].execute(query).fetchall()

    yield ask
    for connection in opened:
        connection.close()


def answer_request(case: Case, model: str = "m") -> Request:
    """The request that puts a case to a model."""
    return Request(
        request_id=f"{case.case_id} {model}",
        case_id=case.case_id,
        subject_id=case.case_id,
        operation="answer_neutral",
        model=model,
        prefix_id="prefix",
        suffix=case.query,
        fields=(),
        sampling=Sampling(temperature=0.0, max_tokens=2048),
        prompt_sha256="0" * 64,
        n_prompt_tokens=100,
        key=None,
        repairs=None,
        shard=0,
        seq=0,
    )


OK_RESPONSE = Response(
    request_id="",
    status="ok",
    text="$5 million",
    finish_reason="stop",
    n_prompt=100,
    n_cached=None,
    n_output=4,
    latency_ms=None,
    attempts=1,
    error_type=None,
    error=None,
    engine="extractive",
    engine_version="0.1.0",
    cost_usd=None,
)


@pytest.fixture(scope="session")
def answered() -> Callable[[Case], tuple[Request, Response]]:
    """A case -> the request that puts it to model `m`, and an answer."""

    def answer(case: Case) -> tuple[Request, Response]:
        request = answer_request(case)
        return request, replace(OK_RESPONSE, request_id=request.request_id)

    return answer


@pytest.fixture(scope="session")
def bought() -> Callable[..., tuple[Request, Response]]:
    """Make a request to a paid model by its name, and the answer; other fields go to their row."""

    def buy(name: str, **changes: Any) -> tuple[Request, Response]:
        request = Request(
            request_id=name,
            case_id=None,
            subject_id="p",
            operation="rating",
            model="paid",
            prefix_id="shared",
            suffix="",
            fields=(),
            sampling=Sampling(temperature=0.0, max_tokens=16),
            prompt_sha256="0" * 64,
            n_prompt_tokens=100,
            key=f"key of {name}",
            repairs=None,
            shard=0,
            seq=0,
        )
        response = replace(
            OK_RESPONSE, request_id=name, engine="litellm", cost_usd=0.25, latency_ms=20.0
        )
        of_request = {field: value for field, value in changes.items() if hasattr(request, field)}
        of_response = {field: value for field, value in changes.items() if field not in of_request}
        return replace(request, **of_request), replace(response, **of_response)

    return buy


@pytest.fixture
def answers(
    lake: HandmadeLake, answered: Callable[[Case], tuple[Request, Response]]
) -> list[Request]:
    """Three models answer three cases of one pair of each of twelve filings (contexts here)."""
    requests = []
    for filing in range(rated.N_FILINGS):
        lake.add_pair(f"p{filing}", perturbations=rated.PERTURBATIONS)
    for case in lake.of(Case):
        for model in rated.MODELS:
            request, response = answered(case)
            request = replace(request, request_id=f"{case.case_id} {model}", model=model)
            lake.add(request, replace(response, request_id=request.request_id, text=rated.ANSWER))
            requests.append(request)
    return requests
