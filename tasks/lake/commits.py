"""Commits: which parts of a lake are valid, and how a step publishes all of its parts at once.

A *step* (ingest, build.cases.ocr, infer.answer.<model>, ...) writes its parts into
`LAKE/<table>/release=<release>/<key>=<value>/.../part-<shard>-<content>.parquet`, where `content`
hashes the file. It then commits all of them at once by replacing one small object,
`LAKE/_commits/release=<release>/<step>.json`, and removes the parts that are no longer named.
Readers start from commits, so they never see half a step.

There are no locks. A part records the version of its step's commit at the time of writing. A
commit replaces exactly that version, or fails. If two runs make the same step at once, the first
wins. The second fails, unless it made the same rows.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Self, TypeVar
from urllib.parse import unquote

from tasks.core.tables import table_of
from tasks.lake.arrow import give_back
from tasks.lake.objects import LakeError, NoSuchObject, Objects
from tasks.lake.parts import encoded
from tasks.lake.records import (
    AGAIN,
    Commit,
    Damaged,
    Identity,
    LakeStep,
    MadeBy,
    Part,
    Seen,
    fingerprint,
    key_value,
    read_record,
    record_of,
    written_record,
)

Thing = TypeVar("Thing")
Result = TypeVar("Result")

OTHER_CONTENT = "the file's content does not match its checksum"


class ConcurrentChange(LakeError):
    """Another run replaced what this step was reading."""


class Commits:
    """The commits of a lake's steps."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._known: dict[LakeStep, Seen] | None = None  # commits that `as_of_now` has read

    def as_of_now(self) -> Self:
        """Return a view of this lake that reads all commits once, now, and sees no later ones."""
        steps = self._steps("_commits")
        known = copy(self)
        known._known = dict(zip(steps, self._each(self._look, steps), strict=True))
        return known

    def commit_of(self, step: LakeStep) -> Commit | None:
        """Return the step's commit, or None if it has not finished."""
        return self._look(step).commit

    def commits(self, release: str | None = None) -> list[Commit]:
        """List the commits of a release, or of all, sorted by step."""
        if self._known is None:
            below = "" if release is None else f"/release={key_value(release)}"
            steps = self._steps(f"_commits{below}")
        else:
            steps = [step for step in self._known if release in (None, step.release)]
        return [commit for commit in self._each(self.commit_of, steps) if commit is not None]

    def releases(self) -> list[str]:
        """List the names of the releases in the lake."""
        return sorted({commit.step.release for commit in self.commits()})

    # --- writing

    def write(
        self,
        step: LakeStep,
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
        values = {"release": step.release, **keys}
        if values.keys() != set(table.keys):
            raise TypeError(f"parts of '{table.name}' have the keys {table.keys}, not {[*values]}")
        in_order = tuple((key, values[key]) for key in table.keys)
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
        step: LakeStep,
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
            return _same_or_conflict(commit, seen.commit)
        if any(part.fingerprint != commit.fingerprint for part in parts):
            raise _conflict(step, "replaced its inputs, so its parts do not match")
        current = self._each(self.commit_of, [read.step for read in inputs])
        for read, now in zip(inputs, current, strict=True):
            if now is None or now.content != read.content:
                raise _conflict(step, f"replaced its input {read.step.name}")
        if not all(self._each(self.objects.exists, [part.path for part in parts])):
            raise _conflict(step, "removed its parts")
        before = () if seen.commit is None else seen.commit.parts
        removed = sorted({part.path for part in before} - {part.path for part in parts})
        if not self._record(step, record_of(commit), seen.version, removed):
            return _same_or_conflict(commit, self.commit_of(step))
        return commit

    def retire(self, commit: Commit) -> None:
        """Remove a step's commit, then its parts, unless another run has replaced it meanwhile."""
        seen = self._look(commit.step)
        if seen.commit is not None and seen.commit.content == commit.content:
            # Microseconds, so that no two records have the same version.
            retired_at = datetime.now(UTC).isoformat()
            record = {"step": commit.step.name, "retired_at": retired_at}
            removed = sorted({part.path for part in commit.parts})
            self._record(commit.step, record, seen.version, removed)

    def sweep(self, release: str, row_types: Iterable[type], older_than_s: float) -> list[str]:
        """Remove what killed runs left in these rows' tables; return the removed parts' paths.

        Younger parts than `older_than_s` may belong to a run that is about to commit.
        """
        limit = time.time() - older_than_s
        tables = [table_of(row_type).name for row_type in row_types]
        folders = [f"{table}/release={key_value(release)}" for table in tables]
        stored = chain.from_iterable(map(self.objects.list, folders))
        old = [part.key for part in stored if part.modified_at < limit]
        # List commits after parts, so that a commit made in between keeps its parts.
        named = {part.path for commit in self.commits(release) for part in commit.parts}
        swept = [path for path in old if path not in named]
        self.objects.delete(swept)
        return swept

    # --- repair

    def damaged(self) -> list[tuple[LakeStep, str]]:
        """Read every record and part where it is stored; list the damaged steps, each with why."""
        steps = self._steps("_commits")
        problems = zip(steps, self._each(self._problem_of, steps), strict=True)
        return [(step, problem) for step, problem in problems if problem is not None]

    def _problem_of(self, step: LakeStep) -> str | None:
        try:
            commit = self.commit_of(step)
            for part in () if commit is None else commit.parts:
                digest = hashlib.sha256(self.objects.read(part.path)).hexdigest()
                if not digest.startswith(part.content):
                    return f"{part.path}: {OTHER_CONTENT}"
        except Damaged as damaged:
            return f"{damaged.key}: {damaged.what}"
        except NoSuchObject as gone:
            return str(gone)
        return None

    def take_back(self, step: LakeStep) -> None:
        """Remove a damaged step's commit, so that the next run makes the step again."""
        try:
            commit = self.commit_of(step)
        except Damaged:
            self.objects.delete([step.key])  # `sweep` removes its parts
            return
        if commit is not None:
            self.retire(commit)

    # --- records

    def _steps(self, folder: str) -> list[LakeStep]:
        """List the steps that have records below a folder of `_commits`."""
        keys = [stored.key for stored in self.objects.list(folder)]
        names = [key.removeprefix("_commits/release=").partition("/") for key in keys]
        return [
            LakeStep(unquote(release), unquote(name.removesuffix(".json")))
            for release, _, name in names
            if name.endswith(".json")
        ]

    def _look(self, step: LakeStep) -> Seen:
        if self._known is not None:
            return self._known.get(step, Seen())
        try:
            data, version = self.objects.read_versioned(step.key)
        except NoSuchObject:
            return Seen()
        return read_record(step, self.objects.url, data, version)

    def _record(
        self, step: LakeStep, record: dict[str, Any], version: str | None, removed: Sequence[str]
    ) -> bool:
        """Replace that version of a step's record, then remove parts; return False if too late."""
        data = written_record({**record, "removed": removed} if removed else record)
        if version is None:
            is_written = self.objects.create(step.key, data)
        else:
            is_written = self.objects.replace(step.key, data, version)
        if is_written:
            self.objects.delete(removed)
        return is_written

    def _each(self, function: Callable[[Thing], Result], things: Sequence[Thing]) -> list[Result]:
        """Map with as many parallel requests as the storage handles well."""
        if len(things) < 2:  # a program that is exiting cannot start threads
            return [function(thing) for thing in things]
        with ThreadPoolExecutor(self.objects.at_once) as threads:
            return list(threads.map(function, things))


def _same_or_conflict(commit: Commit, now: Commit | None) -> Commit:
    """Return the other run's commit if it is the same as ours; else raise."""
    if now is None or (now.content, now.fingerprint) != (commit.content, commit.fingerprint):
        raise _conflict(commit.step, "made or removed the same step")
    return now


def _conflict(step: LakeStep, what: str) -> ConcurrentChange:
    return ConcurrentChange(
        f"while {step.name} of release {step.release} ran, another run {what}. Nothing was "
        "committed. Run the same command again"
    )
