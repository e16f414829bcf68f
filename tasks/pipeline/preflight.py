"""What a run would trip over hours later, checked before anything starts: its published file, its models, their windows."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from shlex import quote

from tasks.core.settings import MODEL_SETTINGS, RunSettings, WrongSettings
from tasks.inference.engines import ENGINES
from tasks.models.catalogue import (
    Model,
    UnknownModel,
    WrongModelsFile,
    check_reachable,
    costs_unknown,
    find_model,
)
from tasks.models.gpu_memory import Need, check_layouts
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.shared.published import DatasetError
from tasks.suites.suite import Suite

# Before contexts and prompts exist: the longest is a scanned context, whose errors cost tokens (1.27 to 1.40 times
# as many as the clean one's in 19 real contexts), with instructions and examples around it.
_LONGEST_CONTEXT = 1.40
_AROUND_CONTEXT = 1_500
# A judge sees citations in place of the context: prompts of at most 3,941 tokens in 502 real cases.
_JUDGED = 8_000


def check_dataset(run: RunSettings) -> None:
    """Refuse a published file that is not in the suite's layout.

    Raises:
        WrongSettings: it is another suite's; the message has the command that reads it.
        DatasetError: it is no suite's, or cannot be read.
    """
    if run.dataset is None:
        return
    path, suite = Path(run.dataset), load_suite(run.suite)
    try:
        suite.check_dataset(path)
    except DatasetError:
        theirs = [other for other in _other_suites(suite) if _is_laid_out_for(other, path)]
        if not theirs:
            raise
        raise WrongSettings(
            f"{path} is laid out as {theirs[0].title}'s published file, not as {suite.title}'s; to run it: "
            f"tenkbench run --suite {theirs[0].name} --dataset {quote(run.dataset)}"
        ) from None


def _is_laid_out_for(suite: Suite, path: Path) -> bool:
    try:
        suite.check_dataset(path)
    except DatasetError:
        return False
    return True


def _other_suites(suite: Suite) -> list[Suite]:
    return [load_suite(name) for name in SUITES if name != suite.name]


def check_models(run: RunSettings) -> None:
    """Refuse models that there are not, that do not hold the run's longest prompts, or that a budget knows no price of.

    Raises:
        UnknownModel, UnknownSuite: one is named that there is not.
        WrongModelsFile: a row names an engine that there is not.
        DoesNotFit: a model's window or layout is too small for the longest prompt.
        WrongSettings: a judge is a rule of another suite; there is a budget, and a model whose price is not known.
    """
    needs = model_needs(run)
    check_layouts(needs)
    for need in needs:
        if run.budget is not None and costs_unknown(need.model):
            raise WrongSettings(
                f"--budget cannot be kept: nobody says what {need.model.name} costs; give its price in a models file, "
                "price = { prompt = 0, output = 0 } where nothing is paid"
            )


def check_reach(run: RunSettings) -> None:
    """Refuse models that could not be asked; a run that has nothing left to ask does without their keys.

    Raises:
        UnreachableModel: a model's key or address is missing.
    """
    for need in model_needs(run):
        check_reachable(need.model)


def check_engine(model: Model, models_file: str | None) -> None:
    """Refuse a row whose engine does not exist.

    Raises:
        WrongModelsFile: the message lists the engines.
    """
    if model.engine not in ENGINES:
        raise WrongModelsFile(
            f"{models_file}: model {model.name}: there is no engine {model.engine!r}; engines are {', '.join(ENGINES)}"
        )


def model_needs(run: RunSettings) -> list[Need]:
    """Every model of a run with the longest prompt and answer that it can meet there.

    Raises:
        UnknownModel, UnknownSuite, WrongModelsFile, WrongSettings: see `check_models`.
    """
    suite = load_suite(run.suite)
    _check_judges(run, suite)
    answer = suite.answer.sampling.max_tokens
    longest_answer = max(operation.sampling.max_tokens for operation in suite.operations.values())
    whole = ceil(suite.longest_context(run) * _LONGEST_CONTEXT) + _AROUND_CONTEXT
    asked = [(model, whole, answer) for model in run.model]
    for setting in (name for name in MODEL_SETTINGS if name in suite.settings):
        asked += [(model, whole, longest_answer) for model in suite.models(run, setting)]
    asked += [
        (judge, _JUDGED, longest_answer) for judge in suite.judges(run) if judge not in suite.own_judges
    ]
    needs = [
        Need(find_model(model, run.models_file), prompt, n_output)
        for model, prompt, n_output in dict.fromkeys(asked)
    ]
    for need in needs:
        check_engine(need.model, run.models_file)
    return needs


def _check_judges(run: RunSettings, suite: Suite) -> None:
    """Refuse a judge that is no model but a rule with which another suite judges.

    Raises:
        WrongSettings: the message names the suite and the command.
    """
    for judge in run.judge:
        if judge in suite.own_judges or _is_model(judge, run):
            continue  # other suites take time to load
        theirs = [other for other in _other_suites(suite) if judge in other.own_judges]
        if theirs:
            raise WrongSettings(
                f"{judge} is a rule that suite {theirs[0].name} judges by, and no model that {suite.name} could ask: "
                f"tenkbench run --suite {theirs[0].name} --judge {judge}; or name a model with --judge"
            )


def _is_model(name: str, run: RunSettings) -> bool:
    try:
        find_model(name, run.models_file)
    except UnknownModel:
        return False
    return True
