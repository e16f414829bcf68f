"""Build: run a suite's steps, from documents to cases and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from tasks.core.prefect_engine import task
from tasks.core.rows import Reject
from tasks.core.tables import table_of
from tasks.inference.client import Client
from tasks.lake.lake import Commit, LakeError, Part
from tasks.pipeline.clients import client_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.steps import PlannedStep, write_calls, write_full_parts
from tasks.suites.suite import Step, StepInputs

Keys = tuple[tuple[str, str], ...]


class NothingBuilt(LakeError):
    """A step without a row for the next step."""


def step_shards(planned: PlannedStep, step: Step) -> list[int]:
    """Count the rows that each shard of a step reads; [0] if it is not divided.

    Empty if the step is finished.
    """
    if planned.finished():
        return []
    return [0] if step.per is None else [part.n_rows for part in _parts_of(planned, step.per)]


def _parts_of(planned: PlannedStep, row_type: type) -> list[Part]:
    table = table_of(row_type).name
    return [part for commit in planned.inputs for part in commit.parts_of(table)]


@task(name="build step", task_run_name="build {step.name}, shard {shard} of {n_shards}")
def build_shard(
    run: ResolvedRun, planned: PlannedStep, step: Step, shard: int, n_shards: int
) -> list[Part]:
    """Run one shard of a build step and write its rows."""
    part = f"shard {shard + 1} of {n_shards}" if n_shards > 1 else ""
    models = dict.fromkeys(model for role in step.asks for model in run.roles[role])
    engines = {model: client_of(run, model, part) for model in models}
    inputs = _inputs(run, planned, step, shard, engines)
    parts: list[Part] = []

    def rows() -> Iterator[Any]:
        for row in step.run(inputs):
            for engine in engines.values():
                parts.extend(write_full_parts(planned, engine.model, engine.records, shard))
            yield row

    parts += _write_rows(planned, run.suite.name, step, rows(), shard)
    for engine in engines.values():
        parts += write_calls(planned, engine.model, engine.records, shard)
    return parts


def _inputs(
    run: ResolvedRun, planned: PlannedStep, step: Step, shard: int, engines: dict[str, Client]
) -> StepInputs:
    rows: list[Any] = []
    if step.per is not None:
        rows = [*planned.lake.rows_of(_parts_of(planned, step.per)[shard], step.per)]
    return StepInputs(
        suite=run.suite.name,
        shard=rows,
        rows=planned.rows,
        parts=partial(_read_parts, planned),
        engines={role: [engines[model] for model in run.roles[role]] for role in step.asks},
        models={role: [*map(run.row, run.roles[role])] for role in step.asks},
        options=run.options,
        seed=run.option("seed"),
        encoding=run.option("encoding"),
    )


@task(name="commit step", task_run_name="commit {step.name}")
def commit_step(run: ResolvedRun, planned: PlannedStep, step: Step, parts: list[Part]) -> Commit:
    """Make the rows of all shards of a step visible to readers.

    Raises:
        NothingBuilt: the step gave no row of its main type; the message counts the reasons.
    """
    table = table_of(step.writes[0]).name
    if not step.may_be_empty and not any(part.n_rows for part in parts if part.table == table):
        played = [role for role in step.asks if "extractive" in run.roles[role]]
        options = "".join(f" --{role.replace('_', '-')} MODEL" for role in played)
        hint = (
            f"\nRules ask about tables only. Models read text, too:{options}. Where a suite has "
            "--context-tokens, more of them show more of a filing; --suite all tries each suite"
        )
        raise NothingBuilt(_nothing(run, planned, parts) + (hint if played else ""))
    return planned.commit(parts)


def _nothing(run: ResolvedRun, planned: PlannedStep, parts: list[Part]) -> str:
    lake, step, suite = planned.lake, planned.step, run.suite.name
    rejects = [part for part in parts if part.table == "rejects"]
    if not rejects:  # nothing reached the step, so the steps before it say why
        commits = lake.commits(step.release)
        rejects = [part for commit in commits for part in commit.parts_of("rejects", suite=suite)]
    rows = [row for part in rejects for row in lake.rows_of(part, Reject)]
    reasons = Counter(row.reason for row in rows)
    counted = "".join(f"\n  {n:,} x {reason}" for reason, n in reasons.most_common())
    example = (
        f"\nFor example {rows[0].parent_id}: {rows[0].detail}" if rows and rows[0].detail else ""
    )
    where = ", ".join(f"{lake.url}/{part.path}" for part in rejects)
    listed = f"\nAll rejects, with details, are kept for a day in {where}" if where else ""
    name = step.name.removeprefix(f"{suite}.build.")
    return f"{name} gave no rows, so nothing was committed:{counted}{example}{listed}"


def _write_rows(
    planned: PlannedStep, suite: str, step: Step, rows: Iterable[Any], shard: int
) -> list[Part]:
    """Write a shard's rows by table and partition, a part as soon as it is full."""
    allowed = {*step.writes, Reject}
    parts: list[Part] = []
    waiting: dict[tuple[type, Keys], list[Any]] = {}
    n_written: Counter[type] = Counter()

    def write(row_type: type, keys: Keys) -> None:
        number = n_written[row_type] if step.per is None else shard
        n_written[row_type] += 1
        full = waiting.pop((row_type, keys))
        parts.append(planned.write(row_type, full, number, **{"suite": suite, **dict(keys)}))

    for row in rows:
        row_type = type(row)
        if row_type not in allowed:
            raise TypeError(
                f"step {step.name} of {suite} gave a {row_type.__name__}, which its `writes` lacks"
            )
        own = [key for key in table_of(row_type).keys if key not in ("release", "suite")]
        keys = tuple((key, str(getattr(row, key))) for key in own)
        held = waiting.setdefault((row_type, keys), [])
        held.append(row)
        if step.per is None and len(held) == step.part_rows:
            write(row_type, keys)
    for row_type, keys in [*waiting]:
        write(row_type, keys)
    return parts


def _read_parts(planned: PlannedStep, *row_types: type) -> Iterator[tuple[list[Any], ...]]:
    for commit in planned.inputs:
        tables = [commit.parts_of(table_of(row_type).name) for row_type in row_types]
        for same in zip(*tables, strict=True):
            both = zip(same, row_types, strict=True)
            read: tuple[list[Any], ...] = tuple(
                [*planned.lake.rows_of(part, row_type)] for part, row_type in both
            )
            yield read
            for rows in read:
                rows.clear()  # else two parts would be in memory while the next one is read
