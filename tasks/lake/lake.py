"""The lake: Parquet parts, and commits that name the valid ones.

A *step* (ingest, build.cases.ocr, infer.answer.<model>, ...) writes its parts into
`LAKE/<table>/release=<release>/<key>=<value>/.../part-<shard>-<content>.parquet`. It then commits
all of them at once by replacing one small object, `LAKE/_commits/release=<release>/<step>.json`.
Readers start from commits, so they never see half a step. A part's name contains a hash of its
content, so two runs cannot write different bytes under one name. After a commit, the lake removes
the parts that it no longer names. A row type has its table's keys
(`tasks.core.tables.table_of`). A file does not repeat the values in its folder's name.

There are no locks. A part records the version of its step's commit at the time of writing. A
commit replaces exactly that version, or fails. If two runs make the same step at once, the first
wins. The second fails, unless it made the same rows.

A commit records the step's *identity*: everything that its rows depend on (inputs, parameters,
prompts, version, packages). The hash of the identity is the fingerprint, which is also in each
part's footer. The commit also records hashes of the code, but they are not part of the identity.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.tables import Table, arrow_schema, from_record, table_of, to_record
from tasks.lake.arrow import without_pandas
from tasks.lake.objects import LakeError, NoSuchObject, open_objects

if TYPE_CHECKING:
    import pyarrow as pa

Row = TypeVar("Row")
Thing = TypeVar("Thing")
Result = TypeVar("Result")
Identity = dict[str, Any]
FOOTER_KEY = b"tenkbench"

# Top-level folders besides the tables, which are `<table>/release=<release>`.
_BESIDES = ("_commits", "_ledger", "_raw", "_edgar", "_reports")
# Suffix of a part whose usual name another run may be about to remove.
_AGAIN = "-again.parquet"


class ReleaseConflict(LakeError):
    """A rerun would change a finished step of a frozen release."""


class FirstEditionLake(LakeError):
    """The lake's commits have the step identities of the first edition."""


class ConcurrentChange(LakeError):
    """Another run replaced what this step was reading."""


def fingerprint(identity: Identity) -> str:
    """Hash an identity to 16 hexadecimal digits."""
    return sha256_hex(canonical_json(identity))[:16]


def may_change(release: str) -> bool:
    """Return whether a release may be rewritten: `dev` or `*-dev`."""
    return release == "dev" or release.endswith("-dev")


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of work, committed as a whole."""

    release: str
    name: str  # dotted, e.g. build.cases.ocr


@dataclass(frozen=True, slots=True)
class Part:
    """One Parquet file of a commit."""

    table: str
    keys: tuple[tuple[str, str], ...]  # partition keys, outermost first
    path: str  # key in the lake
    n_rows: int
    fingerprint: str  # of the identity it was written under
    over: str | None = field(default=None, compare=False)  # version of the step's commit at writing

    @property
    def shard(self) -> int:
        """The shard that it was written as."""
        return int(self.path.rpartition("/part-")[2].partition("-")[0])


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The code that made a step's rows.

    It is recorded and shown, but never part of an identity.
    """

    tenkbench: str = ""  # tenkbench release
    code: Mapping[str, str] = field(default_factory=dict)  # room -> hash of its source and data


@dataclass(frozen=True, slots=True)
class Commit:
    """The committed result of a finished step."""

    step: Step
    identity: Identity
    parts: tuple[Part, ...]
    committed_at: str
    made_by: MadeBy = field(default=MadeBy(), compare=False)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    @property
    def content(self) -> str:
        """16 hexadecimal digits that identify all rows.

        The parts' names contain a hash of their content, so hashing the names is enough.
        """
        names = sorted(part.path.replace(_AGAIN, ".parquet") for part in self.parts)
        return sha256_hex(canonical_json(names))[:16]

    def parts_of(self, table: str, **keys: str) -> list[Part]:
        """Return one table's parts in shard order, filtered by partition `keys`."""
        wanted = set(keys.items())
        return [part for part in self.parts if part.table == table and wanted <= set(part.keys)]

    def n_rows(self, table: str) -> int:
        """Count the rows of one table in this commit."""
        return sum(part.n_rows for part in self.parts if part.table == table)


