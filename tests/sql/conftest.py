"""Lakes written row by row, so that what SQL makes of them can be worked out by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.rows import Case, Judgement, QAPair, Request, Response, Sampling
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import Answer
from tasks.warehouse.connection import keep_rows, open_warehouse
from tasks.warehouse.raw_tables import row_types
from tasks.warehouse.sql_files import sql_files
from tests.filled import filled
from tests.scored import RESULTS, results_read, score_into

ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
UNANSWERABLE = ("missing_context", "irrelevant_context")
PERTURBATIONS = ANSWERABLE + UNANSWERABLE


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

    def swap(self, old: Any, *new: Any) -> None:
        """Put other rows in one's place; the old one must be there."""
        holding = [rows for rows in self.rows.values() if old in rows]
        assert holding, old
        for rows in holding:
            place = rows.index(old)
            rows[place : place + 1] = new

    def change(self, row: Any, **changes: Any) -> None:
        """Change columns of a row, which must be there."""
        self.swap(row, replace(row, **changes))

    def drop(self, row: Any) -> None:
        """Take one row out; it must be there."""
        self.swap(row)

    def of(self, row_type: type, **known: Any) -> list[Any]:
        """All rows of one type, or those that have these values."""
        return [
            row
            for (table, *_), rows in self.rows.items()
            if table == table_of(row_type).name
            for row in rows
            if all(getattr(row, name) == value for name, value in known.items())
        ]

    def only(self, row_type: type, **known: Any) -> Any:
        """Return the only row of a type that has these values."""
        (row,) = self.of(row_type, **known)
        return row

    def move_to(self, suite: str) -> None:
        """Make all rows so far another suite's."""
        for (table, release, of), rows in list(self.rows.items()):
            del self.rows[table, release, of]
            self.rows[table, release, suite] = [
                replace(row, suite=suite) if isinstance(row, Case) else row for row in rows
            ]

    def add_release(self, release: str, other: HandmadeLake) -> None:
        """Put a lake of one release in under another name."""
        for (table, _, suite), rows in other.rows.items():
            self.rows[table, release, suite] = rows

    def write(self) -> dict[str, list[str]]:
        """Write every table; table -> files."""
        parts: dict[str, list[str]] = {}
        for (table, release, suite), rows in self.rows.items():
            folder = self.root / table / f"release={release}"
            if suite is not None:
                folder /= f"suite={suite}"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "part-00000.parquet"
            records = [to_record(row) for row in rows]
            schema = arrow_schema(row_types()[table])
            pq.write_table(pa.Table.from_pylist(records, schema=schema), path)
            parts.setdefault(table, []).append(str(path))
        return parts

    def add_pair(
        self,
        name: str,
        task: str = "qa",
        perturbations: tuple[str, ...] = PERTURBATIONS,
        release: str = "dev",
        **traits: str,
    ) -> None:
        """A pair and its cases, `<name>.<variant>`."""
        asked = {"qa_pair_id": name, "query": "What was revenue?"}
        context = f"context of {name}"
        pair = filled(QAPair, **asked, context_id=context, answer="$5 million", task=task)
        self.add(replace(pair, traits=traits), release=release)
        for variant in perturbations:
            case = filled(
                Case,
                **asked,
                case_id=f"{name}.{variant}",
                suite="failsafeqa",
                variant=variant,
                context_id=None if variant == "missing_context" else context,
                target="$5 million",
                is_answerable=variant not in UNANSWERABLE,
            )
            self.add(case, release=release)

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
            row = Judgement(
                judgement_id=f"{case_id} {model} {judge}",
                request_id=f"{case_id} {model}",
                case_id=case_id,
                model=model,
                judge=judge,
                rating=rating,
                unscored_reason="no verdict" if rating is None else None,
            )
            self.add(row, release=release)

    def buy(self, *calls: tuple[Request, Response], after: int | None = None) -> None:
        """Keep answers in the lake's ledger; `after` replaces those up to this number."""
        journal = ResponseCache(self.journal)
        bought = (_answer(request, response, after) for request, response in calls)
        journal.store(*bought).result()
        journal.close()
        self.n_paid += 1

    def open(self, **options: Any) -> duckdb.DuckDBPyConnection:
        """The warehouse over what was added; it is scored if the query reads results."""
        journal = ResponseCache(self.journal)
        asked = options.get("query")
        read = RESULTS if asked is None else results_read(asked)
        if not read:
            return open_warehouse(self.write(), journal=journal, **options)
        connection = open_warehouse(self.write(), journal=journal, **options | {"query": None})
        score_into(connection, options.get("parameters"), read)
        return connection


