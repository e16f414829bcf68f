"""What a release accepts of answers made elsewhere, and how answers that it has are judged."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tasks.inference.imported import Answers, WrongAnswers, read_answers
from tasks.lake.lake import Lake, LakeStep, may_change
from tasks.models.catalogue import IMPORTED
from tasks.pipeline.plan import answers_step, built_steps
from tasks.pipeline.resolved import ResolvedRun, resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import committed


def load_answers(run: RunSettings, files: Collection[Path]) -> tuple[Answers, int]:
    """Read answers to the cases of a release; return them with the number of its cases.

    Raises:
        MissingInput: the cases are not built.
        UnknownModel: a name belongs to the catalogue, or cannot be a model's.
        WrongAnswers: see `read_answers`; or the release has other answers under a name.
    """
    resolved = resolve(run)
    lake = resolved.lake.as_of_now()
    built = [committed(lake, run, name) for name in built_steps(resolved)]
    cases = {case_id for commit in built for (case_id,) in lake.columns(commit, "cases", "case_id")}
    answers = read_answers(files, cases)
    for model in answers:
        resolved.row(imported_as(model))
        check_free(resolved, model)
    return answers, len(cases)


def imported_as(model: str) -> str:
    """Return the name by which commands know an imported model."""
    return f"{model}@{IMPORTED}"


def judges_of_others(lake: Lake, run: RunSettings, models: Collection[str]) -> tuple[str, ...]:
    """Return the judges of a suite's other models in the release, as `--judge` names them."""
    keys = [
        dict(part.keys)
        for commit in lake.commits(run.release)
        if commit.step.name.startswith(f"{run.suite}.judge.")
        for part in commit.parts_of("judgements")
    ]
    return tuple(dict.fromkeys(key["judge"] for key in keys if key["model"] not in models))


def check_free(resolved: ResolvedRun, model: str) -> None:
    """Refuse a name whose answers in the release an import may not replace."""
    run = resolved.settings
    commit = resolved.lake.commit_of(LakeStep(run.release, answers_step(resolved, model)))
    engine = IMPORTED if commit is None else commit.identity["parameters"]["model"]["engine"]
    if engine != IMPORTED:
        raise WrongAnswers(
            f"Release '{run.release}' has answers of '{model}' that the engine {engine} gave. "
            "Nothing was imported. Give the imported ones another model name."
        )
    if commit is not None and not may_change(run.release) and not run.force:
        raise WrongAnswers(
            f"Release '{run.release}' is frozen and has imported answers of '{model}'. Nothing was "
            "imported. Give these another model name, or replace those with --force."
        )
