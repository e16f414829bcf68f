"""A resolved run: its suite, that suite's options, and the model for each role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tasks.core.rows import Case
from tasks.filings.edgar.query import is_edgar
from tasks.inference.operation import Call
from tasks.inference.prompts import use_own_prompts
from tasks.lake.lake import Lake
from tasks.models.catalogue import Shown, find_model, name_of
from tasks.pipeline.own_prompts import read_own_prompts
from tasks.pipeline.settings import PATHS, RunSettings, WrongSettings, describe_error, flag
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import AnyOperation, Judge, Options, Step, Suite
from tasks.text.tokens import count_tokens
from tasks.warehouse.sql_files import variables_of

# Share of the room for a context that an error names: other contexts than the one at hand may take
# more tokens for the same text, such as a scan's.
_SHORTENED = 0.9
CUT_CONTEXTS = "cut_contexts"  # option of suites whose answers have `Operation.cuts`
_FEWEST_CONTEXT = 256  # tokens; shorter contexts make no questions
# Settings of the run that a step may read besides the suite's own options.
SHARED_OPTIONS = ("seed", "encoding")
_CORE = {field.name for field in fields(RunSettings)} - {"options", "roles"}


@dataclass(frozen=True, slots=True)
class NamedJudge:
    """A judge of a run.

    Attributes:
        name: its name in tables and steps: RULE, MODEL or, where a suite has several judges that
            models play and it is not the usual one, JUDGE=MODEL.
        judge: the suite's judge.
        model: the model that plays it, as the run names it; None for a rule.
    """

    name: str
    judge: Judge
    model: str | None


@dataclass(frozen=True)
class ResolvedRun:
    """A run's settings with its suite's part looked up and validated.

    Attributes:
        lake: the run's lake.
        options: the suite's options.
        roles: role -> the models named for it, or the suite's default.
        judges: the judges named, or the suite's default.
    """

    settings: RunSettings
    lake: Lake
    suite: Suite
    options: Options
    roles: Mapping[str, tuple[str, ...]]
    judges: tuple[NamedJudge, ...]

    @cached_property
    def build(self) -> tuple[Step, ...]:
        """The suite's build, or the one step that reads the published file."""
        return (dataset_step(self),) if self.settings.dataset is not None else self.suite.build

    @property
    def sources(self) -> dict[str, Path]:
        """Files of the suite's own sources that the run reads besides filings, by name."""
        if self.settings.dataset is not None:
            return {}
        chosen = {
            name: getattr(self.options, each.option) for name, each in self.suite.sources.items()
        }
        return {name: Path(file) for name, file in chosen.items() if file is not None}

    def option(self, name: str) -> Any:
        """Return an option of the suite, or the run's seed or encoding."""
        return getattr(self.settings if name in SHARED_OPTIONS else self.options, name)

    def shown_to(self, model: str) -> Shown:
        """Return what a model under test is shown.

        Raises:
            UnknownModel: no catalogue names the model.
        """
        return find_model(model, self.settings.models_file).shown

    @property
    def shown(self) -> tuple[Shown, ...]:
        """What the run's models under test are shown, each once."""
        return tuple(dict.fromkeys(map(self.shown_to, self.settings.model)))

    def answers(self, *shown: Shown) -> tuple[AnyOperation, ...]:
        """Return the operations that models under test are asked if they are shown this."""
        of, by_images = self.suite.answers_of, self.suite.image_answer
        asked = self.suite.answers if of is None else of(self.options)
        by_text = tuple(operation for operation in asked if operation is not by_images)
        by = {"text": by_text, "images": () if by_images is None else (by_images,)}
        return tuple(operation for each in shown for operation in by[each])

    def operation_of(self, case: Case, shown: Shown) -> AnyOperation:
        """Return the operation that asks models under test a case if they are shown this."""
        if shown == "images":
            assert self.suite.image_answer is not None  # else the model was refused
            return self.suite.image_answer
        return self.suite.operation_of(case, self.options)

    @property
    def cuts(self) -> bool:
        """Whether contexts are cut for a model whose window is too small for a prompt."""
        return bool(getattr(self.options, CUT_CONTEXTS, False))

    def shorter(self, call: Call, most: int, n_whole: int | None = None) -> str:
        """Name the options by which a call's prompt would have at most so many tokens, if any.

        Args:
            n_whole: tokens of its context as the build made it, if it is shown another way.
        """
        if self.settings.dataset is not None:  # which is read as it is
            return ""
        n_shown = count_tokens(call.inputs().get("context", ""))
        room = most - (call.request.n_prompt_tokens - n_shown)
        n_context = room * (n_whole or n_shown) / max(n_shown, 1) * _SHORTENED
        n_tokens = max(0, int(n_context)) // 50 * 50
        has_option = "context_tokens" in self.suite.options.model_fields
        return f"--context-tokens {n_tokens}" if has_option and n_tokens >= _FEWEST_CONTEXT else ""

    def shorter_answer(
        self, operation: AnyOperation, call: Call, most: int, n_whole: int | None = None
    ) -> str:
        """Do the same for a model under test, whose contexts may be cut instead."""
        remedies = [self.shorter(call, most, n_whole)]
        if operation.cuts is not None and not self.cuts:
            remedies.append(
                f"{flag(CUT_CONTEXTS)}, which leaves out the end of this model's contexts"
            )
        return "; or ".join(filter(None, remedies))

    @property
    def parameters(self) -> dict[str, Any]:
        """Options that the suite's metrics and reports read."""
        return {name: getattr(self.options, name) for name in parameters_of(self.suite)}


