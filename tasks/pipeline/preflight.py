"""Checks before a run starts: its models, their rules, windows and prices."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.inference.engines import ENGINES
from tasks.models.catalogue import IMPORTED, Model, WrongModelsFile, costs_unknown, name_of
from tasks.models.windows import Need, check_window
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import WrongSettings, flag
from tasks.suites.suite import AnyOperation


def check_models(run: ResolvedRun) -> list[Need]:
    """Refuse models that do not exist, are too small, lack a rule or, with a budget, a price.

    Returns the models, each with the limits of its answers.

    Raises:
        UnknownModel, WrongModelsFile: a model or its engine does not exist.
        DoesNotFit: a model's window has no room for an answer.
        WrongSettings: the message names the model and what it lacks.
    """
    needs = model_needs(run)
    _check_rules(run)
    for need in needs:
        check_window(need)
        if run.settings.budget is not None and costs_unknown(need.model):
            raise WrongSettings(
                f"--budget needs the price of {need.model.name}, which is unknown. "
                "Set it in a models file. If the model is free:\n"
                "  price = { prompt = 0, output = 0 }"
            )
    return needs


def check_engine(model: Model, models_file: str | None) -> None:
    """Refuse a model whose engine does not exist.

    Raises:
        WrongModelsFile: the message lists the engines.
    """
    if model.engine not in ENGINES:
        raise WrongModelsFile(
            f"{models_file}: model {model.name}: there is no engine {model.engine!r}; "
            f"engines are {', '.join(ENGINES)}"
        )


def model_needs(run: ResolvedRun) -> list[Need]:
    """List a run's models, each with the limits of its answers; raises as `check_models`.

    Prompts do not exist yet: infer looks at those of all cases, and a client at its own.
    """
    _check_images(run)
    limits = dict.fromkeys(
        (model, operation.sampling.max_tokens)
        for _, model, operations in _roles_played(run)
        for operation in operations
    )
    needs = [Need(run.row(model), 0, n_output) for model, n_output in limits]
    for need in needs:
        check_engine(need.model, run.settings.models_file)
    return needs


def _roles_played(run: ResolvedRun) -> Iterator[tuple[str, str, tuple[AnyOperation, ...]]]:
    """Yield each role, a model that plays it, and the operations that it is asked."""
    for model in run.models:
        yield "model", model, run.answers_to(run.row(model).shown)
    for step in run.build:
        for role, operations in step.asks.items():
            yield from ((role, model, operations) for model in run.roles[role])
    for judge in run.judges:
        if judge.model is not None:
            yield "judge", judge.model, judge.judge.asks


def _check_images(run: ResolvedRun) -> None:
    """Refuse models under test that are shown images if the suite has none, or if text varies."""
    for model in run.models:
        if run.row(model).shown != "images":
            continue
        shown = f'"{name_of(model)}" is shown images (shown = "images" in its row)'
        if run.suite.image_answer is None:
            raise WrongSettings(
                f'{shown}, and suite "{run.suite.name}" has none. Name a model that is shown text.'
            )
        for option in run.suite.asked_by:
            ways = run.option(option)
            if isinstance(ways, tuple) and len(ways) > 1:
                raise WrongSettings(
                    f"{shown}, which are the same for each {flag(option)}: every question would "
                    f"count {len(ways)} times. Name one {flag(option)}, or leave this model out."
                )


def _check_rules(run: ResolvedRun) -> None:
    """Refuse a rule-based model if the suite lacks a rule for an operation."""
    for role, model, operations in _roles_played(run):
        engine = run.row(model).engine
        if engine == IMPORTED and role != "model":
            raise WrongSettings(
                f'"{name_of(model)}" has imported answers only and cannot be called. Name another '
                f"{flag(role)}."
            )
        names = {operation.name for operation in operations}
        missing = sorted(names - rules_of(run, model).keys()) if engine == "extractive" else []
        if missing:
            listed = ", ".join(f'"{operation}"' for operation in missing)
            raise WrongSettings(
                f'"{name_of(model)}" answers by rules, and suite "{run.suite.name}" has no rule '
                f"for {listed}.\n"
                "Name a model that can answer:\n"
                f"  tenkbench run --suite {run.suite.name} --{role} MODEL"
            )
