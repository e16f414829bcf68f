"""A step: what its rows depend on, whether the lake holds it, and how it is written.

A step's identity holds its parameters and version, the content of the steps that it reads, the
hashes of its prompts and the versions of packages. `tasks.pipeline.plan` lists a run's steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from tasks.pipeline.settings import RunSettings, place_options

# Part of a step's name -> the command that makes it.
_VERBS = {name: name for name in ("ingest", "build", "infer", "judge", "score")} | {
    "rejudge": "judge",
    "attack": "judge",
}


class MissingInput(LakeError):
    """A step whose input has not been made yet."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A step as this run would make it.

    Attributes:
        grows: whether a frozen release accepts more inputs, such as one more model's metrics.
    """

    lake: Lake
    step: Step
    identity: Identity
    made_by: MadeBy
    inputs: tuple[Commit, ...]
    grows: bool = False

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    def input(self, name: str) -> Commit:
        """Return the commit of an input step, as it was at planning."""
        return next(commit for commit in self.inputs if commit.step.name == name)

    def finished(self) -> Commit:
        """Return the commit of this finished step.

        Raises:
            MissingInput: it is not finished, or another run has retired it.
        """
        return committed(self.lake, self.step.release, self.step.name)

    def write(self, row_type: type, rows: Iterable[Any], shard: int = 0, **keys: str) -> Part:
        """Write one part of the step."""
        return self.lake.write(self.step, self.identity, row_type, rows, shard, **keys)

    def commit(self, parts: Sequence[Part]) -> Commit:
        """Make the parts visible to readers."""
        return self.lake.commit(self.step, self.identity, parts, self.inputs, self.made_by)


def committed(lake: Lake, release: str, name: str) -> Commit:
    """Return a finished step's commit.

    Raises:
        MissingInput: this release does not have the step yet.
    """
    commit = lake.commit_of(Step(release, name))
    if commit is None:
        suite, *parts = name.split(".")
        verb = next(_VERBS[part] for part in (suite, *parts) if part in _VERBS)
        place = {"lake": lake.url, "release": release} | ({"suite": suite} if parts else {})
        raise MissingInput(
            f"release {release} has no {name} yet. Run this first:\n"
            f"  tenkbench {verb}{place_options(**place)}"
        )
    return commit


def is_finished(planned: Planned, run: RunSettings) -> bool:
    """Whether the lake already holds the step as planned.

    In a release that may change, a step is repeated if its code or packages changed. A frozen
    release keeps its rows; it refuses other inputs, settings, prompts or versions.

    Raises:
        ReleaseConflict: the release is frozen, but the step was made differently or an option
            would repeat its calls.
    """
    commit = planned.lake.commit_of(planned.step)
    if commit is None:
        return False
    frozen = not may_change(planned.step.release)
    if _is_same(commit, planned, frozen):
        if run.force:
            return False
        again = _option_that_asks_again(run, planned.lake, commit)
        if again is not None and frozen:
            raise ReleaseConflict(
                f"release {planned.step.release} is frozen, and {again} would rewrite its "
                f"{planned.step.name}. Use another --release. To rewrite the whole release:\n"
                f"  {again} --force"
            )
        return again is None
    before, now = _frozen_part(commit.identity), _frozen_part(planned.identity)
    if planned.grows:
        before, now = _of_both(before, now)
    if frozen and not run.force and before != now:
        changed = "; ".join(differences(before, now))
        raise ReleaseConflict(
            f"release {planned.step.release} is frozen, and its {planned.step.name} would now be "
            f"made differently: {changed}\n"
            "Use the original settings, another --release (`dev` and `*-dev` may change), "
            "or --force to rewrite this one."
        )
    return False


def _is_same(commit: Commit, planned: Planned, frozen: bool) -> bool:
    """Whether a commit equals the planned step; a frozen release ignores code and packages."""
    if frozen:
        return _frozen_part(commit.identity) == _frozen_part(planned.identity)
    return (commit.fingerprint, commit.made_by) == (planned.fingerprint, planned.made_by)


def _frozen_part(identity: Identity) -> Identity:
    """Drop what never locks a frozen release: packages, and what is known of models."""
    return {name: value for name, value in identity.items() if name not in ("packages", "models")}


def _of_both(before: Identity, now: Identity) -> tuple[Identity, Identity]:
    """Drop what may change in a growing step: inputs, audits, other models' cutoffs, and version.

    A frozen release keeps the numbers that another version gave.
    """
    known = before.get("cutoffs", {}).keys() & now.get("cutoffs", {}).keys()

    def compared(identity: Identity) -> Identity:
        cutoffs = {model: identity["cutoffs"][model] for model in sorted(known)}
        return {**identity, "inputs": {}, "audits": {}, "cutoffs": cutoffs, "version": 0}

    return compared(before), compared(now)


def _option_that_asks_again(run: RunSettings, lake: Lake, commit: Commit) -> str | None:
    if run.fresh:
        return "--fresh"
    return "--retry-failed" if run.retry_failed and failures(lake, commit) else None


def finished(run: RunSettings, plan: Callable[[], Planned]) -> Commit | None:
    """Return a step's commit, or None if `is_finished` is False or an input is missing."""
    try:
        planned = plan()
    except MissingInput:
        return None
    return planned.finished() if is_finished(planned, run) else None


