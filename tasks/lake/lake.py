"""The lake: Parquet parts, and commits that name the valid ones.

A *step* (ingest, build.cases.ocr, infer.answer.<model>, ...) writes its parts into
`LAKE/<table>/release=<release>/<key>=<value>/.../part-<shard>-<content>.parquet`. It then commits
all of them at once by replacing one small object, `LAKE/_commits/release=<release>/<step>.json`.
Readers start from commits, so they never see half a step. A part's name contains a hash of its
content, so two runs cannot write different bytes under one name. After a commit, the lake removes
the parts that it no longer names. A file does not repeat the values in its folder's name.

There are no locks. A part records the version of its step's commit at the time of writing. A
commit replaces exactly that version, or fails. If two runs make the same step at once, the first
wins. The second fails, unless it made the same rows.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from tasks.core.tables import arrow_schema, from_record, table_of
from tasks.lake.arrow import give_back
from tasks.lake.commits import (
    AGAIN,
    Commit,
    Damaged,
    Identity,
    MadeBy,
    Part,
    Seen,
    Step,
    differences,
    fingerprint,
    key_value,
    may_change,
    read_record,
    record_of,
    written_record,
)
from tasks.lake.objects import LakeError, NoSuchObject, Unreadable, open_objects
from tasks.lake.parts import encoded, is_intact, read_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Commit",
    "ConcurrentChange",
    "Damaged",
    "Identity",
    "Lake",
    "LakeError",
    "MadeBy",
    "Part",
    "ReleaseConflict",
    "Step",
    "differences",
    "may_change",
]

Row = TypeVar("Row")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

_OTHER_CONTENT = "the file's content does not match its checksum"

# Top-level folders besides the tables, which are `<table>/release=<release>`.
_BESIDES = ("_commits", "_ledger", "_raw", "_edgar", "_images", "_reports")


class ReleaseConflict(LakeError):
    """A rerun would change a finished step of a frozen release."""


class ConcurrentChange(LakeError):
    """Another run replaced what this step was reading."""


class Lake:
    """A lake in a local folder or in S3."""

    def __init__(self, lake: str | Path) -> None:
        self.objects = open_objects(str(lake))
        self._known: dict[Step, Seen] | None = None  # commits that `as_of_now` has read

    def as_of_now(self) -> Lake:
        """Return a view of this lake that reads all commits once, now, and sees no later ones."""
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
        """The local folder for files that must be on this machine; a local lake's own folder."""
        return self.objects.here

    @property
    def journal(self) -> Path:
        """Path of the response cache, which the first model call makes."""
        return self.here / "_ledger" / "journal.sqlite"

    @property
    def warehouse(self) -> Path | None:
        """Path of the lake's DuckDB file; None in S3, since its views name local files."""
        return self.here / "warehouse.duckdb" if self.url == str(self.here) else None

    def make(self) -> None:
        """Create the lake if it does not exist."""
        self.objects.make_ready()

    # --- commits

    def commit_of(self, step: Step) -> Commit | None:
        """Return the step's commit, or None if it has not finished."""
        return self._look(step).commit

    def commits(self, release: str | None = None) -> list[Commit]:
        """List the commits of a release, or of all, sorted by step."""
        if self._known is None:
            steps = self._steps(
                "_commits" if release is None else f"_commits/release={key_value(release)}"
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
        """Write one part of a step; readers see it only after the step's commit names it.

        Args:
            keys: a value for each of the table's keys except the release.
        """
        table = table_of(row_type)
        given = {"release": step.release, **keys}
        if given.keys() != set(table.keys):
            listed, named = ", ".join(table.keys), ", ".join(given)
            raise TypeError(f"parts of '{table.name}' have the keys {listed}, not {named}")
        in_order = tuple((key, given[key]) for key in table.keys)
        hashed = fingerprint(identity)
        footer = {"step": step.name, "fingerprint": hashed, "identity": identity}
        data, n_rows = encoded(row_type, rows, in_order, footer)
        give_back()
        folder = "/".join([table.name, *(f"{key}={key_value(value)}" for key, value in in_order)])
        path = f"{folder}/part-{shard:05d}-{hashlib.sha256(data).hexdigest()[:12]}.parquet"
        seen = self._look(step)
        if path in seen.removed and self.objects.exists(path):
            # Another run has replaced this part and may be about to remove it. Use another name.
            path = path.replace(".parquet", AGAIN)
        self.objects.put(path, data)
        return Part(table.name, in_order, path, n_rows, hashed, seen.version)

    def commit(
        self,
        step: Step,
        identity: Identity,
        parts: Sequence[Part],
        inputs: Sequence[Commit] = (),
        made_by: MadeBy | None = None,
    ) -> Commit:
        """Publish a step's parts and remove its earlier ones.

        If an input is replaced after the check below, `stale_commits` finds the commit later.

        Raises:
            ConcurrentChange: while the step ran, another run replaced one of the `inputs`, removed
                a part, or committed this step with other rows. Nothing is committed.
        """
        now_utc = datetime.now(UTC).isoformat(timespec="seconds")
        commit = Commit(step, identity, tuple(parts), now_utc, made_by or MadeBy())
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
        if not self._record(step, record_of(commit), seen.version, removed):
            return self._same_or_conflict(commit, self.commit_of(step))
        return commit

    def retire(self, commit: Commit) -> None:
        """Remove a step's commit, then its parts, unless another run has replaced it meanwhile."""
        seen = self._look(commit.step)
        if seen.commit is not None and seen.commit.content == commit.content:
            # Microseconds, so that no two records have the same version.
            retired_at = datetime.now(UTC).isoformat()
            record = {"step": commit.step.name, "retired_at": retired_at}
            self._record(
                commit.step, record, seen.version, sorted({part.path for part in commit.parts})
            )

    def damaged(self) -> list[tuple[Step, str]]:
        """Read every record and part where it is stored; list the damaged steps, each with why."""

        def why(step: Step) -> str | None:
            try:
                commit = self.commit_of(step)
                for part in () if commit is None else commit.parts:
                    digest = hashlib.sha256(self.objects.read(part.path)).hexdigest()
                    if not digest.startswith(part.content):
                        return f"{part.path}: {_OTHER_CONTENT}"
            except Damaged as found:
                return f"{found.key}: {found.what}"
            except NoSuchObject as gone:
                return str(gone)
            return None

        steps = self._steps("_commits")
        found = zip(steps, self._each(why, steps), strict=True)
        return [(step, reason) for step, reason in found if reason is not None]

    def take_back(self, step: Step) -> None:
        """Remove a damaged step's commit, so that the next run makes the step again."""
        try:
            commit = self.commit_of(step)
        except Damaged:
            self.objects.delete([step.key])  # `sweep` removes its parts
            return
        if commit is not None:
            self.retire(commit)

    def sweep(self, release: str, row_types: Iterable[type], older_than_s: float) -> list[str]:
        """Remove what killed runs left in these rows' tables; return the removed parts' paths.

        Younger parts than `older_than_s` may belong to a run that is about to commit.
        """
        limit = time.time() - older_than_s
        folder = f"release={key_value(release)}"
        tables = [f"{table_of(row_type).name}/{folder}" for row_type in row_types]
        stored = chain.from_iterable(map(self.objects.list, tables))
        old = [each.key for each in stored if each.modified_at < limit]
        # List commits after parts, so that a commit made in between keeps its parts.
        named = {part.path for commit in self.commits(release) for part in commit.parts}
        swept = [path for path in old if path not in named]
        self.objects.delete(swept)
        self.objects.remove_unfinished([*tables, *_BESIDES], older_than_s)
        return swept

    def _look(self, step: Step) -> Seen:
        """Read the step's record."""
        if self._known is not None:
            return self._known.get(step, Seen())
        try:
            data, version = self.objects.read_versioned(step.key)
        except NoSuchObject:
            return Seen()
        return read_record(step, self.url, data, version)

    def _record(
        self, step: Step, record: dict[str, Any], version: str | None, removed: Sequence[str]
    ) -> bool:
        """Replace that version of a step's record, then remove parts; return False if too late."""
        if removed:
            record["removed"] = removed
        data = written_record(record)
        is_written = (
            self.objects.create(step.key, data)
            if version is None
            else self.objects.replace(step.key, data, version)
        )
        if is_written:
            self.objects.delete(removed)
        return is_written

    def _same_or_conflict(self, commit: Commit, now: Commit | None) -> Commit:
        """Return the other run's commit if it is the same as ours; else raise."""
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
        """
        return list(self.each(commit, row_type, only))

    def each(
        self, commit: Commit, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> Iterator[Row]:
        """Yield what `read` returns; one row group is in memory at a time."""
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
    ) -> Iterator[Row]:
        """Yield a part's rows, whether or not it is committed."""
        names = arrow_schema(row_type).names  # type: ignore[arg-type]
        for some in self._read_part(part, names, only):
            yield from (from_record(row_type, record) for record in some.to_pylist())

    def columns(
        self,
        commit: Commit,
        table: str,
        *names: str,
        only: tuple[str, Collection[str]] | None = None,
    ) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a commit's table, row by row; `only` is that of `read`."""
        for part in commit.parts_of(table):
            for some in self._read_part(part, list(names), only):
                yield from zip(*(some[name].to_pylist() for name in names), strict=True)

    def _read_part(
        self, part: Part, columns: list[str], only: tuple[str, Collection[str]] | None = None
    ) -> Iterator[pa.Table]:
        try:
            yield from read_columns(part, self._file(part), columns, only)
        except FileNotFoundError as gone:  # removed since `_file` looked
            raise self._gone(part) from gone

    def _file(self, part: Part) -> Path:
        """Return a local file with a part's content.

        Raises:
            Damaged: its content is not what was written.
            ConcurrentChange: it is gone.
        """
        try:
            path = self.objects.file(part.path)
            if not is_intact(part, path) and self.url != str(self.here):
                path.unlink(missing_ok=True)  # a copy: fetch it again
                path = self.objects.file(part.path)
            if is_intact(part, path):
                return path
        except (NoSuchObject, FileNotFoundError) as gone:
            raise self._gone(part) from gone
        except OSError as error:
            raise Unreadable(self.url, path, error) from error
        raise Damaged(part.path, self.url, _OTHER_CONTENT)

    def _gone(self, part: Part) -> ConcurrentChange:
        return ConcurrentChange(
            f"{part.path} is gone from {self.url}: another run replaced it, or someone deleted "
            "it. First run the command again. If that fails, remove the step; the next run makes "
            "it again:\n"
            f"    tenkbench repair --lake {self.url}"
        )

    def files(
        self,
        release: str | tuple[str, ...] | None = None,
        *,
        suite: str | None = None,
        without: Collection[Step] = (),
    ) -> Mapping[str, Sequence[str]]:
        """Map each table to the local paths of its committed, non-empty parts.

        For a lake in S3, looking a table up downloads its parts, and they are kept.

        Args:
            release: one release, several, or None for all.
            suite: leave out the parts of other suites.
            without: steps to leave out.
        """
        found: dict[str, list[Part]] = {}
        for each in release if isinstance(release, tuple) else (release,):
            for commit in (commit for commit in self.commits(each) if commit.step not in without):
                for part in (part for part in commit.parts if part.n_rows):
                    of_suite = dict(part.keys).get("suite", "all")
                    if suite is None or of_suite in (suite, "all"):
                        found.setdefault(part.table, []).append(part)
        return _Files(found, lambda parts: [str(path) for path in self._each(self._file, parts)])


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


def _conflict(step: Step, what: str) -> ConcurrentChange:
    return ConcurrentChange(
        f"while {step.name} of release {step.release} ran, another run {what}. Nothing was "
        "committed. Run the same command again"
    )