class Lake:
    """A lake in a local folder or in S3."""

    def __init__(self, lake: str | Path) -> None:
        self.objects = open_objects(str(lake))
        self._known: dict[Step, _Seen] | None = None  # commits that `as_of_now` has read

    def as_of_now(self) -> Lake:
        """Return a view of this lake that reads all commits once, now.

        Use it to look at many commits. It does not see later commits, and committing over one of
        them through this view fails.
        """
        steps = self._steps("_commits")
        known = copy(self)
        known._known = dict(zip(steps, self._each(self._look, steps), strict=True))
        return known

    @property
    def url(self) -> str:
        """The lake's address: `s3://bucket/prefix`, or the absolute path of its folder."""
        return self.objects.url

    @property
    def here(self) -> Path:
        """The local folder for files that must be on this machine.

        For a local lake, this is the lake's own folder.
        """
        return self.objects.here

    @property
    def journal(self) -> Path:
        """Path of the response cache (`tasks.inference.cache.response_cache`).

        The file does not exist before the first model call.
        """
        return self.here / "_ledger" / "journal.sqlite"

    @property
    def warehouse(self) -> Path | None:
        """Path of the lake's DuckDB file; None in S3.

        Scoring a release writes it (`tasks.warehouse.connection.write_warehouse`). Its views name
        Parquet files by their paths on one machine, so a lake in S3 has none.
        """
        return self.here / "warehouse.duckdb" if self.url == str(self.here) else None

    def make(self) -> None:
        """Create the lake if it does not exist.

        Raises:
            LakeError: the lake cannot be created or written.
        """
        self.objects.make_ready()

    # --- commits

    def commit_of(self, step: Step) -> Commit | None:
        """Return the step's commit, or None if it has not finished."""
        return self._look(step).commit

    def commits(self, release: str | None = None) -> list[Commit]:
        """List the commits of a release, or of all, sorted by step."""
        if self._known is None:
            steps = self._steps(
                "_commits" if release is None else f"_commits/release={_key_value(release)}"
            )
        else:
            steps = [step for step in self._known if release is None or step.release == release]
        return [commit for commit in self._each(self.commit_of, steps) if commit is not None]

    def _steps(self, folder: str) -> list[Step]:
        """List the steps that have records below a folder of `_commits`."""
        steps = []
        for stored in self.objects.list(folder):
            of_release, _, name = stored.key.removeprefix("_commits/release=").partition("/")
            if name.endswith(".json"):
                steps.append(Step(unquote(of_release), unquote(name.removesuffix(".json"))))
        return steps

    def releases(self) -> list[str]:
        """List the names of the releases in the lake."""
        return sorted({commit.step.release for commit in self.commits()})

    def write(
        self,
        step: Step,
        identity: Identity,
        row_type: type,
        rows: Iterable[Any],
        shard: int = 0,
        **keys: str,
    ) -> Part:
        """Write one part of a step.

        Readers see the part only after the step's commit names it. An empty part keeps the table's
        schema.

        Args:
            keys: a value for each of the table's keys except the release.

        Raises:
            TypeError: a row has another type, or `keys` are not the table's keys.
            ValueError: a row's column contradicts the key of that name.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        without_pandas()
        table = table_of(row_type)
        named = _named(table, {"release": step.release, **keys})
        stored = _stored_schema(row_type)
        in_folder = [(key, value) for key, value in named if key in arrow_schema(row_type).names]
        records = []
        for row in rows:
            if type(row) is not row_type:
                raise TypeError(f"a {type(row).__name__} is not a row of '{table.name}'")
            for key, value in in_folder:
                if (said := getattr(row, key)) != value:
                    raise ValueError(
                        f"a row of '{table.name}' has {key} '{said}', but its part goes to the "
                        f"folder '{key}={value}'; write it with {key}='{said}'"
                    )
            records.append(to_record(row))
        footer: Identity = {
            "step": step.name,
            "fingerprint": fingerprint(identity),
            "identity": identity,
        }
        content = pa.Table.from_pylist(records, schema=stored)
        content = content.replace_schema_metadata({FOOTER_KEY: canonical_json(footer).encode()})
        sink = pa.BufferOutputStream()
        pq.write_table(content, sink, compression="zstd", row_group_size=16_384)
        data = sink.getvalue().to_pybytes()
        folder = "/".join([table.name, *(f"{key}={_key_value(value)}" for key, value in named)])
        path = f"{folder}/part-{shard:05d}-{hashlib.sha256(data).hexdigest()[:12]}.parquet"
        seen = self._look(step)
        if path in seen.removed and self.objects.exists(path):
            # Another run has replaced this part and may be about to remove it. Use another name.
            path = path.replace(".parquet", _AGAIN)
        self.objects.put(path, data)
        return Part(table.name, named, path, len(records), footer["fingerprint"], seen.version)

    def commit(
        self,
        step: Step,
        identity: Identity,
        parts: Sequence[Part],
        inputs: Sequence[Commit] = (),
        made_by: MadeBy = MadeBy(),
    ) -> Commit:
        """Publish a step's parts and remove its earlier ones.

        This does not notice an input that is replaced after the check below. The commit's identity
        records the content it read, so `stale_commits` finds such a commit later.

        Raises:
            ConcurrentChange: while the step ran, another run replaced one of the `inputs`, removed
                a part, or committed this step with other rows. Nothing is committed.
        """
        now_utc = datetime.now(UTC).isoformat(timespec="seconds")
        commit = Commit(step, identity, tuple(parts), now_utc, made_by)
        seen = self._look(step)
        if any(part.over != seen.version for part in parts):
            return self._same_or_conflict(commit, seen.commit)
        if any(part.fingerprint != commit.fingerprint for part in parts):
            raise _conflict(step, "replaced its inputs, so its parts do not match")
        for read, now in zip(
            inputs, self._each(self.commit_of, [read.step for read in inputs]), strict=True
        ):
            if now is None or now.content != read.content:
                raise _conflict(step, f"replaced its input {read.step.name}")
        if not all(self._each(self.objects.exists, [part.path for part in parts])):
            raise _conflict(step, "removed its parts")
        before = () if seen.commit is None else seen.commit.parts
        removed = sorted({part.path for part in before} - {part.path for part in parts})
        record: dict[str, Any] = {
            "step": step.name,
            "fingerprint": commit.fingerprint,
            "identity": identity,
            "made_by": {"tenkbench": made_by.tenkbench, "code": dict(made_by.code)},
            "committed_at": commit.committed_at,
            "parts": [
                {
                    "table": part.table,
                    "keys": list(part.keys),
                    "path": part.path,
                    "n_rows": part.n_rows,
                }
                for part in parts
            ],
        }
        if not self._record(step, record, seen.version, removed):
            return self._same_or_conflict(commit, self.commit_of(step))
        return commit

    def retire(self, commit: Commit) -> None:
        """Remove a step's commit, then its parts.

        A step that another run has replaced meanwhile stays.
        """
        seen = self._look(commit.step)
        if seen.commit is not None and seen.commit.content == commit.content:
            # Microseconds, so that no two records have the same version.
            retired_at = datetime.now(UTC).isoformat()
            record = {"step": commit.step.name, "retired_at": retired_at}
            self._record(
                commit.step, record, seen.version, sorted({part.path for part in commit.parts})
            )

    def sweep(self, release: str, row_types: Iterable[type], older_than_s: float) -> list[str]:
        """Remove parts and unfinished objects that a killed run left behind.

        It checks the tables of `row_types`, and removes only parts older than `older_than_s`
        seconds. Younger ones may belong to a run that is about to commit. Returns the paths of the
        removed parts.
        """
        limit = time.time() - older_than_s
        folder = f"release={_key_value(release)}"
        tables = [f"{table_of(row_type).name}/{folder}" for row_type in row_types]
        stored = chain.from_iterable(map(self.objects.list, tables))
        old = [each.key for each in stored if each.modified_at < limit]
        # List commits after parts, so that a commit made in between keeps its parts.
        named = {part.path for commit in self.commits(release) for part in commit.parts}
        swept = [path for path in old if path not in named]
        self.objects.delete(swept)
        self.objects.remove_unfinished([*tables, *_BESIDES], older_than_s)
        return swept

    def _look(self, step: Step) -> _Seen:
        """Read the step's record."""
        if self._known is not None:
            return self._known.get(step, _Seen(None, None, frozenset()))
        key = _commit_key(step)
        try:
            data, version = self.objects.read_versioned(key)
        except NoSuchObject:
            return _Seen(None, None, frozenset())
        try:
            record = json.loads(data)
        except ValueError as damaged:
            raise LakeError(
                f"{key} in {self.url} is damaged ({damaged}); delete it and run again"
            ) from damaged
        removed = frozenset(record.get("removed", ()))
        if "retired_at" in record:
            return _Seen(None, version, removed)
        parts = tuple(
            Part(
                part["table"],
                tuple((key, value) for key, value in part["keys"]),
                part["path"],
                part["n_rows"],
                record["fingerprint"],
            )
            for part in record["parts"]
        )
        if "made_by" not in record:
            raise FirstEditionLake(
                f"{self.url} was made by the first edition of tenkbench, which this edition cannot "
                "read. Use another --lake. This command copies the model answers:\n"
                f"  tenkbench import answers {self.url} --lake NEW_LAKE"
            )
        made_by = MadeBy(**record["made_by"])
        commit = Commit(step, record["identity"], parts, record["committed_at"], made_by)
        return _Seen(commit, version, removed)

    def _record(
        self, step: Step, record: dict[str, Any], version: str | None, removed: Sequence[str]
    ) -> bool:
        """Replace that version of a step's record, then remove parts.

        Returns False if the record has another version by now.
        """
        if removed:
            record["removed"] = removed
        key, data = _commit_key(step), json.dumps(record, indent=1, ensure_ascii=False).encode()
        is_written = (
            self.objects.create(key, data)
            if version is None
            else self.objects.replace(key, data, version)
        )
        if is_written:
            self.objects.delete(removed)
        return is_written

    def _same_or_conflict(self, commit: Commit, now: Commit | None) -> Commit:
        """Return the other run's commit if it is the same as ours.

        Raises:
            ConcurrentChange: it differs.
        """
        if now is None or (now.content, now.fingerprint) != (commit.content, commit.fingerprint):
            raise _conflict(commit.step, "made or removed the same step")
        return now

    def _each(self, function: Callable[[Thing], Result], things: Sequence[Thing]) -> list[Result]:
        """Map with as many parallel requests as the storage handles well."""
        if self.objects.at_once == 1 or len(things) < 2:
            return [function(thing) for thing in things]
        with ThreadPoolExecutor(self.objects.at_once) as threads:
            return list(threads.map(function, things))

    # --- rows

    def read(
        self, commit: Commit, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> list[Row]:
        """Read a commit's rows of one type, in shard order.

        `only=(column, values)` reads only the rows with one of these values.

        Raises:
            ConcurrentChange: another run has replaced the commit and removed its parts.
            LakeError: a part is damaged.
        """
        return list(self.each(commit, row_type, only))

    def each(
        self, commit: Commit, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> Iterator[Row]:
        """Yield what `read` returns, reading one part at a time."""
        for part in commit.parts_of(table_of(row_type).name):
            yield from self.rows_of(part, row_type, only)

    def read_shard(self, commit: Commit, row_type: type[Row], shard: int, **keys: str) -> list[Row]:
        """Read the rows of one type and shard; `keys` choose partitions."""
        parts = commit.parts_of(table_of(row_type).name, **keys)
        return [
            row for part in parts if part.shard == shard for row in self.rows_of(part, row_type)
        ]

    def rows_of(
        self, part: Part, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> list[Row]:
        """Read a part's rows, whether or not it is committed."""
        names = arrow_schema(row_type).names  # type: ignore[arg-type]
        return [
            from_record(row_type, record)
            for record in self._read_part(part, names, only).to_pylist()
        ]

    def read_pairs(self, commit: Commit, table: str, key: str, value: str) -> dict[Any, Any]:
        """Map one column of a commit's table to another column."""
        found: dict[Any, Any] = {}
        for part in commit.parts_of(table):
            columns = self._read_part(part, [key, value])
            found |= dict(zip(columns[key].to_pylist(), columns[value].to_pylist(), strict=True))
        return found

    def _read_part(
        self, part: Part, columns: list[str], only: tuple[str, Collection[str]] | None = None
    ) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.parquet as pq

        without_pandas()
        path = self._file(part)
        in_folder = {key: value for key, value in part.keys if key in columns}
        stored = [name for name in columns if name not in in_folder]

        def filled(rows: pa.Table) -> pa.Table:
            for key, value in in_folder.items():
                # typed: to infer a type, pyarrow would import pandas after all
                rows = rows.append_column(
                    key, pa.repeat(pa.scalar(value, pa.string()), rows.num_rows)
                )
            return rows

        try:
            with pq.ParquetFile(path) as file:
                if only is None:
                    return filled(file.read(stored))
                column, values = only
                wanted = pa.array(sorted(values), pa.string())
                numbers = range(file.num_row_groups)
                groups = (filled(file.read_row_group(number, stored)) for number in numbers)
                kept = [group.filter(pa.compute.is_in(group[column], wanted)) for group in groups]
                return pa.concat_tables(kept) if kept else filled(file.schema_arrow.empty_table())
        except FileNotFoundError as gone:  # removed since `_file` looked
            raise self._gone(part) from gone
        except pa.ArrowInvalid as damaged:
            raise LakeError(
                f"{path} is damaged ({damaged}); delete it, and run its step again with --force"
            ) from damaged

    def _file(self, part: Part) -> Path:
        try:
            return self.objects.file(part.path)
        except NoSuchObject as gone:
            raise self._gone(part) from gone

    def _gone(self, part: Part) -> ConcurrentChange:
        return ConcurrentChange(
            f"{part.path} is gone from {self.url}: another run replaced it, or someone deleted "
            "it. Run the step that made it again with --force."
        )

    def files(
        self, release: str | tuple[str, ...] | None = None, without: Collection[Step] = ()
    ) -> Mapping[str, Sequence[str]]:
        """Map each table to the local paths of its committed, non-empty parts.

        A table without rows has no paths. For a lake in S3, looking a table up downloads its parts,
        and they are kept.

        Args:
            release: one release, several, or None for all.
            without: steps to leave out.
        """
        found: dict[str, list[Part]] = {}
        for each in release if isinstance(release, tuple) else (release,):
            for commit in (commit for commit in self.commits(each) if commit.step not in without):
                for part in (part for part in commit.parts if part.n_rows):
                    found.setdefault(part.table, []).append(part)
        return _Files(found, lambda parts: [str(path) for path in self._each(self._file, parts)])


@dataclass(frozen=True, slots=True)
class _Seen:
    """The record of a step at one moment."""

    commit: Commit | None  # also None for a retired step
    version: str | None  # of the record; None if there is none
    removed: frozenset[str]  # the parts that the record's writer removed or was about to remove


class _Files(Mapping[str, Sequence[str]]):
    """Paths by table, fetched when a table is looked up."""

    def __init__(
        self, parts: dict[str, list[Part]], fetch: Callable[[list[Part]], list[str]]
    ) -> None:
        self._parts, self._fetch = parts, fetch

    def __getitem__(self, table: str) -> Sequence[str]:
        return self._fetch(self._parts.get(table, []))

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def differences(before: Identity, now: Identity) -> list[str]:
    """List the changes between two identities, like `parameters.limit: 5 -> 20`."""
    return list(_differences("", before, now))


def _differences(name: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            yield from _differences(
                f"{name}.{key}" if name else str(key), before.get(key), now.get(key)
            )
    elif before != now:
        yield f"{name}: {_shown(before)} -> {_shown(now)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _named(table: Table, keys: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Order a part's keys like its table's keys."""
    if keys.keys() != set(table.keys):
        listed, given = ", ".join(table.keys), ", ".join(keys)
        raise TypeError(f"parts of '{table.name}' have the keys {listed}, not {given}")
    return tuple((key, keys[key]) for key in table.keys)


def _stored_schema(row_type: type) -> pa.Schema:
    """Return the columns of a table's files, without its partition keys."""
    import pyarrow as pa

    keys = table_of(row_type).keys
    return pa.schema(field for field in arrow_schema(row_type) if field.name not in keys)


def _conflict(step: Step, what: str) -> ConcurrentChange:
    return ConcurrentChange(
        f"while {step.name} of release {step.release} ran, another run {what}; nothing was "
        "committed, run it again"
    )


def _commit_key(step: Step) -> str:
    return f"_commits/release={_key_value(step.release)}/{_key_value(step.name)}.json"


def _key_value(value: str) -> str:
    # Hive's escaping, which DuckDB and pyarrow undo. A leading dot or underscore would hide the
    # file.
    return quote(value, safe=" @+,()-_.~").replace(" ", "%20")
