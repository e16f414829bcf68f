"""A step: what its rows depend on, whether the lake holds it, and how it is written.

A step's identity holds its parameters and version, the content of the steps that it reads, the
hashes of its prompts and the versions of packages. `tasks.pipeline.plan` lists a run's steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tasks.core.rows import Prefix, Request, Response
from tasks.inference.call_records import OperationRecord, failures
from tasks.inference.operation import PRIME
from tasks.lake.lake import (
    Commit,
    Identity,
    Lake,
    LakeError,
    LakeStep,
    MadeBy,
    Part,
    ReleaseConflict,
    may_change,
)
from tasks.lake.records import differences, fingerprint
from tasks.pipeline.settings import RunSettings, place_options

Row = TypeVar("Row")

# Part of a step's name -> the command that makes it.
_VERBS = {name: name for name in ("ingest", "build", "infer", "judge", "score")}
_VERBS |= {"rejudge": "judge", "attack": "judge"}


class MissingInput(LakeError):
    """A step whose input has not been made yet."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step as this run would make it.

    Attributes:
        grows: whether a frozen release accepts more inputs, such as one more model's metrics.
    """

    lake: Lake
    step: LakeStep
    identity: Identity
    made_by: MadeBy
    inputs: tuple[Commit, ...]
    grows: bool = False
    force: bool = False
    fresh: bool = False
    retry_failed: bool = False

    def input(self, name: str) -> Commit:
        """Return the commit of an input step, as it was at planning."""
        return next(commit for commit in self.inputs if commit.step.name == name)

    def columns(
        self, table: str, *names: str, only: tuple[str, Collection[Any]] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield columns of a table of all input steps; see `Lake.columns`."""
        for commit in self.inputs:
            yield from self.lake.columns(commit, table, *names, only=only)

    def rows(
        self, row_type: type[Row], only: tuple[str, Collection[Any]] | None = None
    ) -> Iterator[Row]:
        """Yield rows of all input steps; see `Lake.each`."""
        for commit in self.inputs:
            yield from self.lake.each(commit, row_type, only)

    def write(self, row_type: type, rows: Iterable[Any], shard: int = 0, **keys: str) -> Part:
        """Write one part of the step."""
        return self.lake.write(self.step, self.identity, row_type, rows, shard, **keys)

    def commit(self, parts: Sequence[Part]) -> Commit:
        """Make the parts visible to readers."""
        return self.lake.commit(self.step, self.identity, parts, self.inputs, self.made_by)

    def finished(self) -> Commit | None:
        """Return the commit of the step if the lake already holds it as planned.

        In a release that may change, a step is repeated if its code or packages changed. A frozen
        release keeps its rows; it refuses other inputs, settings, prompts or versions.

        Raises:
            ReleaseConflict: the release is frozen, but the step was made differently or an option
                would repeat its calls.
        """
        commit = self.lake.commit_of(self.step)
        if commit is None:
            return None
        frozen = not may_change(self.step.release)
        if self._is_same(commit, frozen):
            again = self._option_that_repeats(commit)
            if frozen and again not in (None, "--force"):
                raise ReleaseConflict(
                    f"release {self.step.release} is frozen, and {again} would rewrite its "
                    f"{self.step.name}. Use another --release. To rewrite the whole release:\n"
                    f"  {again} --force"
                )
            return commit if again is None else None
        if frozen and not self.force:
            self._refuse_changes(commit)
        return None

    def _is_same(self, commit: Commit, frozen: bool) -> bool:
        """Whether a commit equals the step; a frozen release ignores code and packages."""
        if frozen:
            return _frozen_part(commit.identity) == _frozen_part(self.identity)
        return (commit.fingerprint, commit.made_by) == (fingerprint(self.identity), self.made_by)

    def _option_that_repeats(self, commit: Commit) -> str | None:
        if self.force or self.fresh:
            return "--force" if self.force else "--fresh"
        return "--retry-failed" if self.retry_failed and failures(self.lake, commit) else None

    def _refuse_changes(self, commit: Commit) -> None:
        before, now = _frozen_part(commit.identity), _frozen_part(self.identity)
        if self.grows:
            before, now = _of_both(before, now)
        if before != now:
            raise ReleaseConflict(
                f"release {self.step.release} is frozen, and its {self.step.name} would now be "
                f"made differently: {'; '.join(differences(before, now))}\n"
                "Use the original settings, another --release (`dev` and `*-dev` may change), "
                "or --force to rewrite this one."
            )