def _answer(request: Request, response: Response, after: int | None = None) -> Answer:
    assert request.key is not None
    named = {"key": request.key, "model": request.model, "operation": request.operation}
    return Answer(**named, response=response, at=time.time(), after=after)


# Sums up all releases, so it is broken in a lake of its own.
OF_THE_WHOLE = "dollars_add_up"


def name_of_check(relation: str) -> str:
    """Name a check as `ids_are_unique` or `faith.ids_are_unique`."""
    return relation.removeprefix("checks.").replace(".check_", ".")


Breaking = Callable[[HandmadeLake], None]


def numbered(breakings: Mapping[str, Sequence[Breaking]]) -> dict[str, Breaking]:
    """Number the ways of breaking what a check is there for."""
    return {
        f"{check} {number}": breaking
        for check, of_check in breakings.items()
        for number, breaking in enumerate(of_check)
    }


def guilty_releases(
    sound: HandmadeLake, alterations: Mapping[str, Breaking], *folders: str
) -> dict[str, set[str]]:
    """Alter a sound lake in a release each, and map each check to the releases that fail it.

    `sound` is the release without a change. Checks are those of folders of `sql/`, by their names.
    Nothing is scored, so that no release has metrics that its units do not give.
    """
    together = HandmadeLake(sound.root)
    together.add_release("sound", sound)
    for release, alter in alterations.items():
        lake = HandmadeLake(sound.root)
        lake.rows = {key: list(rows) for key, rows in sound.rows.items()}
        alter(lake)
        together.add_release(release, lake)
    files = [file for file in sql_files() if file.is_check and file.folder in folders]
    with open_warehouse(together.write(), journal=ResponseCache(sound.journal)) as connection:
        # many small files are read once for all checks
        for table in {table for table, _, _ in together.rows}:
            keep_rows(connection, f"raw.{table}")
        return {
            name_of_check(file.relation): {
                release
                for (release,) in connection.sql(f"select release from {file.relation}").fetchall()
            }
            for file in files
            if file.name != OF_THE_WHOLE
        }


def rated(*ratings: int | None) -> dict[str, int | None]:
    """Ratings of the seven cases in the paper's order; fewer ratings leave the last cases out."""
    return dict(zip(PERTURBATIONS, ratings, strict=False))


def judged(lake: HandmadeLake, release: str = "dev", first: int = 0, **letters: str) -> None:
    """A pair of its own filing for each letter of a model: r is right everywhere, w wrong.

    u is unscored. Pairs are `p<number>`, from the first one's.
    """
    rating_of = {"r": 5, "w": 1, "u": None}
    for place in range(len(next(iter(letters.values())))):
        name = f"p{first + place}"
        lake.add_pair(name, release=release)
        for model, of_model in letters.items():
            ratings = dict.fromkeys(PERTURBATIONS, rating_of[of_model[place]])
            lake.judge(name, ratings, model=model, release=release)


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
        opened.append(lake.open(query=query, **options))
        if read:
            scored.append((state, read, opened[-1]))
        return opened[-1].execute(query).fetchall()

    yield ask
    for connection in opened:
        connection.close()


def answer_request(case: Case, model: str = "m") -> Request:
    """The request that puts a case to a model."""
    return filled(
        Request,
        request_id=f"{case.case_id} {model}",
        case_id=case.case_id,
        subject_id=case.case_id,
        operation="answer_neutral",
        model=model,
        prefix_id="prefix",
        suffix=case.query,
        sampling=Sampling(temperature=0.0, max_tokens=2048),
        n_prompt_tokens=100,
    )


OK_RESPONSE = Response(
    request_id="",
    status="ok",
    text="$5 million",
    finish_reason="stop",
    n_prompt=100,
    n_output=4,
    attempts=1,
    engine="extractive",
    engine_version="0.1.0",
)


def answered(case: Case, model: str = "m") -> tuple[Request, Response]:
    """The request that puts a case to a model, and an answer."""
    request = answer_request(case, model)
    return request, replace(OK_RESPONSE, request_id=request.request_id)


def bought(name: str, **changes: Any) -> tuple[Request, Response]:
    """A request to a paid model by its name, and the answer; other fields go to their row."""
    known = {"subject_id": "p", "operation": "rating", "model": "paid", "prefix_id": "shared"}
    request = filled(Request, request_id=name, key=f"key of {name}", n_prompt_tokens=100, **known)
    response = replace(
        OK_RESPONSE, request_id=name, engine="litellm", cost_usd=0.25, latency_ms=20.0
    )
    names = {field.name for field in fields(Request)}
    of_request = {field: value for field, value in changes.items() if field in names}
    of_response = {field: value for field, value in changes.items() if field not in names}
    return replace(request, **of_request), replace(response, **of_response)
