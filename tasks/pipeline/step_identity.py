"""Step identities: what rows depend on, from a suite's declaration and a run's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.core.fingerprints import code_of, digest, file_hash, version_of
from tasks.inference.own_prompts import REPAIR
from tasks.inference.prompts import is_own, prompts_of
from tasks.lake.lake import Identity, LakeStep, MadeBy
from tasks.pipeline.resolved import NamedJudge, ResolvedRun, is_file_option
from tasks.pipeline.steps import PlannedStep, committed
from tasks.suites.registry import SUITES
from tasks.suites.suite import AnyOperation
from tasks.warehouse.sql_files import in_order, sql_files

OWN_RULE = "rule"  # instead of an engine, if a rule of the suite judges


def planned_step(
    run: ResolvedRun,
    name: str,
    *,
    version: int,
    parameters: dict[str, Any],
    packages: Sequence[str] = (),
    prompts: Sequence[str] = (),
    reads: Sequence[str] = (),
    source: Identity | None = None,
    code: Mapping[str, str] | None = None,
    is_shared: bool = False,
    grows: bool = False,
) -> PlannedStep:
    """Plan a step; its identity is what its rows depend on, its code is only recorded.

    Args:
        packages: packages whose data affect the rows, besides tiktoken.
        prompts: files and folders of prompts, `<suite>/<file>`.
        source: additional content of the identity.
        code: hashes to record besides those of the packages that make rows.
        is_shared: whether no code of the suite makes its rows.
        grows: see `PlannedStep`.

    Raises:
        MissingInput: an input step is not finished.
    """
    settings = run.settings
    inputs = [committed(run.lake, settings, read) for read in reads]
    identity: Identity = {
        "parameters": parameters,
        "inputs": {commit.step.name: commit.content for commit in inputs},
        "prompts": prompts_of(prompts),
        "version": version,
        "packages": {name: version_of(name) for name in ("tiktoken", *packages)},
        **(source or {}),
    }
    hashes = {**code_of(None if is_shared else SUITES[run.suite.name]), **(code or {})}
    judges = [judge.name for judge in run.judges]
    return PlannedStep(
        lake=run.lake,
        step=LakeStep(settings.release, name),
        identity=identity,
        made_by=MadeBy(version_of("tenkbench") or "not installed", hashes, judges=judges),
        inputs=tuple(inputs),
        grows=grows,
        force=settings.force,
        fresh=settings.fresh,
        retry_failed=settings.retry_failed,
    )


def options_of(run: ResolvedRun, names: Sequence[str]) -> dict[str, Any]:
    """Return options for an identity; a file counts by its content."""
    values = {name: run.option(name) for name in names}
    for name, value in values.items():
        if value is not None and is_file_option(run.suite, name):
            values[name] = file_hash(value)
        elif isinstance(value, tuple):  # a list in the commit that it is compared with
            values[name] = [*value]
    return values


def roles_of(run: ResolvedRun, roles: Sequence[str]) -> dict[str, Any]:
    """Return roles for an identity: a model, or a list if the role allows several."""
    single = {role.name for role in run.suite.roles if role.models == (1, 1)}
    models = {role: [named_model(run, model) for model in run.roles[role]] for role in roles}
    return {role: rows[0] if role in single else rows for role, rows in models.items()}


def prompt_files(
    operations: Sequence[AnyOperation], files: Sequence[str] | None = None
) -> tuple[str, ...]:
    """List the prompt files of some operations, then `files`.

    Args:
        files: of a builder or judge; None of models under test, who are never asked for a repair.
    """
    # the packaged text is in no identity, so that a new one locks no frozen release
    is_repaired = operations and files is not None and is_own(REPAIR)
    return (
        *dict.fromkeys(file for operation in operations for file in operation.prompt_files),
        *(files or ()),
        *((REPAIR,) if is_repaired else ()),
    )


def sql_hash(*relations: str) -> str:
    """Hash the files of `sql/` that some relations depend on."""
    return digest([(file.path, file.text) for file in in_order(sql_files(), " ".join(relations))])


def named_model(run: ResolvedRun, model: str) -> dict[str, Any]:
    """Return a model for an identity, without the place where it is served."""
    row = run.row(model)
    return {"name": row.name, "engine": row.engine, "identity": row.identity}


def judge_of(run: ResolvedRun, judge: NamedJudge) -> dict[str, Any]:
    """Return a judge for an identity: a model, or a rule of the suite."""
    if judge.model is None:
        return {"name": judge.name, "engine": OWN_RULE, "identity": OWN_RULE}
    return {**named_model(run, judge.model), "name": judge.name}
