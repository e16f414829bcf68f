"""The contract: what a suite is made of, and what its steps depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tasks.core.settings import SUITE_OPTIONS, RunSettings, WrongSettings
from tasks.models.catalogue import name_of
from tasks.suites.labels import SuiteWords
from tasks.suites.planning_contract import SuitePlan

if TYPE_CHECKING:
    from pathlib import Path

    from tasks.core.rows import AttackVerdict, Case, Context, Judgement, Reject
    from tasks.inference.operation import Engine, Operation
    from tasks.suites.build_inputs import Ingested, RowsOf, Shown
    from tasks.suites.shared.judging import Answered
    from tasks.suites.shared.published import Exported, Imported

Perturbation = Callable[..., "Iterator[Case | Context | Reject]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependsOn:
    """What the rows of a step depend on, besides its inputs.

    version     raised by whoever changes what rows the step gives
    packages    whose data or rules reach rows, besides tiktoken's
    prompts     files and folders of prompts, `<suite>/<file>` (see `tasks.inference.prompts`)
    settings    fields of `RunSettings`
    """

    version: int = 1
    packages: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """One benchmark.

    name            also the name of its `sql/metrics/<name>.sql`
    title           its name as its authors write it
    description     one line for `tenkbench suites`
    steps           step -> what its rows depend on: contexts, qa_pairs, cases, cases.<variant>, dataset,
                    answers, judgements, metrics
    defaults        what a setting is that the run leaves to the suite
    longest_context most tokens of a context, as far as that is known before contexts are made
    contexts        documents -> the texts that a model may be shown
    write           contexts -> pairs with citations; and rows of `rows`
    rows            row types of its own, which `write` makes besides pairs and rejects
    has_verbs       whether its queries ask for something, so that their verbs and objects are looked for
    perturbations   name -> part; the order is the order of reports
    answer          the operation, named `answer`, with which a model under test answers a case
    answer_inputs   (case, its context's text) -> the operation's inputs
    judge           answered cases -> judgements by a model; None where no model judges
    own_judges      name -> part: rules of the suite's own that judge answered cases
    attacks         a model that judges -> its verdicts on the standing set of attacks; None where there is none
    operations      every operation of the suite by name: what the engines may be asked
    check           refuses what is wrong with the suite's own settings before anything starts
    check_dataset   refuses a published file that is not in the suite's layout
    load_dataset    (published file, run) -> rows
    export          (file, rows of the release) -> the published layout
    plan            what `tenkbench estimate` takes for what is not built yet
    words           what metrics, forms and slices are called
    reports         its reports in reading order: relations of `sql/<name>`, or else of `sql/reports`
    headlines       those that a run ends with on the terminal
    remarks         the one of them with sentences (`says`) that a run ends with, too, each with the `query` of its rows
    """

    name: str
    title: str
    description: str
    steps: Mapping[str, DependsOn]
    defaults: Mapping[str, Any]
    longest_context: Callable[[RunSettings], int]
    contexts: Callable[[Ingested], Iterator[Context | Reject]]
    write: Callable[[Shown], Iterator[Any]]
    rows: tuple[type, ...] = ()
    has_verbs: bool = True
    perturbations: Mapping[str, Perturbation] = field(default_factory=dict)
    answer: Operation[Any, Any]
    answer_inputs: Callable[[Case, str], Any]
    judge: Callable[[Sequence[Answered], Engine], Iterator[Judgement]] | None = None
    own_judges: Mapping[str, Callable[[Sequence[Answered], RunSettings], Iterator[Judgement]]] = field(
        default_factory=dict
    )
    attacks: Callable[[Engine], Iterator[AttackVerdict]] | None = None
    operations: Mapping[str, Operation[Any, Any]]
    check: Callable[[RunSettings], None]
    check_dataset: Callable[[Path], object]
    load_dataset: Callable[[Path, RunSettings], Imported]
    export: Callable[[Path, RowsOf], Exported]
    plan: SuitePlan
    words: SuiteWords
    reports: tuple[str, ...]
    headlines: tuple[str, ...]
    remarks: str | None = None

    @property
    def settings(self) -> frozenset[str]:
        """The settings that the suite reads."""
        return frozenset(name for step in self.steps.values() for name in step.settings)

    @property
    def settings_of_dataset(self) -> frozenset[str]:
        """Those of them that it reads where a published file brings contexts, pairs and cases."""
        built = ("contexts", "qa_pairs", "cases")
        return frozenset(
            name
            for step, depends in self.steps.items()
            if step.split(".")[0] not in built
            for name in depends.settings
        )

    def setting(self, run: RunSettings, name: str) -> Any:
        """A setting of the run, or the suite's own where the run leaves it to the suite."""
        value = getattr(run, name)
        return self.defaults.get(name, value) if value is None or value == () else value

    def models(self, run: RunSettings, name: str) -> tuple[str, ...]:
        """The models that a setting of `MODEL_SETTINGS` names."""
        value = self.setting(run, name)
        return (value,) if isinstance(value, str) else tuple(value or ())

    def judges(self, run: RunSettings) -> tuple[str, ...]:
        """The judges of a run: models, or rules of the suite's own."""
        return tuple(self.setting(run, "judge"))


def check_suite_settings(suite: Suite, run: RunSettings) -> None:
    """Refuse settings that would change nothing, and judges that the suite does not have.

    Raises:
        WrongSettings: the message names the option, and what would do.
    """
    default = RunSettings()
    given = [name for name in SUITE_OPTIONS if getattr(run, name) != getattr(default, name)]
    if unread := [name for name in given if name not in suite.settings]:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in unread)
        read = ", ".join(f"--{name.replace('_', '-')}" for name in SUITE_OPTIONS if name in suite.settings)
        raise WrongSettings(
            f"{suite.name} does not read {options}: leave it out, it would change nothing; it reads {read}"
        )
    of_dataset = suite.settings_of_dataset if run.dataset is not None else suite.settings
    if unread := [name for name in given if name not in of_dataset]:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in unread)
        raise WrongSettings(
            f"a published file is taken as it is: with --dataset, {options} would change nothing; leave it out, here and in "
            "a preset or variable (--limit takes only the file's first records)"
        )
    if named_as_rules := [
        name for name in map(name_of, (*run.model, *run.panel)) if name in suite.own_judges
    ]:
        raise WrongSettings(
            f"{named_as_rules[0]} is a rule of {suite.name}'s own that judges, and can be no model's name in it: give the "
            "model another name in --models-file"
        )
    if suite.judge is None and (unknown := [name for name in run.judge if name not in suite.own_judges]):
        raise WrongSettings(
            f"{suite.name} is judged by rules of its own, not by models: --judge takes "
            f"{', '.join(suite.own_judges)}, not {unknown[0]}"
        )
    suite.check(run)


def by_name(*operations: Operation[Any, Any]) -> dict[str, Operation[Any, Any]]:
    """Operations as a registry.

    Raises:
        ValueError: two operations share a name.
    """
    registry: dict[str, Operation[Any, Any]] = {}
    for operation in operations:
        if operation.name in registry:
            raise ValueError(f"two operations are named {operation.name}")
        registry[operation.name] = operation
    return registry