def committed(lake: Lake, settings: RunSettings, name: str) -> Commit:
    """Return a finished step's commit.

    Raises:
        MissingInput: this release does not have the step yet.
    """
    commit = lake.commit_of(LakeStep(settings.release, name))
    if commit is None:
        suite, *parts = name.split(".")
        verb = next(_VERBS[part] for part in (suite, *parts) if part in _VERBS)
        place = {each: getattr(settings, each) for each in ("release", "filings", "dataset")}
        place |= {"lake": lake.url} | ({"suite": suite} if parts else {})
        raise MissingInput(
            f"release {settings.release} has no {name} yet. Run this first:\n"
            f"  tenkbench {verb}{place_options(**place)}"
        )
    return commit


def _frozen_part(identity: Identity) -> Identity:
    """Drop what never locks a frozen release: packages, and what is known of models."""
    return {name: value for name, value in identity.items() if name not in ("packages", "models")}


def _of_both(before: Identity, now: Identity) -> tuple[Identity, Identity]:
    """Drop what may change in a growing step: inputs, audits, other models' cutoffs, and version.

    A frozen release keeps the numbers that another version gave.
    """
    known = before.get("cutoffs", {}).keys() & now.get("cutoffs", {}).keys()

    def comparable(identity: Identity) -> Identity:
        cutoffs = {model: identity["cutoffs"][model] for model in sorted(known)}
        return {**identity, "inputs": {}, "audits": {}, "cutoffs": cutoffs, "version": 0}

    return comparable(before), comparable(now)


def finished(plan: Callable[[], PlannedStep]) -> Commit | None:
    """Return a step's commit; None if it is not finished or an input is missing."""
    try:
        return plan().finished()
    except MissingInput:
        return None


# --- writing calls ---------------------------------------------------------------------------

_CALLS: dict[str, type] = {"prefixes": Prefix, "requests": Request, "responses": Response}

# Most prefixes and calls that a step keeps before it writes them: a prefix may hold a context.
_PREFIXES_OF_A_PART = 64
_CALLS_OF_A_PART = 1024


def write_full_parts(
    planned: PlannedStep, model: str, records: Mapping[str, OperationRecord], shard: int
) -> list[Part]:
    """Write the calls so far, between two streams, if those of an operation fill a part."""
    is_full = any(
        len(record.requests) >= _CALLS_OF_A_PART or len(record.prefixes) >= _PREFIXES_OF_A_PART
        for record in records.values()
    )
    return write_calls(planned, model, records, shard) if is_full else []


def write_calls(
    planned: PlannedStep,
    model: str,
    records: Mapping[str, OperationRecord],
    shard: int = 0,
    candidate: str = "none",
) -> list[Part]:
    """Write the prefixes, requests and responses of every operation asked of a model.

    `candidate` is the model that is judged. All parts of a table have the same keys, so tools
    that read the folders find one partitioning.
    """
    suite = planned.step.name.partition(".")[0]
    keys = {"suite": suite, "model": model, "candidate": candidate}
    parts = []
    for name, record in sorted(records.items()):
        # without requests, all are in a part; a primer's prefix is with the operation it serves
        for table, rows in record.take_rows(shard) if record.requests else ():
            if (table, name) != ("prefixes", PRIME):
                parts.append(planned.write(_CALLS[table], rows, shard, operation=name, **keys))
    return parts
