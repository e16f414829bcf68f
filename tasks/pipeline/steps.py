"""A step: what its rows depend on, whether the lake holds it, and how it is written.

A step's identity holds its parameters, its version, the content of the steps that it reads, the hashes of
its prompts and the versions of packages. Which steps a run has is in `tasks.pipeline.plan`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Prefix, Request, Response
from tasks.inference.call_records import OperationRecord
from tasks.inference.operation import PRIME
from tasks.lake.lake import (
    Commit,
    Identity,
    Lake,
    LakeError,
    MadeBy,
    Part,
    ReleaseConflict,
    Step,
    differences,
    fingerprint,
    may_change,
)
from tasks.pipeline.settings import RunSettings

# What a step is named by -> the command that makes it.
_VERBS = {name: name for name in ("ingest", "build", "infer", "judge", "score")} | {
    "rejudge": "judge",
    "attack": "judge",
}


class MissingInput(LakeError):
    """A verb was asked for before the verb whose tables it reads."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A step as this run would make it."""

    step: Step
    identity: Identity
    made_by: MadeBy
    inputs: tuple[Commit, ...]
    grows: bool = (
        False  # whether more inputs may come in a frozen release too: metrics of one more model
    )

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    def input(self, name: str) -> Commit:
        """The commit of a step that is read, as it was when the step was planned."""
        return next(commit for commit in self.inputs if commit.step.name == name)

    def finished(self, lake: Lake) -> Commit:
        """The commit of a step that is finished.

        Raises:
            MissingInput: it is not, or another run has taken it back.
        """
        return committed(lake, self.step.release, self.step.name)

    def write(
        self, lake: Lake, row_type: type, rows: Iterable[Any], shard: int = 0, **keys: str
    ) -> Part:
        """Write one part of the step."""
        return lake.write(self.step, self.identity, row_type, rows, shard, **keys)

    def commit(self, lake: Lake, parts: Sequence[Part]) -> Commit:
        """Make the parts what readers see."""
        return lake.commit(self.step, self.identity, parts, self.inputs, self.made_by)


def committed(lake: Lake, release: str, name: str) -> Commit:
    """A finished step's commit.

    Raises:
        MissingInput: the step has not been run in this release.
    """
    commit = lake.commit_of(Step(release, name))
    if commit is None:
        verb = next(_VERBS[part] for part in name.split(".") if part in _VERBS)
        raise MissingInput(f"release {release} has no {name} yet; run `tenkbench {verb}` first")
    return commit


def is_finished(lake: Lake, planned: Planned, run: RunSettings) -> bool:
    """Whether the lake already holds the step as planned.

    In a release that may change, other code or other packages make a step again. A frozen release
    keeps what it has: only other inputs, settings, prompts or another version are refused.

    Raises:
        ReleaseConflict: it holds the step made differently, or is to be asked again, and the release is frozen.
    """
    commit = lake.commit_of(planned.step)
    if commit is None:
        return False
    frozen = not may_change(planned.step.release)
    if _is_same(commit, planned, frozen):
        if run.force:
            return False
        again = _option_that_asks_again(run, lake, commit)
        if again is not None and frozen:
            raise ReleaseConflict(
                f"release {planned.step.release} is frozen, and {again} would rewrite its {planned.step.name}; use "
                f"another --release, or {again} --force to rewrite the whole release"
            )
        return again is None
    before, now = _without_packages(commit.identity), _without_packages(planned.identity)
    if planned.grows:
        before, now = _of_both(before, now)
    if frozen and not run.force and before != now:
        changed = "; ".join(differences(before, now))
        raise ReleaseConflict(
            f"release {planned.step.release} is frozen, and its {planned.step.name} would now be made "
            f"differently: {changed}\n"
            "use another --release (`dev` and names that end in -dev may change), the settings it was made with, "
            "or --force to rewrite it"
        )
    return False


def _is_same(commit: Commit, planned: Planned, frozen: bool) -> bool:
    """Whether a commit is what the step would be made as; in a frozen release whatever code made it."""
    if frozen:
        return _without_packages(commit.identity) == _without_packages(planned.identity)
    return (commit.fingerprint, commit.made_by) == (planned.fingerprint, planned.made_by)


def _without_packages(identity: Identity) -> Identity:
    """An identity as a frozen release compares it: an upgraded package locks no release."""
    return {name: value for name, value in identity.items() if name != "packages"}


def _of_both(before: Identity, now: Identity) -> tuple[Identity, Identity]:
    """Two identities of a step that grows, without what may be added: inputs, audits, and other models' cutoffs."""
    known = before.get("cutoffs", {}).keys() & now.get("cutoffs", {}).keys()

    def compared(identity: Identity) -> Identity:
        cutoffs = {model: identity["cutoffs"][model] for model in sorted(known)}
        return {**identity, "inputs": {}, "audits": {}, "cutoffs": cutoffs}

    return compared(before), compared(now)


def _option_that_asks_again(run: RunSettings, lake: Lake, commit: Commit) -> str | None:
    if run.fresh:
        return "--fresh"
    return "--retry-failed" if run.retry_failed and failures(lake, commit) else None


def finished(lake: Lake, run: RunSettings, plan: Callable[[], Planned]) -> Commit | None:
    """The commit of a step that the lake holds as this run would make it; see `is_finished`."""
    try:
        planned = plan()
    except MissingInput:
        return None
    return planned.finished(lake) if is_finished(lake, planned, run) else None


def failures(lake: Lake, commit: Commit) -> Counter[str]:
    """Of a step's calls to a model that were not answered: why, and how many."""
    errors = lake.read_pairs(commit, "responses", "request_id", "error")
    return Counter(error for error in errors.values() if error is not None)


_CALLS: dict[str, type] = {"prefixes": Prefix, "requests": Request, "responses": Response}


def write_calls(
    lake: Lake,
    planned: Planned,
    run: RunSettings,
    model: str,
    records: Mapping[str, OperationRecord],
    shard: int = 0,
    candidate: str = "none",
) -> list[Part]:
    """The prefixes, requests and responses of every operation that a model was asked.

    `candidate` is the model that is judged. All parts of a table have the same keys, so that
    tools which read the folders find one partitioning.
    """
    parts = []
    for name, record in sorted(records.items()):
        for table, rows in record.rows(shard):
            if (table, name) == ("prefixes", PRIME):  # those of the operation that it serves
                continue
            parts.append(
                planned.write(
                    lake,
                    _CALLS[table],
                    rows,
                    shard,
                    suite=run.suite,
                    operation=name,
                    model=model,
                    candidate=candidate,
                )
            )
    return parts