def failures(lake: Lake, commit: Commit) -> Counter[tuple[str, str]]:
    """Count a step's failed calls to models by type and error, without primers."""
    found = replies(lake, commit, "error_type", "error")
    return Counter((kind, error) for kind, error in found if error is not None)


def cut_off(lake: Lake, commit: Commit) -> tuple[int, int]:
    """Count a step's replies that end at their max_tokens, empty or not, and all its replies."""
    ends = [end for (end,) in replies(lake, commit, "finish_reason") if end is not None]
    return ends.count("length"), len(ends)


def limited_answers(lake: Lake, commit: Commit, most_of: Mapping[str, int]) -> Counter[int]:
    """Count a step's answers that were limited to what was left of a window, by their limit.

    Args:
        most_of: operation -> most tokens of its answer, unless the step records them itself.
    """
    recorded = commit.identity.get("parameters", {}).get("sampling", {})
    most_of = {**most_of, **{name: each["max_tokens"] for name, each in recorded.items()}}
    sent = {
        request_id
        for request_id, status in lake.columns(commit, "responses", "request_id", "status")
        if status == "ok"
    }
    requests = lake.columns(commit, "requests", "request_id", "operation", "sampling")
    return Counter(
        sampling["max_tokens"]
        for request_id, operation, sampling in requests
        if request_id in sent and sampling["max_tokens"] < most_of.get(operation, 0)
    )


def replies(lake: Lake, commit: Commit, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a step's responses, without those to primers."""
    operations = lake.columns(commit, "requests", "request_id", "operation")
    primers = {request_id for request_id, operation in operations if operation == PRIME}
    for request_id, *values in lake.columns(commit, "responses", "request_id", *columns):
        if request_id not in primers:
            yield tuple(values)


_CALLS: dict[str, type] = {"prefixes": Prefix, "requests": Request, "responses": Response}


# Most prefixes and calls that a step keeps before it writes them: a prefix may hold a context.
_PREFIXES_OF_A_PART = 64
_CALLS_OF_A_PART = 1024


def write_full_parts(
    planned: Planned,
    run: RunSettings,
    model: str,
    records: Mapping[str, OperationRecord],
    shard: int,
) -> list[Part]:
    """Write each operation's calls so far, or their prefixes, if they fill a part."""
    if any(len(record.requests) >= _CALLS_OF_A_PART for record in records.values()):
        return write_calls(planned, run, model, records, shard)
    parts = []
    for name, record in records.items():
        if len(record.prefixes) >= _PREFIXES_OF_A_PART:
            rows = record.take_prefixes()
            if name != PRIME:
                keys = {"suite": run.suite, "operation": name, "model": model}
                parts.append(planned.write(Prefix, rows, shard, **keys, candidate="none"))
    return parts


def write_calls(
    planned: Planned,
    run: RunSettings,
    model: str,
    records: Mapping[str, OperationRecord],
    shard: int = 0,
    candidate: str = "none",
) -> list[Part]:
    """Write the prefixes, requests and responses of every operation asked of a model.

    `candidate` is the model that is judged. All parts of a table have the same keys, so tools
    that read the folders find one partitioning.
    """
    parts = []
    for name, record in sorted(records.items()):
        if not record.requests:  # all are in a part
            continue
        for table, rows in record.take_rows(shard):
            if (table, name) == ("prefixes", PRIME):  # the operation that it serves has them
                continue
            parts.append(
                planned.write(
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
