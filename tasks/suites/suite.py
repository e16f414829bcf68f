"""The contract of a suite: what every folder of `tasks/suites` declares in one value.

Generic code reads only these fields, so a new suite touches no file outside its own folders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from tasks.core.rows import AttackVerdict, Case, Context, Judgement, QAPair
from tasks.inference.operation import Engine, Operation
from tasks.models.catalogue import Model
from tasks.suites.judge import Unit
from tasks.suites.page import Page
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART
from tasks.suites.shared.published import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = TypeVar("Row")
AnyOperation = Operation[Any, Any]
_ROWS_OF_A_PART = 1_024


class Options(BaseModel):
    """A suite's own settings, the source of its command line options and form fields.

    A field's description is its help text. Identities hold a `Path` field by its content.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role of models in a suite's build; its name is a command line option."""

    name: str
    help: str
    default: tuple[str, ...] = ("extractive",)
    models: tuple[int, int | None] = (1, 1)  # fewest if any is named, most; None: any number


class RowsOf(Protocol):
    """Iterate once over the rows of a type, or those with `only=(column, values)`."""

    def __call__(
        self, row_type: type[Row], only: tuple[str, Collection[str]] | None = None, /
    ) -> Iterable[Row]: ...


class PartsOf(Protocol):
    """Read rows that one step wrote together: per part, a list for each type, emptied after."""

    def __call__(self, *row_types: type) -> Iterator[tuple[list[Any], ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepInputs:
    """Inputs of a step's function for one shard.

    Attributes:
        suite: the suite's name.
        shard: the shard's rows of the step's `per` type; empty if the step has one shard.
        rows: reads rows of the input steps; they need not fit in memory. `parts` reads by part.
        engines: role -> its models, in the order named.
        models: role -> their rows of the catalogue.
        options: the suite's options, validated.
    """

    suite: str
    shard: Sequence[Any]
    rows: RowsOf
    parts: PartsOf
    engines: Mapping[str, Sequence[Engine]]
    options: Any
    seed: int
    encoding: str
    models: Mapping[str, Sequence[Model]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a suite's build.

    Attributes:
        name: unique in the suite, such as `cases.ocr`.
        run: inputs of one shard -> rows of the types in `writes`, and rejects.
        writes: row types; the run fails without a row of the first, unless it `may_be_empty`.
        version: raised if the step gives other rows.
        reads: `ingest`, `ingest.<source>`, names of earlier steps, or `suite.<option>`: what was
            built of the suite which this option names, if it names one.
        per: row type of an earlier step whose parts are its shards; None for one shard.
        sampled_by: columns of `per`, for an estimate, which runs the step on some of its rows: by
            the first one the cost of a row differs, and rows that are alike in all share prompts.
        asks: role -> operations asked of its models.
        options: fields of the suite's options, `seed` or `encoding`, that change its rows.
        files: prompt files that it reads besides its operations' templates.
        packages: packages whose data or rules affect its rows, besides tiktoken.
        most: (options, models by role) -> most rows of the first type in a release, if limited.
    """

    name: str
    run: Callable[[StepInputs], Iterator[Any]]
    writes: tuple[type, ...]
    version: int = 1
    reads: tuple[str, ...] = ()
    per: type | None = None
    sampled_by: tuple[str, ...] = ()
    asks: Mapping[str, tuple[AnyOperation, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    may_be_empty: bool = False
    most: Callable[[Any, Mapping[str, Sequence[str]]], int | None] = lambda options, models: None

    @property
    def part_rows(self) -> int:
        """Most rows of a part, if the step has one shard; it keeps no more in memory."""
        return CONTEXTS_OF_A_PART if Context in self.writes else _ROWS_OF_A_PART


@dataclass(frozen=True, kw_only=True)
class Judge:
    """One way to judge answers: a rule of the suite, or operations that any model can be asked.

    Attributes:
        run: (answers or pairs of answers, engine or None, options) -> judgements, in order. A
            rating is from 1 to 6, and good from 4: what else a judge says is a label or a score.
        asks: operations asked of a model; none for a rule.
        compares: of a judge of two answers, in both orders: (a model, another, options) -> whether
            their answers are compared, in this order. None: it judges single answers.
        reads: the text that it is given: `shown` to the model, or `original`: the context of the
            case's pair; none if empty.
        options: fields of the suite's options that choose or change its judgements.
        attacks: (engine, the judge's name) -> its verdicts on the attack set.
        is_usual: whether it is the judge that a run means if it names a model only.
        rule: how it decides, if it is a rule: shown where it judges.
    """

    run: Callable[[Sequence[Any], Engine | None, Any], Iterator[Judgement]]
    version: int = 1
    asks: tuple[AnyOperation, ...] = ()
    compares: Callable[[str, str, Any], bool] | None = None
    reads: Literal["", "shown", "original"] = ""
    options: tuple[str, ...] = ()
    attacks: Callable[[Engine, str], Iterator[AttackVerdict]] | None = None
    is_usual: bool = False
    rule: str | None = None

    @property
    def unit(self) -> Unit:
        """What one judgement is about."""
        return "answer" if self.compares is None else "two answers"

    @property
    def is_rule(self) -> bool:
        """Whether a rule judges, without a model."""
        return not self.asks

    def context_of(self, case: Case, pair: QAPair) -> str | None:
        """Return the id of the context whose text it is given, if it reads contexts."""
        return pair.context_id if self.reads == "original" else case.context_id


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A metric made of other metrics of the suite, such as LLM Compliance.

    Attributes:
        of: the other metrics, of one judge: without all of them the metric has no value.
        value: (summed units by metric, options by name) -> the metric's values, on arrays of any
            shape, since it is resampled like any other metric.
        options: fields of the suite's options that `value` reads.
        is_share: whether it lies between 0 and 1.
        grows: whether it is never lower if one of the others is higher.
        units: `apart` if no unit counts in two of the others: its number of units is their sum;
            `same` if one of the others has all units: the largest; `groups` if units are groups of
            answers in one, and answers in another: the smallest.
    """

    of: tuple[str, ...]
    value: Callable[..., NDArray[np.float64]]
    options: tuple[str, ...] = ()
    is_share: bool = True
    grows: bool = False
    units: Literal["apart", "same", "groups"] = "apart"


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A rating of each model from its points against other models, such as Elo.

    Attributes:
        points: a metric of two answers whose units are 0 to 1, from each model's side: of one case,
            both models' units add up to 1.
        anchor: field of the suite's options that names the model whose rating is 1000.
        method: `elo` rates games with the anchor, `bradley_terry` all games.
    """

    points: str
    anchor: str
    method: Literal["elo", "bradley_terry"]

    @property
    def of(self) -> tuple[str, ...]:
        """What `Derived.of` is."""
        return (self.points,)

    @property
    def options(self) -> tuple[str, ...]:
        """What `Derived.options` is."""
        return (self.anchor,)


@dataclass(frozen=True, kw_only=True)
class Source:
    """An additional file that ingest reads for a suite."""

    option: str  # field of the suite's options that names the file; if None, nothing is read
    rows: type  # the row type it gives
    read: Callable[[Path], Iterator[Any]]  # file -> rows, and rejects of stage `ingest`
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class Published:
    """The layout of the authors' file, read instead of filings.

    Attributes:
        load: (file, options, limit, encoding) -> its rows; refuses another layout.
    """

    load: Callable[[Path, Any, int | None, str], Rows]
    writes: tuple[type, ...]
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class Suite:
    """One benchmark.

    Attributes:
        description: what it asks, in sentences.
        paper: citation of the publication that it implements, in Markdown.
        sources: files that ingest may read besides filings, by name.
        answers: operations that models under test are asked, named `answer` or `answer_...`; the
            method `of` of their inputs makes the inputs of a case.
        answers_of: options -> those of `answers` that a run shows text by; by default, all. One
            that has `Operation.images` asks models that are shown images, whatever the case;
            without one, or if `asked_by` names several ways, such a model is refused.
        operation_of: (case, options) -> the one that asks it.
        asked_by: fields of the suite's options that decide it, also for a published file. All
            models of a release that are shown text are asked in the same way.
        judges: name -> judge. A run names a rule by this name, and a model that judges by the
            model; where models can be several judges, as NAME=MODEL but for the usual one.
        metrics: metrics made of other metrics, and ratings, by name.
    """

    name: str
    title: str
    description: str
    paper: str
    options: type[Options]
    roles: tuple[Role, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    build: tuple[Step, ...]
    answers: tuple[AnyOperation, ...]
    answers_of: Callable[[Any], tuple[AnyOperation, ...]] | None = None
    operation_of: Callable[[Case, Any], AnyOperation]
    asked_by: tuple[str, ...] = ()
    judges: Mapping[str, Judge]
    metrics: Mapping[str, Derived | Rating] = field(default_factory=dict)
    published: Published | None = None
    page: Page

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants of its cases, in the order of reports."""
        return tuple(self.page.variants)

    @property
    def image_answer(self) -> AnyOperation | None:
        """The operation that asks a model that is shown images; None if there are no images."""
        return next((operation for operation in self.answers if operation.images is not None), None)

    @property
    def rules(self) -> Mapping[str, Judge]:
        """Judges that are rules, by name."""
        return {name: judge for name, judge in self.judges.items() if judge.is_rule}

    @property
    def model_judges(self) -> Mapping[str, Judge]:
        """Judges that models play, by name."""
        return {name: judge for name, judge in self.judges.items() if not judge.is_rule}

    def roles_of(self, operations: Container[str]) -> list[str]:
        """Name the roles whose work any of these operations is."""
        played = {
            role
            for step in self.build
            for role, asks in step.asks.items()
            if any(operation.name in operations for operation in asks)
        }
        return [role.name for role in self.roles if role.name in played]

    @property
    def operations(self) -> dict[str, AnyOperation]:
        """Every operation of the suite, by name."""
        groups = [operations for step in self.build for operations in step.asks.values()]
        groups += [judge.asks for judge in self.judges.values()]
        return {
            operation.name: operation for operation in (*chain.from_iterable(groups), *self.answers)
        }
