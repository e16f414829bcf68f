"""Checks before a run starts: its published file, its models and their windows."""

from __future__ import annotations

from collections.abc import Iterator, Set

from tasks.inference.engines import ENGINES
from tasks.inference.images.chromium import find_chromium
from tasks.models.catalogue import (
    IMPORTED,
    Model,
    WrongModelsFile,
    check_reachable,
    costs_unknown,
    find_model,
    name_of,
)
from tasks.models.windows import Need
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import WrongSettings, flag


def check_dataset(run: ResolvedRun) -> None:
    """Refuse a published file that is not in the suite's layout.

    Raises:
        WrongSettings: the suite has none.
        DatasetError: the file has another layout, or cannot be read.
    """
    if run.settings.dataset is None:
        return
    if run.suite.published is None:
        raise WrongSettings(f"{run.suite.name} has no published file: leave out --dataset")


def check_models(run: ResolvedRun) -> None:
    """Refuse models that do not exist, lack a rule or, with a budget, a price.

    Raises:
        UnknownModel, UnknownSuite: a model or suite does not exist.
        WrongModelsFile: a row names an unknown engine.
        WrongSettings: a rule-based model lacks a rule that it needs, or there is a budget, and a
            model's price is unknown.
    """
    needs = model_needs(run)
    _check_rules(run)
    for need in needs:
        if run.settings.budget is not None and costs_unknown(need.model):
            raise WrongSettings(
                f"--budget needs the price of {need.model.name}, which is unknown. "
                "Set it in a models file. If the model is free:\n"
                "  price = { prompt = 0, output = 0 }"
            )


def check_reach(run: ResolvedRun) -> None:
    """Refuse models without a key or an address; a finished run skips this check.

    Raises:
        UnreachableModel: a model's key or address is missing.
    """
    for need in model_needs(run):
        check_reachable(need.model)


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
    """List a run's models, each with the limits of its answers.

    Prompts do not exist yet: infer looks at those of all cases, and a client at its own.

    Raises:
        UnknownModel, WrongModelsFile, WrongSettings: see `check_models`.
    """
    settings, suite = run.settings, run.suite
    _check_images(run)
    asked = [
        (model, operation.sampling.max_tokens)
        for model in settings.model
        for operation in run.answers(run.shown_to(model))
    ]
    played = [
        (model, operations)
        for step in suite.build
        for role, operations in step.asks.items()
        for model in run.roles[role]
    ]
    played += [(each.model, each.judge.asks) for each in run.judges if each.model is not None]
    asked += [
        (model, operation.sampling.max_tokens)
        for model, operations in played
        for operation in operations
    ]

    needs = [
        Need(find_model(model, settings.models_file), 0, n_output)
        for model, n_output in dict.fromkeys(asked)
    ]
    for need in needs:
        check_engine(need.model, settings.models_file)
    return needs


def _check_images(run: ResolvedRun) -> None:
    """Refuse models under test that are shown images if the suite has none, or if text varies.

    Raises:
        UnknownModel, WrongSettings: the message names the model.
    """
    for model in run.settings.model:
        if run.shown_to(model) != "images":
            continue
        if run.suite.image_answer is None:
            raise WrongSettings(
                f'"{name_of(model)}" is shown images (shown = "images" in its row), and suite '
                f'"{run.suite.name}" has none. Name a model that is shown text.'
            )
        for option in run.suite.asked_by:
            ways = run.option(option)
            if isinstance(ways, tuple) and len(ways) > 1:
                raise WrongSettings(
                    f'"{name_of(model)}" is shown images (shown = "images" in its row), which are '
                    f"the same for each {flag(option)}: every question would count {len(ways)} "
                    f"times. Name one {flag(option)}, or leave this model out."
                )


def check_chromium(run: ResolvedRun) -> None:
    """Refuse a run that has images to draw and nothing that draws them.

    Raises:
        NoChromium: there is no such program.
    """
    find_chromium()


def _check_rules(run: ResolvedRun) -> None:
    """Refuse a rule-based model if the suite lacks a rule for an operation.

    Raises:
        WrongSettings: the message names the operations and the role.
    """
    for role, model, operations in _asked(run):
        engine = find_model(model, run.settings.models_file).engine
        if engine == IMPORTED and role != "model":
            raise WrongSettings(
                f'"{name_of(model)}" has imported answers only and cannot be called. Name another '
                f"--{role.replace('_', '-')}."
            )
        if engine != "extractive":
            continue
        if missing := sorted(operations - rules_of(run.settings, model).keys()):
            named = ", ".join(f'"{operation}"' for operation in missing)
            raise WrongSettings(
                f'"{name_of(model)}" answers by rules, and suite "{run.suite.name}" has no rule '
                f"for {named}.\n"
                "Name a model that can answer:\n"
                f"  tenkbench run --suite {run.suite.name} --{role} MODEL"
            )


def _asked(run: ResolvedRun) -> Iterator[tuple[str, str, Set[str]]]:
    """Yield each role, a model that plays it, and the operations that it is asked."""
    for model in run.settings.model:
        yield "model", model, {each.name for each in run.answers(run.shown_to(model))}
    for step in run.build:
        for role, operations in step.asks.items():
            for model in run.roles[role]:
                yield role, model, {operation.name for operation in operations}
    for each in run.judges:
        if each.model is not None:
            yield "judge", each.model, {operation.name for operation in each.judge.asks}
