"""Build: run a suite's steps, from documents to cases and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar

from tasks.core.prefect_engine import task
from tasks.core.rows import Reject
from tasks.core.tables import table_of
from tasks.inference.client import Client
from tasks.inference.context import RunContext
from tasks.lake.lake import Commit, Lake, LakeError, Part
from tasks.pipeline.clients import client_of, rows_of
from tasks.pipeline.plan import plan_build
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import Planned, is_finished, write_calls, write_full_parts
from tasks.suites.suite import Step, StepInputs

Row = TypeVar("Row")
Only = tuple[str, Collection[str]]


class NothingBuilt(LakeError):
    """A step without a row for the next step."""


def step_shards(run: ResolvedRun, step: Step) -> list[int]:
    """Count the rows that each shard of a step reads; [0] if it is not divided.

    Empty if the step is finished.
    """
    planned = plan_build(run, step)
    if is_finished(planned, run.settings):
        return []
    if step.per is None:
        return [0]
    return [
        part.n_rows
        for commit in planned.inputs
        for part in commit.parts_of(table_of(step.per).name)
    ]


@task(
    name="build step",
    task_run_name="build {step.name}, shard {shard} of {n_shards}",
)
def build_shard(
    run: ResolvedRun, context: RunContext, step: Step, shard: int, n_shards: int
) -> list[Part]:
    """Run one shard of a build step and write its rows."""
    settings = run.settings
    lake = run.lake
    planned = plan_build(run, step)
    part = f"shard {shard + 1} of {n_shards}" if n_shards > 1 else ""
    engines: dict[str, Client] = {}
    for model in dict.fromkeys(model for role in step.asks for model in run.roles[role]):
        engines[model] = client_of(
            settings, context, model, run.suite.operations, part, shorter=run.shorter
        )
    inputs = StepInputs(
        suite=settings.suite,
        shard=() if step.per is None else _shard_of(lake, planned, step.per, shard),
        rows=_reader(lake, planned),
        parts=_parts_reader(lake, planned),
        engines={role: [engines[model] for model in run.roles[role]] for role in step.asks},
        models={role: rows_of(run, role) for role in step.asks},
        options=run.options,
        seed=settings.seed,
        encoding=settings.encoding,
    )
    parts: list[Part] = []

    def rows() -> Iterator[Any]:
        for row in step.run(inputs):
            for engine in engines.values():
                parts.extend(
                    write_full_parts(planned, settings, engine.model, engine.records, shard)
                )
            yield row

    parts += _write_rows(lake, planned, settings.suite, step, rows(), shard)
    for engine in engines.values():
        parts += write_calls(planned, settings, engine.model, engine.records, shard)
    return parts


@task(name="commit step", task_run_name="commit {step.name}")
def commit_step(run: ResolvedRun, step: Step, parts: list[Part]) -> Commit:
    """Make the rows of all shards of a step visible to readers.

    Raises:
        NothingBuilt: the step gave no row of its main type; the message counts the reasons.
    """
    lake = run.lake
    planned = plan_build(run, step)
    wanted = table_of(step.writes[0]).name
    if not step.may_be_empty and not any(part.n_rows for part in parts if part.table == wanted):
        raise NothingBuilt(_nothing(lake, run.settings, step, parts))
    return planned.commit(parts)


def _nothing(lake: Lake, settings: RunSettings, step: Step, parts: list[Part]) -> str:
    rejects = [part for part in parts if part.table == "rejects"]
    if not rejects:  # nothing reached the step, so the steps before it say why
        rejects = [
            part
            for commit in lake.commits(settings.release)
            for part in commit.parts
            if part.table == "rejects" and ("suite", settings.suite) in part.keys
        ]
    rows = [row for part in rejects for row in lake.rows_of(part, Reject)]
    reasons = Counter(row.reason for row in rows)
    counted = "".join(f"\n  {n:,} x {reason}" for reason, n in reasons.most_common())
    example = (
        f"\nFor example {rows[0].parent_id}: {rows[0].detail}" if rows and rows[0].detail else ""
    )
    where = ", ".join(f"{lake.url}/{part.path}" for part in rejects)
    listed = f"\nAll rejects, with details, are kept for a day in {where}" if where else ""
    return f"{step.name} gave no rows, so nothing was committed:{counted}{example}{listed}"


def _write_rows(
    lake: Lake, planned: Planned, suite: str, step: Step, rows: Iterable[Any], shard: int
) -> list[Part]:
    """Write a shard's rows by table and partition, a part as soon as it is full."""
    allowed = {*step.writes, Reject}
    parts: list[Part] = []
    waiting: dict[tuple[type, tuple[tuple[str, str], ...]], list[Any]] = {}
    n_written: Counter[type] = Counter()

    def write(row_type: type, keys: tuple[tuple[str, str], ...], some: list[Any]) -> None:
        number = n_written[row_type] if step.per is None else shard
        n_written[row_type] += 1
        parts.append(planned.write(row_type, some, number, **{"suite": suite, **dict(keys)}))

    for row in rows:
        row_type = type(row)
        if row_type not in allowed:
            raise TypeError(
                f"step {step.name} of {suite} gave a {row_type.__name__}, which its `writes` lacks"
            )
        own = [key for key in table_of(row_type).keys if key not in ("release", "suite")]
        keys = tuple((key, str(getattr(row, key))) for key in own)
        some = waiting.setdefault((row_type, keys), [])
        some.append(row)
        if step.per is None and len(some) == step.part_rows:
            write(row_type, keys, waiting.pop((row_type, keys)))
    for (row_type, keys), some in waiting.items():
        write(row_type, keys, some)
    return parts


def _shard_of(lake: Lake, planned: Planned, row_type: type[Row], shard: int) -> list[Row]:
    parts = [part for commit in planned.inputs for part in commit.parts_of(table_of(row_type).name)]
    return list(lake.rows_of(parts[shard], row_type))


def _reader(lake: Lake, planned: Planned) -> Any:
    def rows(row_type: type[Row], only: Only | None = None) -> Iterator[Row]:
        return (row for commit in planned.inputs for row in lake.each(commit, row_type, only))

    return rows


def _parts_reader(lake: Lake, planned: Planned) -> Callable[..., Iterator[tuple[list[Any], ...]]]:
    def parts(*row_types: type) -> Iterator[tuple[list[Any], ...]]:
        for commit in planned.inputs:
            found = [commit.parts_of(table_of(row_type).name) for row_type in row_types]
            for same in zip(*found, strict=True):
                read: tuple[list[Any], ...] = tuple(
                    list(lake.rows_of(part, row_type))
                    for part, row_type in zip(same, row_types, strict=True)
                )
                yield read
                for rows in read:
                    rows.clear()  # else two parts would be in memory while the next one is read

    return parts
