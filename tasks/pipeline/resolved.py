"""A run, resolved once: its lake, its suite and options, and the model for each role."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tasks.core.rows import Case
from tasks.filings.edgar.query import is_edgar
from tasks.inference.context import RunContext
from tasks.inference.operation import Call
from tasks.inference.own_prompts import read_own_prompts
from tasks.inference.prompts import use_own_prompts
from tasks.lake.lake import Lake
from tasks.models.catalogue import Model, Shown, find_model, name_of
from tasks.pipeline.settings import PATHS, RunSettings, WrongSettings, describe_error, flag
from tasks.suites.registry import SUITES, load_suite, suites_named
from tasks.suites.shared.published import built
from tasks.suites.suite import AnyOperation, Judge, Options, Role, Step, Suite
from tasks.text.tokens import count_tokens
from tasks.warehouse.sql_files import variables_of

if TYPE_CHECKING:
    from tasks.inference.imported import Answers

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
        model: the model that plays it, as the run names it; None for a rule.
    """

    name: str
    judge: Judge
    model: str | None


@dataclass(frozen=True)
class ResolvedRun:
    """A run's settings with its suite's part looked up and validated."""

    settings: RunSettings
    lake: Lake
    suite: Suite
    options: Options
    roles: Mapping[str, tuple[str, ...]]  # role -> the models named for it, or the suite's default
    judges: tuple[NamedJudge, ...]  # the judges named, or the suite's default
    context: RunContext  # the run's budget, cache and use of kept answers

    @cached_property
    def build(self) -> tuple[Step, ...]:
        """The suite's build, or the one step that reads the published file."""
        return (dataset_step(self),) if self.settings.dataset is not None else self.suite.build

    @property
    def sources(self) -> dict[str, Path]:
        """Files of the suite's own sources that the run reads besides filings, by name."""
        if self.settings.dataset is not None:
            return {}
        options = {name: source.option for name, source in self.suite.sources.items()}
        files = {name: getattr(self.options, option) for name, option in options.items()}
        return {name: Path(file) for name, file in files.items() if file is not None}

    @property
    def models(self) -> tuple[str, ...]:
        """The models under test, as the run names them."""
        return self.settings.model

    def option(self, name: str) -> Any:
        """Return an option of the suite, or the run's seed or encoding."""
        return getattr(self.settings if name in SHARED_OPTIONS else self.options, name)

    def row(self, model: str) -> Model:
        """Return the catalogue's row of a model.

        Raises:
            UnknownModel: no catalogue names it.
        """
        row = find_model(model, self.settings.models_file)
        patience = self.settings.patience
        return row if patience is None else replace(row, patience_s=patience)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """What the run's models under test are shown, each once."""
        return tuple(dict.fromkeys(self.row(model).shown for model in self.models))

    def answers_to(self, shown: Shown) -> tuple[AnyOperation, ...]:
        """Return the operations that models under test are asked if they are shown this."""
        of, by_images = self.suite.answers_of, self.suite.image_answer
        if shown == "images":
            return () if by_images is None else (by_images,)
        operations = self.suite.answers if of is None else of(self.options)
        return tuple(operation for operation in operations if operation is not by_images)

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
        has_option = "context_tokens" in self.suite.options.model_fields
        if self.settings.dataset is not None or not has_option:  # a published file is read as it is
            return ""
        n_shown = count_tokens(call.inputs().get("context", ""))
        room = most - (call.request.n_prompt_tokens - n_shown)
        n_context = room * (n_whole or n_shown) / max(n_shown, 1) * _SHORTENED
        n_tokens = int(n_context) // 50 * 50
        return f"--context-tokens {n_tokens}" if n_tokens >= _FEWEST_CONTEXT else ""

    def shorter_answer(
        self, operation: AnyOperation, call: Call, most: int, n_whole: int | None = None
    ) -> str:
        """Do the same for a model under test, whose contexts may be cut instead."""
        may_cut = operation.cuts is not None and not self.cuts
        cut = f"{flag(CUT_CONTEXTS)}, which leaves out the end of this model's contexts"
        ways = (self.shorter(call, most, n_whole), cut if may_cut else "")
        return "; or ".join(filter(None, ways))

    @property
    def parameters(self) -> dict[str, Any]:
        """Options that the suite's metrics and reports read."""
        return {name: getattr(self.options, name) for name in parameters_of(self.suite)}


def parameters_of(suite: Suite) -> list[str]:
    """List the options that a suite's metrics and its reports in SQL read."""
    of_metrics = {name for metric in suite.metrics.values() for name in metric.options}
    return sorted(of_metrics | variables_of(suite.name))


