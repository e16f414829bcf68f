"""Whether the models of a run can be asked at all, and hold its longest prompts: checked before anything starts."""

from __future__ import annotations

from math import ceil

from tasks.batching import is_writing_batches
from tasks.engines import ENGINES
from tasks.layouts import Need, check_layouts
from tasks.models import Model, WrongModelsFile, check_reachable, costs_unknown, find_model
from tasks.settings import MODEL_SETTINGS, RunSettings, WrongSettings
from tasks.suites import load_suite

# Before contexts and prompts exist: the longest is a scanned context, whose errors cost tokens (1.27 to 1.40 times
# as many as the clean one's in 19 real contexts), with instructions and examples around it.
_LONGEST_CONTEXT = 1.40
_AROUND_CONTEXT = 1_500
# A judge sees citations in place of the context: prompts of at most 3,941 tokens in 502 real cases.
_JUDGED = 8_000


def check_models(run: RunSettings) -> None:
    """Refuse models that cannot be reached or do not hold the run's longest prompts.

    Raises:
        UnknownModel, UnknownSuite: one is named that there is not.
        WrongModelsFile: a row names an engine that there is not.
        UnreachableModel: a model's key or address is missing.
        DoesNotFit: a model's window or layout is too small for the longest prompt.
        WrongSettings: there is a budget, and a model whose price is not known.
    """
    needs = model_needs(run)
    check_layouts(needs)
    for need in needs:
        if not is_writing_batches():
            check_reachable(need.model)
        if run.budget is not None and costs_unknown(need.model):
            raise WrongSettings(
                f"--budget cannot be kept: nobody says what {need.model.name} costs; give its price in a models file, "
                "price = { prompt = 0, output = 0 } where nothing is paid"
            )


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
        UnknownModel, UnknownSuite, WrongModelsFile: see `check_models`.
    """
    suite = load_suite(run.suite)
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
