"""Answers of a first-edition lake: copied once, and then no run on the new lake sends them."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import orjson
import pyarrow as pa
import pytest

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.cache.first_edition import import_answers
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import Call
from tasks.lake.objects import open_objects
from tests.journals import saying
from tests.kept import FIVE, Sending, answered, echo, timeless
from tests.objects_in_memory import ObjectsInMemory

# As the first edition made it.
OLD_SCHEMA = """
create table answers (
    key text not null, model text not null, operation text not null, added_at real not null,
    superseded_at real, request_id text not null, status text not null, text text,
    finish_reason text, n_prompt integer, n_cached integer, n_output integer, latency_ms real,
    attempts integer not null, error_type text, error text, engine text not null,
    engine_version text not null, cost_usd real
);
create unique index answer_of_key on answers (key) where superseded_at is null;
create table deaths (key text primary key, n integer not null) without rowid;
create table exported (
    request_id text primary key, key text not null, model text not null, operation text not null,
    n_prompt_tokens integer not null, price text, file text not null, exported_at real not null,
    imported_at real
) without rowid;
pragma application_id = 1952146026;
pragma user_version = 2;
"""
OLD_COLUMNS = [
    "request_id",
    "status",
    "text",
    "finish_reason",
    "n_prompt",
    "n_cached",
    "n_output",
    "latency_ms",
    "attempts",
    "error_type",
    "error",
    "engine",
    "engine_version",
    "cost_usd",
]


def old_file(lake: Path, kept: Sequence[tuple[str, str, float | None, Response]]) -> None:
    """Write (key, operation, superseded at, answer) as the first edition did."""
    path = lake / "_ledger" / "journal.sqlite"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.executescript(OLD_SCHEMA)
        for key, operation, superseded_at, response in kept:
            values = [getattr(response, column) for column in OLD_COLUMNS]
            database.execute(
                (
                    "insert into answers values (?, 'scripted', ?, "
                    f"1000.0, ?, {', '.join('?' * len(values))})"
                ),
                [key, operation, superseded_at, *values],
            )
        database.execute("insert into deaths values ('a suspect', 1)")
    database.close()


def asked_once(tmp_path: Path) -> list[tuple[Call, Response]]:
    """Five questions and their primers, asked and answered somewhere else."""
    elsewhere = ResponseCache(tmp_path / "elsewhere" / "journal.sqlite")
    settled = answered(Client(Sending(echo), elsewhere, primes=True), FIVE)
    elsewhere.close()
    return settled


def test_a_run_on_the_new_lake_sends_nothing_and_has_the_same_rows(
    tmp_path: Path, journal: ResponseCache
) -> None:
    settled = asked_once(tmp_path)
    kept = [(call.key, call.request.operation, None, response) for call, response in settled]
    superseded = (kept[0][0], kept[0][1], 2000.0, saying("older"))
    old_file(tmp_path / "old", [superseded, *kept])
    old = open_objects(str(tmp_path / "old"))
    assert import_answers(old, journal) == (7, 0)
    assert import_answers(old, journal) == (0, 7)
    engine = Sending(echo)
    assert timeless(answered(Client(engine, journal, primes=True), FIVE)) == timeless(settled)
    assert engine.calls == []
    assert journal.find([kept[0][0]], journal.latest()) == {}


def test_a_lake_in_s3_is_read_from_its_log(tmp_path: Path, journal: ResponseCache) -> None:
    settled = asked_once(tmp_path)
    storage = ObjectsInMemory()
    storage.contents["_ledger/log/format.json"] = b'{"version": 1, "id": "x"}\n'
    for number, (call, response) in enumerate(settled, 1):
        answer = {
            "key": call.key,
            "model": "scripted",
            "operation": call.request.operation,
            "response": dataclasses.asdict(response),
            "since": None,
        }
        records = [{"sealed": {"by": "w", "n": number, "at": 1.0}}, {"died": {"keys": ["k"]}}]
        records.append({"kept": {"answer": answer, "at": 1000.0}})
        lines = b"".join(orjson.dumps(record) + b"\n" for record in records)
        storage.contents[f"_ledger/log/{number:08d}.jsonl.zst"] = pa.compress(
            lines, "zstd", asbytes=True
        )
    assert import_answers(storage, journal) == (7, 0)
    engine = Sending(echo)
    assert timeless(answered(Client(engine, journal, primes=True), FIVE)) == timeless(settled)
    assert engine.calls == []


def test_a_lake_without_answers_is_named(tmp_path: Path, journal: ResponseCache) -> None:
    with pytest.raises(RunFailed, match="does not exist"):
        import_answers(open_objects(str(tmp_path / "none")), journal)
    with pytest.raises(RunFailed, match="no model answers"):
        import_answers(ObjectsInMemory(), journal)