def resolve(
    run: RunSettings, context: RunContext | None = None, answers: Answers | None = None
) -> ResolvedRun:
    """Look up a run's suite, validate its own options and roles, and use the user's own prompts.

    Prefect's form sends the defaults of the first suite with any other one: they are dropped.

    Args:
        context: that of the flow around it; a new one if omitted.
        answers: made elsewhere, to take instead of asking their models.

    Raises:
        UnknownSuite: there is no such suite.
        WrongSettings: an option or role is not the suite's, or has an invalid value; or an own
            prompt cannot be used.
    """
    suite = load_suite(run.suite)
    run = replace(
        run,
        options=_without_defaults_of_another(
            suite, run.options, lambda other: other.options().model_dump(mode="json")
        ),
        roles=_without_defaults_of_another(
            suite, run.roles, lambda other: {role.name: role.default for role in other.roles}
        ),
    )
    options, roles = _options(suite, run.options), _roles(suite, run)
    # by default its rules, or else the rule-based model
    named = dict.fromkeys(run.judge or suite.rules or ("extractive",))
    judges = tuple(_named_judge(suite, name) for name in named)
    use_own_prompts(read_own_prompts(run.prompts, run.suite, SUITES))
    lake = Lake(run.lake)
    context = context or RunContext(
        lake,
        budget=run.budget,
        fresh_key=f"{run.release}-{run.suite}" if run.fresh else None,
        retry_failed=run.retry_failed,
        answers=answers,
    )
    return ResolvedRun(run, lake, suite, options, roles, judges, context)


def each_suite(run: RunSettings) -> list[RunSettings]:
    """Split a run of several suites: each gets the options, models and judges that it has.

    Raises:
        UnknownSuite, WrongSettings: for a suite, or what none of several reads; for a dataset.
    """
    suites = list(map(load_suite, suites_named(run.suite)))
    if len(suites) == 1:
        return [replace(run, suite=suites[0].name)]
    if run.dataset is not None:
        raise WrongSettings("--dataset is a file of one suite. Name one --suite.")
    _check_read(suites, {**run.options, **run.roles})
    for judge in run.judge:
        if not any(_has_judge(suite, judge, suites) for suite in suites):
            _named_judge(suites[0], judge)
    return [
        replace(
            run,
            suite=suite.name,
            options=_only(run.options, suite.options.model_fields),
            roles=_only(run.roles, [role.name for role in suite.roles]),
            judge=tuple(judge for judge in run.judge if _has_judge(suite, judge, suites)),
        )
        for suite in suites
    ]


def _only(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}


def _has_judge(suite: Suite, named: str, suites: Sequence[Suite]) -> bool:
    """Whether a suite has a judge; the name of one that another of the suites has is no model."""
    name = named.partition("=")[0]
    if any(name in other.judges for other in suites):
        return name in suite.judges
    try:
        _named_judge(suite, named)
    except WrongSettings:
        return False
    return True