def parameters_of(suite: Suite) -> list[str]:
    """List the options that a suite's metrics and its reports in SQL read."""
    of_metrics = {name for metric in suite.metrics.values() for name in metric.options}
    return sorted(of_metrics | variables_of(suite.name))


def resolve(run: RunSettings) -> ResolvedRun:
    """Look up a run's suite, validate its own options and roles, and use the user's own prompts.

    Prefect's form sends the defaults of the first suite with any other one: they are dropped.

    Raises:
        UnknownSuite: there is no such suite.
        WrongSettings: an option or role is not the suite's, or has an invalid value; or an own
            prompt cannot be used.
    """
    suite = load_suite(run.suite)
    run = replace(
        run,
        options=_without_defaults_of_another(suite, run.options, _option_defaults),
        roles=_without_defaults_of_another(suite, run.roles, _role_defaults),
    )
    may_be_folders = {source.option for source in suite.sources.values()}
    for name, value in run.options.items():
        if value is None or not is_file_option(suite, name) or Path(value).is_file():
            continue
        if not (name in may_be_folders and Path(value).is_dir()):
            raise WrongSettings(f"{flag(name)}: no file {value}")
    try:
        options = suite.options(**run.options)
    except ValidationError as wrong:
        errors = wrong.errors()
        unread = [str(each["loc"][0]) for each in errors if each["type"] == "extra_forbidden"]
        problems = [describe_error(each) for each in errors if each["type"] != "extra_forbidden"]
        if unread:
            problems.append(_not_read(suite, unread))
        raise WrongSettings("; ".join(problems)) from wrong
    known = {role.name: role for role in suite.roles}
    if unknown := [name for name in run.roles if name not in known]:
        raise WrongSettings(_not_read(suite, unknown))
    roles = {
        name: tuple(dict.fromkeys(run.roles.get(name) or role.default))
        for name, role in known.items()
    }
    for name, models in roles.items():
        _check_role(suite, name, models)
    named = [*run.model, *(model for models in roles.values() for model in models)]
    if as_rules := [name for name in map(name_of, named) if name in suite.rules]:
        raise WrongSettings(
            f"a model cannot be named {as_rules[0]}, the name of a rule that judges {suite.name}. "
            "Rename the model in --models-file."
        )
    named_judges = dict.fromkeys(run.judge or suite.default_judges)
    judges = tuple(_named_judge(suite, each) for each in named_judges)
    use_own_prompts(read_own_prompts(run.prompts, run.suite))
    return ResolvedRun(run, Lake(run.lake), suite, options, roles, judges)


