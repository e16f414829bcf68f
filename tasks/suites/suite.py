"""The contract of a suite: what every folder of `tasks/suites` declares in its one value.

Generic code reads only these fields, so a new suite touches no file outside its own folders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from tasks.core.rows import AttackVerdict, Case, Judgement
from tasks.inference.operation import Engine, Operation
from tasks.suites.page import Page
from tasks.suites.shared.judging import Unit
from tasks.suites.shared.published import Exported, Imported

Row = TypeVar("Row")
AnyOperation = Operation[Any, Any]


class Options(BaseModel):
    """A suite's own settings: command line, form and identity come from the fields.

    A field's description is its help text. A field of type `Path` enters identity by content.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The publication that a suite implements."""

    title: str
    citation: str  # Markdown, for the data set card


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Models that a suite asks while it is built; its name is an option of the command line."""

    name: str
    help: str
    default: tuple[str, ...] = ("extractive",)
    fewest: int = 1  # models to name, if any is named
    most: int | None = 1  # None: any number


class RowsOf(Protocol):
    """Reads rows of a type."""

    def __call__(
        self, row_type: type[Row], only: tuple[str, Collection[str]] | None = None, /
    ) -> list[Row]:
        """Read all rows of a type; `only=(column, values)` reads no others."""
        ...


class PartsOf(Protocol):
    """Reads rows part by part."""

    def __call__(self, *row_types: type) -> Iterator[tuple[list[Any], ...]]:
        """Read rows of types that one step wrote side by side: a list of each type per part."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepInputs:
    """What a step's function is given, once for each of its shards.

    Attributes:
        suite: the suite's name.
        shard: rows of the step's `per` type that are one shard; empty if the step has one shard.
        rows: reads rows of the steps that this one reads.
        parts: the same, part by part, so that not all of them stand in memory.
        engines: role -> the models that play it, in the order named.
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
    workers: int | None = None


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a suite's build.

    Attributes:
        name: unique in the suite, such as `cases.ocr`.
        run: inputs of one shard -> rows of the types in `writes`, and rejects.
        writes: row types that it gives; without a row of the first type the run ends in an error.
        version: raised by whoever changes what rows come out.
        reads: `ingest`, `ingest.<source>`, or names of steps before it.
        per: row type of an earlier step whose parts are its shards; None for one shard.
        part_rows: most rows of a part, for steps whose parts are another step's shards.
        asks: role -> operations that its models are asked.
        options: fields of the suite's options, `seed` or `encoding`, that change its rows.
        files: prompt files that it reads besides its operations' templates.
        packages: packages whose data or rules reach its rows, besides tiktoken.
        may_be_empty: whether the run goes on without a row of the first type.
    """

    name: str
    run: Callable[[StepInputs], Iterator[Any]]
    writes: tuple[type, ...]
    version: int = 1
    reads: tuple[str, ...] = ()
    per: type | None = None
    part_rows: int | None = None
    asks: Mapping[str, tuple[AnyOperation, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    may_be_empty: bool = False


@dataclass(frozen=True, kw_only=True)
class Judge:
    """One way to judge answers: a rule of the suite's own, or a program that any model plays.

    Attributes:
        run: (answers, or pairs of answers, engine or None, options) -> one judgement of each, in order.
        asks: operations that a model is asked; none for a rule, whose name is its key in `judges`.
        unit: what one judgement is about; of two answers both orders are asked.
        options: fields of the suite's options that change its judgements.
        attacks: a model -> its verdicts on the standing set of attacks.
    """

    run: Callable[[Sequence[Any], Engine | None, Any], Iterator[Judgement]]
    version: int = 1
    asks: tuple[AnyOperation, ...] = ()
    unit: Unit = "answer"
    options: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    attacks: Callable[[Engine], Iterator[AttackVerdict]] | None = None

    @property
    def is_rule(self) -> bool:
        """Whether no model is asked."""
        return not self.asks


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A metric made of other metrics of the suite, such as LLM Compliance.

    Attributes:
        of: the metrics that it is made of, in the order of the function's arguments.
        value: their values, then the options -> the metric's value.
        options: fields of the suite's options that it reads.
    """

    of: tuple[str, ...]
    value: Callable[..., float]
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """Something besides filings that ingest reads for a suite, from a file that an option names.

    Attributes:
        option: field of the suite's options that names the file; None there reads nothing.
        rows: the row type that it gives.
        read: file -> rows, and rejects of stage `ingest`.
    """

    option: str
    rows: type
    read: Callable[[Path], Iterator[Any]]
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class Published:
    """The authors' own file: read in place of filings, and written from a release.

    Attributes:
        check: refuses a file that is not in the layout.
        load: (file, options, limit, encoding) -> its rows.
        export: (file, rows of the release) -> what was written.
    """

    check: Callable[[Path], object]
    load: Callable[[Path, Any, int | None, str], Imported]
    export: Callable[[Path, RowsOf], Exported]
    writes: tuple[type, ...]
    version: int = 1
    options: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """One benchmark.

    Attributes:
        options: settings of its own.
        roles: models that it asks while building.
        rows: tables of its own.
        sources: what ingest may read for it besides filings, by name.
        build: its steps, in order.
        variants: variants of its cases, in the order of reports.
        answers: operations with which models under test answer, named `answer` or `answer_...`; their
            inputs are made by `of`.
        operation_of: case -> the one of them that asks it.
        longest_context: options -> most tokens of a context, as known before contexts are made.
        judges: name -> judge; a judge that models play is named by the model instead.
        default_judges: judges of a run that names none.
        metrics: metrics made of metrics.
        published: the authors' file, if they have one.
        page: how people are told about it.
    """

    name: str
    title: str
    description: str
    paper: Paper
    options: type[Options]
    roles: tuple[Role, ...] = ()
    rows: tuple[type, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    build: tuple[Step, ...]
    variants: tuple[str, ...] = ("baseline",)
    answers: tuple[AnyOperation, ...]
    operation_of: Callable[[Case], AnyOperation]
    longest_context: Callable[[Any], int]
    judges: Mapping[str, Judge]
    default_judges: tuple[str, ...]
    metrics: Mapping[str, Derived] = field(default_factory=dict)
    published: Published | None = None
    page: Page

    @property
    def rules(self) -> Mapping[str, Judge]:
        """Its judges that are rules, by name."""
        return {name: judge for name, judge in self.judges.items() if judge.is_rule}

    @property
    def model_judge(self) -> Judge | None:
        """The judge that models play, if there is one."""
        return next((judge for judge in self.judges.values() if not judge.is_rule), None)

    @property
    def operations(self) -> dict[str, AnyOperation]:
        """Every operation of the suite, by name."""
        asked = [
            each for step in self.build for operations in step.asks.values() for each in operations
        ]
        asked += [each for judge in self.judges.values() for each in judge.asks]
        return {each.name: each for each in (*asked, *self.answers)}