def _without_defaults_of_another(
    suite: Suite, values: Mapping[str, Any], defaults_of: Callable[[Suite], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Drop the defaults of another suite, if this one does not have all these names."""
    if values.keys() <= defaults_of(suite).keys():
        return values
    for other in SUITES:
        defaults = defaults_of(load_suite(other))
        if values.keys() <= defaults.keys():
            return {name: value for name, value in values.items() if value != defaults[name]}
    return values


def _options(suite: Suite, values: Mapping[str, Any]) -> Options:
    _check_read([suite], values, suite.options.model_fields)
    may_be_folders = {source.option for source in suite.sources.values()}
    for name, value in values.items():
        if value is None or not is_file_option(suite, name) or Path(value).is_file():
            continue
        if not (name in may_be_folders and Path(value).is_dir()):
            raise WrongSettings(f"{flag(name)}: no file {value}")
    try:
        return suite.options(**values)
    except ValidationError as wrong:
        raise WrongSettings("; ".join(map(describe_error, wrong.errors()))) from wrong


def _roles(suite: Suite, run: RunSettings) -> dict[str, tuple[str, ...]]:
    _check_read([suite], run.roles, [role.name for role in suite.roles])
    roles = {
        role.name: tuple(dict.fromkeys(run.roles.get(role.name) or role.default))
        for role in suite.roles
    }
    for role in suite.roles:
        _check_role(role, roles[role.name])
    names = map(name_of, chain(run.model, *roles.values()))
    if as_rules := [name for name in names if name in suite.rules]:
        raise WrongSettings(
            f"a model cannot be named {as_rules[0]}, the name of a rule that judges {suite.name}. "
            "Rename the model in --models-file."
        )
    return roles


def _check_role(role: Role, models: tuple[str, ...]) -> None:
    n, (fewest, most) = len(models), role.models
    if most is not None and n > most:
        raise WrongSettings(f"{flag(role.name)}: at most {most}, not {n}")
    if 0 < n < fewest:
        raise WrongSettings(
            f"{flag(role.name)}: at least {fewest} different models, not {n}. "
            "Name more, or leave it out."
        )
    check_names_differ(f"models of {flag(role.name)}", models)


def check_names_differ(kind: str, models: Sequence[str]) -> None:
    """Refuse models or judges of one name.

    Raises:
        WrongSettings: two have one name.
    """
    names = [name_of(model) for model in models]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise WrongSettings(
            f'two {kind} are named "{repeated[0]}", so tables could not tell them apart. '
            "Rename one in --models-file."
        )


def _named_judge(suite: Suite, named: str) -> NamedJudge:
    if named in suite.rules:
        return NamedJudge(named, suite.rules[named], None)
    played = suite.model_judges
    name, _, model = named.partition("=")
    usual = next((judge for judge in played.values() if judge.is_usual or len(played) == 1), None)
    is_model = not model or "@" in name or len(played) == 1  # an address may have a `=`
    if usual and is_model and name not in played:
        return NamedJudge(name_of(named), usual, named)
    if name in played and model and played[name] is not usual:
        return NamedJudge(f"{name}={name_of(model)}", played[name], model)
    names = ["MODEL" if judge is usual else f"{other}=MODEL" for other, judge in played.items()]
    raise WrongSettings(
        f"--judge of {suite.name} is one of {', '.join((*suite.rules, *names))}, not {named}"
    )


def settings_of(**flat: Any) -> RunSettings:
    """Make settings from flat names, as the command line and presets have them.

    Raises:
        UnknownSuite: there is no such suite.
        WrongSettings: the suite lacks a name; the message lists the suites that have it.
    """
    suites = list(map(load_suite, suites_named(flat.get("suite", RunSettings().suite))))
    roles = {role.name for suite in suites for role in suite.roles}
    _check_read(suites, flat, {*_CORE, *own_options(*suites)})
    return RunSettings(
        **_only(flat, _CORE),
        options=_only(flat, {*own_options(*suites)} - roles),
        roles={
            name: (value,) if isinstance(value, str) else tuple(value)
            for name, value in flat.items()
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
        run=lambda inputs: built(
            published.load(Path(str(run.dataset)), inputs.options, run.limit, inputs.encoding)
        ),
        writes=published.writes,
        version=published.version,
        reads=("ingest",),
        options=("encoding", *suite.asked_by),
    )


def is_file_option(suite: Suite, name: str) -> bool:
    """Whether an option names a file; an identity holds its content, not its path."""
    option = suite.options.model_fields.get(name)
    return option is not None and "Path" in str(option.annotation)


def paths_of(run: RunSettings) -> dict[str, str]:
    """Return the paths on this machine that a run names, by setting or option."""
    suites = list(map(load_suite, suites_named(run.suite)))
    paths = {name: getattr(run, name) for name in PATHS}
    for name, file in run.options.items():
        if any(is_file_option(suite, name) for suite in suites):
            paths[name] = file
    return {
        name: str(path)
        for name, path in paths.items()
        if path is not None and "://" not in str(path) and not is_edgar(str(path))
    }


def own_options(*suites: Suite) -> list[str]:
    """List the names of suites' roles and options."""
    names = [
        [*(role.name for role in suite.roles), *suite.options.model_fields] for suite in suites
    ]
    return list(dict.fromkeys(chain.from_iterable(names)))


def owners_of(name: str) -> list[str]:
    """List the suites that have an option or role."""
    return [suite for suite in SUITES if name in own_options(load_suite(suite))]


def _check_read(
    suites: Sequence[Suite], names: Iterable[str], known: Collection[str] | None = None
) -> None:
    """Refuse names that none of the suites reads, or that are not known; name those that do."""
    own = own_options(*suites)
    unread = [name for name in names if name not in (own if known is None else known)]
    if not unread:
        return
    owners = {name: owners_of(name) for name in unread}
    named = ",".join(suite.name for suite in suites)
    whose = "; ".join(
        f"{flag(name)} belongs to {' and '.join(of)}" for name, of in owners.items() if of
    )
    raise WrongSettings(
        f"{named} does not read {', '.join(map(flag, unread))}"
        f"{f' ({whose})' if whose else ''}. Leave it out: it has no effect. "
        f"{named} reads {', '.join(map(flag, own))}"
    )