def _without_defaults_of_another(
    suite: Suite, given: Mapping[str, Any], defaults_of: Callable[[Suite], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Drop the defaults of another suite, if this one does not have all these names."""
    if given.keys() <= defaults_of(suite).keys():
        return given
    for other in SUITES:
        defaults = defaults_of(load_suite(other))
        if given.keys() <= defaults.keys():
            return {name: value for name, value in given.items() if value != defaults[name]}
    return given


def _option_defaults(suite: Suite) -> dict[str, Any]:
    return suite.options().model_dump(mode="json")


def _role_defaults(suite: Suite) -> dict[str, Any]:
    return {role.name: role.default for role in suite.roles}


def _named_judge(suite: Suite, given: str) -> NamedJudge:
    """Look up a judge as a run names it.

    Raises:
        WrongSettings: no rule has this name, and models play no judge, or several and none is the
            usual one.
    """
    if given in suite.rules:
        return NamedJudge(given, suite.rules[given], None)
    played = suite.model_judges
    if not played:
        raise WrongSettings(
            f"rules judge {suite.name}, not models: --judge takes {', '.join(suite.rules)}, "
            f"not {given}"
        )
    name, _, model = given.partition("=")
    usual = next((judge for judge in played.values() if judge.is_usual or len(played) == 1), None)
    is_model = not model or "@" in name or len(played) == 1  # an address may have a `=`
    if usual and is_model and name not in played:
        return NamedJudge(name_of(given), usual, given)
    if name not in played or not model or played[name] is usual:
        one_each = ", ".join(
            "MODEL" if judge is usual else f"{each}=MODEL" for each, judge in played.items()
        )
        raise WrongSettings(
            f"--judge of {suite.name} is one of {', '.join((*suite.rules, one_each))}, not {given}"
        )
    return NamedJudge(f"{name}={name_of(model)}", played[name], model)


def settings_of(**given: Any) -> RunSettings:
    """Make settings from flat names, as the command line and presets have them.

    Raises:
        UnknownSuite: there is no such suite.
        WrongSettings: the suite lacks a name; the message lists the suites that have it.
    """
    suite = load_suite(given.get("suite", RunSettings().suite))
    roles = {role.name for role in suite.roles}
    own = suite.options.model_fields.keys()
    if unknown := [name for name in given if name not in _CORE | roles | own]:
        raise WrongSettings(_not_read(suite, unknown))
    return RunSettings(
        **{name: value for name, value in given.items() if name in _CORE},
        options={name: value for name, value in given.items() if name in own},
        roles={
            name: (value,) if isinstance(value, str) else tuple(value)
            for name, value in given.items()
            if name in roles
        },
    )


def dataset_step(resolved: ResolvedRun) -> Step:
    """Make the step that reads the suite's published file instead of its build.

    Raises:
        WrongSettings: the suite has no published file.
    """
    suite, run = resolved.suite, resolved.settings
    published = suite.published
    if published is None:
        raise WrongSettings(f"{suite.name} has no published file: leave out --dataset")
    return Step(
        name="dataset",
        run=lambda inputs: published.load(
            Path(str(run.dataset)), inputs.options, run.limit, inputs.encoding
        ).built(),
        writes=published.writes,
        version=published.version,
        reads=("ingest",),
        options=("encoding", *suite.asked_by),
    )


def is_file_option(suite: Suite, name: str) -> bool:
    """Whether an option names a file; an identity holds its content, not its path."""
    field = suite.options.model_fields.get(name)
    return field is not None and "Path" in str(field.annotation)


def paths_of(run: RunSettings) -> dict[str, str]:
    """Return the paths on this machine that a run names, by setting or option."""
    named = {name: getattr(run, name) for name in PATHS}
    suite = load_suite(run.suite)
    named |= {name: file for name, file in run.options.items() if is_file_option(suite, name)}
    return {
        name: str(path)
        for name, path in named.items()
        if path is not None and "://" not in str(path) and not is_edgar(str(path))
    }


def own_options(suite: Suite) -> list[str]:
    """List the names of a suite's roles and options."""
    return [*(role.name for role in suite.roles), *suite.options.model_fields]


def _check_role(suite: Suite, name: str, models: tuple[str, ...]) -> None:
    role = next(role for role in suite.roles if role.name == name)
    n, (fewest, most) = len(set(models)), role.models
    if most is not None and n > most:
        raise WrongSettings(f"{flag(name)}: at most {most}, not {n}")
    if 0 < n < fewest:
        raise WrongSettings(
            f"{flag(name)}: at least {fewest} different models, not {n}. "
            "Name more, or leave it out."
        )
    names = [name_of(model) for model in dict.fromkeys(models)]
    if repeated := [each for each in names if names.count(each) > 1]:
        raise WrongSettings(
            f'two models of {flag(name)} are named "{repeated[0]}", so tables could not tell them '
            "apart. Rename one in --models-file."
        )


def _not_read(suite: Suite, names: list[str]) -> str:
    others = {
        name: [
            other
            for other in SUITES
            if other != suite.name and name in own_options(load_suite(other))
        ]
        for name in names
    }
    whose = "; ".join(
        f"{flag(name)} belongs to {' and '.join(of)}" for name, of in others.items() if of
    )
    read = ", ".join(map(flag, own_options(suite)))
    return (
        f"{suite.name} does not read {', '.join(map(flag, names))}"
        f"{f' ({whose})' if whose else ''}. Leave it out: it has no effect. "
        f"{suite.name} reads {read}"
    )
