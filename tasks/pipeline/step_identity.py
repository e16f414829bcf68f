"""A step's identity: what its rows depend on, from a suite's declaration and a run's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.core.fingerprints import code_of, digest, file_hash, packages_of, release_of_tenkbench
from tasks.core.settings import FILE_SETTINGS, MODEL_SETTINGS, RunSettings, WrongSettings
from tasks.inference.prompts import prompts_of
from tasks.lake.lake import Identity, Lake, MadeBy, Step
from tasks.models.catalogue import find_model
from tasks.pipeline.steps import Planned, committed
from tasks.suites.registry import load_suite
from tasks.suites.suite import DependsOn, Suite
from tasks.warehouse.sql_files import in_order, sql_files

# What stands in place of an engine where a rule of the suite's own judges.
OWN_RULE = "rule"


def planned_of_suite(
    lake: Lake,
    run: RunSettings,
    step: str,
    name: str,
    *,
    parameters: dict[str, Any] | None = None,
    reads: Sequence[str] = (),
    source: Identity | None = None,
) -> Planned:
    """Plan a step whose rows depend on what the suite declares, and on the verb's own parameters."""
    depends = load_suite(run.suite).steps[step]
    return planned_step(
        lake,
        run,
        name,
        version=depends.version,
        packages=depends.packages,
        prompts=depends.prompts,
        suite=run.suite,
        parameters=settings_of(depends, run) | (parameters or {}),
        reads=reads,
        source=source,
    )


def settings_of(depends: DependsOn, run: RunSettings) -> dict[str, Any]:
    """Settings as a step's identity holds them: a model by its name and revision, a file by its content."""
    suite = load_suite(run.suite)
    found: dict[str, Any] = {}
    for name in depends.settings:
        value = suite.setting(run, name)
        if name in FILE_SETTINGS:
            found[name] = option_hash(name.replace("_", "-"), value)
        elif name not in MODEL_SETTINGS:
            found[name] = value
        elif isinstance(value, str):
            found[name] = named_model(run, value)
        else:
            found[name] = [named_model(run, each) for each in value]
    return found


def sql_hash(*relations: str) -> str:
    """Hash of the files of `sql/` that some relations are made from."""
    return digest([(file.path, file.text) for file in in_order(sql_files(), " ".join(relations))])


def planned_step(
    lake: Lake,
    run: RunSettings,
    name: str,
    *,
    version: int,
    parameters: dict[str, Any],
    packages: Sequence[str] = (),
    prompts: Sequence[str] = (),
    suite: str | None = None,
    reads: Sequence[str] = (),
    source: Identity | None = None,
    code: Mapping[str, str] | None = None,
) -> Planned:
    """Plan a step; its identity is what its rows depend on, its code is only recorded.

    Args:
        version: raised by whoever changes what rows the step gives.
        packages: whose data reach the step's rows, besides tiktoken's.
        suite: whose code makes the rows; None for a step that all suites share.
        source: what the identity holds besides.
        code: hashes to record besides those of the rooms that make rows.

    Raises:
        MissingInput: what it reads is not there yet.
    """
    inputs = [committed(lake, run.release, read) for read in reads]
    identity: Identity = {
        "parameters": parameters,
        "inputs": {commit.step.name: commit.content for commit in inputs},
        "prompts": prompts_of(prompts),
        "version": version,
        "packages": packages_of(("tiktoken", *packages)),
    }
    made_by = MadeBy(release_of_tenkbench(), {**code_of(suite), **(code or {})})
    return Planned(Step(run.release, name), identity | (source or {}), made_by, tuple(inputs))


def named_model(run: RunSettings, model: str) -> dict[str, Any]:
    """A model as a step's identity holds it: where it is served is not part of it."""
    row = find_model(model, run.models_file)
    return {"name": row.name, "engine": row.engine, "identity": row.identity}


def option_hash(option: str, file: str | None) -> str | None:
    """Hash of the file that an option names, where it names one.

    Raises:
        WrongSettings: there is no such file.
    """
    if file is None:
        return None
    if not Path(file).is_file():
        raise WrongSettings(f"--{option}: no file {file}")
    return file_hash(Path(file))


def named_judge(run: RunSettings, suite: Suite, judge: str) -> dict[str, Any]:
    """A judge as a step's identity holds it: a model, or a rule of the suite's own."""
    if judge in suite.own_judges:
        return {"name": judge, "engine": OWN_RULE, "identity": OWN_RULE}
    return named_model(run, judge)
