"""Records: what is written into a journal, and what each does to the tables that it is read from.

The tables follow from the records and their order alone, so machines that apply the same records in
the same order have the same journal.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from tasks.core.rows import Response

KIND = 0x746B626A
VERSION = 2
SCHEMA = """
create table if not exists answers (
    key text not null,
    model text not null,
    operation text not null,
    added_at real not null,         -- seconds since 1970
    superseded_at real,             -- null: this is the key's answer
    request_id text not null,       -- of the request that bought it
    status text not null,
    text text,
    finish_reason text,
    n_prompt integer,
    n_cached integer,
    n_output integer,
    latency_ms real,
    attempts integer not null,
    error_type text,
    error text,
    engine text not null,
    engine_version text not null,
    cost_usd real
);
create unique index if not exists answer_of_key on answers (key) where superseded_at is null;

create table if not exists deaths (
    key text primary key,           -- of a call that has no answer yet
    n integer not null              -- deaths of its server at which it was in flight
) without rowid;

create table if not exists exported (
    request_id text primary key,
    key text not null,
    model text not null,
    operation text not null,
    n_prompt_tokens integer not null,
    price text,                     -- JSON; null: nothing is paid per token
    file text not null,
    exported_at real not null,
    imported_at real                -- null: its reply is awaited
) without rowid;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer as it is bought.

    `since` (seconds since 1970) lets it take the place of a kept answer from before then.
    """

    key: str
    model: str
    operation: str
    response: Response
    since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One call that was written to a file, for others to have it answered."""

    request_id: str
    key: str
    model: str
    operation: str
    n_prompt_tokens: int  # as estimated for the model
    price: str | None  # JSON
    file: str
    exported_at: float  # seconds since 1970
    imported_at: float | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer was bought: its key's for good, unless there is one."""

    answer: Answer
    at: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Charged:
    """A failure was charged for and will be asked again: it stands in the accounts, and answers nobody."""

    failure: Answer
    at: float  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Died:
    """A server died while the calls of these keys were in flight to it."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Calls were written to a file."""

    calls: tuple[Exported, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """The replies to exported requests were taken in."""

    request_ids: tuple[str, ...]
    at: float  # seconds since 1970


Record = Kept | Charged | Died | Written | Imported

RESPONSE_COLUMNS = tuple(field.name for field in dataclasses.fields(Response))
EXPORTED_COLUMNS = tuple(field.name for field in dataclasses.fields(Exported))

# --- applied to the tables -----------------------------------------------------------------

_SUPERSEDE = "update answers set superseded_at = ? where key = ? and superseded_at is null and added_at < ?"
# one that comes second stands beside the first from the start
_KEEP = (
    f"insert into answers (key, model, operation, added_at, superseded_at, {', '.join(RESPONSE_COLUMNS)}) "
    "values (?, ?, ?, ?, (select ? from answers where key = ? and superseded_at is null), "
    f"{', '.join('?' * len(RESPONSE_COLUMNS))})"
)
_CHARGE = (
    f"insert into answers (key, model, operation, added_at, superseded_at, {', '.join(RESPONSE_COLUMNS)}) "
    f"values (?, ?, ?, ?, ?, {', '.join('?' * len(RESPONSE_COLUMNS))})"
)
_CURRENT = f"select {', '.join(RESPONSE_COLUMNS)} from answers where key = ? and superseded_at is null"
_ADD_DEATH = "insert into deaths (key, n) values (?, 1) on conflict (key) do update set n = n + 1"
_EXPORT = (
    f"insert or replace into exported ({', '.join(EXPORTED_COLUMNS)}) "
    f"values ({', '.join('?' * len(EXPORTED_COLUMNS))})"
)
_IMPORT = "update exported set imported_at = ? where request_id = ?"


def apply(database: sqlite3.Connection, record: Record) -> None:
    """Change the tables as a record says."""
    match record:
        case Kept(answer, at):
            database.execute("delete from deaths where key = ?", [answer.key])
            if answer.since is not None:
                database.execute(_SUPERSEDE, [at, answer.key, answer.since])
            bought = [answer.key, answer.model, answer.operation, at, at, answer.key]
            database.execute(_KEEP, [*bought, *_values(answer.response)])
        case Charged(failure, at):
            bought = [failure.key, failure.model, failure.operation, at, at]
            database.execute(_CHARGE, [*bought, *_values(failure.response)])
        case Died(keys):
            database.executemany(_ADD_DEATH, [(key,) for key in keys])
        case Written(calls):
            database.executemany(_EXPORT, [dataclasses.astuple(call) for call in calls])
        case Imported(request_ids, at):
            database.executemany(_IMPORT, [(at, request_id) for request_id in request_ids])


def answers_to(database: sqlite3.Connection, records: Iterable[Record]) -> list[Response]:
    """For every answer among records that are applied, the one that counts for its key."""
    return [
        response_of(database.execute(_CURRENT, [record.answer.key]).fetchone())
        for record in records
        if isinstance(record, Kept)
    ]


def response_of(values: Sequence[Any]) -> Response:
    """A response from its values in the order of its columns."""
    return Response(**dict(zip(RESPONSE_COLUMNS, values, strict=True)))


def _values(response: Response) -> Iterator[Any]:
    return (getattr(response, column) for column in RESPONSE_COLUMNS)


# --- as lines of JSON ----------------------------------------------------------------------


def encoded(record: Record) -> bytes:
    """A record as a line of JSON.

    Raises:
        TypeError: it holds what cannot be written, such as half a character.
    """
    # a number that SQLite could not take would be in the log for good: one beyond 53 bits is refused here
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_STRICT_INTEGER
    return orjson.dumps({_NAMES[type(record)]: record}, option=options)


def decoded(line: bytes) -> Record:
    """The record of a line.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    found = orjson.loads(line)
    if not isinstance(found, dict):
        raise TypeError("a line is no object")
    ((name, fields),) = found.items()
    return _READ[name](fields)


def _answer(fields: dict[str, Any]) -> Answer:
    return Answer(**(fields | {"response": Response(**fields["response"])}))


_NAMES = {Kept: "kept", Charged: "charged", Died: "died", Written: "written", Imported: "imported"}
_READ: dict[str, Callable[[dict[str, Any]], Record]] = {
    "kept": lambda fields: Kept(_answer(fields["answer"]), fields["at"]),
    "charged": lambda fields: Charged(_answer(fields["failure"]), fields["at"]),
    "died": lambda fields: Died(tuple(fields["keys"])),
    "written": lambda fields: Written(tuple(Exported(**call) for call in fields["calls"])),
    "imported": lambda fields: Imported(tuple(fields["request_ids"]), fields["at"]),
}
