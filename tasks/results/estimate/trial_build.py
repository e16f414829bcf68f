"""A suite's build on a sample of the filings, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.core.rows import (
    Case,
    Context,
    Document,
    Filing,
    FilingTable,
    Paragraph,
    QAPair,
    Reject,
)
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.lake.lake import Commit, Step
from tasks.pipeline.clients import rows_of
from tasks.pipeline.plan import plan_build, plan_source
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import WrongSettings
from tasks.pipeline.sources import edgar_query, found_files, plan_ingest, stated_of
from tasks.pipeline.steps import finished
from tasks.results.estimate.call_costs import COUNTED, RULES
from tasks.results.estimate.counting import Counting
from tasks.suites.suite import Step as SuiteStep
from tasks.suites.suite import StepInputs
from tasks.text.tokens import count_tokens

Row = TypeVar("Row")
Only = tuple[str, Collection[str]]

# Filings to read for a build that is not finished: about 0.3 s each.
FILINGS = 24
# Rows of a shard to run a step on that says by what they are sampled: about 2 s each.
SHARD_ROWS = 8
# The packaged samples are lengthened to these tokens, those of a usual annual report: twenty real
# ones have 46,600 on average, with a median of 55,900.
USUAL_TOKENS = 50_000
_FILLER = (
    "This paragraph stands for the length of a usual report and says nothing that anybody would "
    "ask about.\n\n"
)


class TrialBuild:
    """The rows of a run's build: the lake's if it holds them all, else a sample's.

    Attributes:
        commits: the build's steps, if the lake holds all of them as planned.
        engines: models of each step that was tried.
        scales: how many rows of the run one of a step's rows stands for.
    """

    def __init__(self, run: ResolvedRun, engine_of: Callable[[str], Counting]) -> None:
        self.run, self.engine_of = run, engine_of
        self.ingested: Commit | None = None
        if (
            run.lake.commit_of(Step(run.settings.release, "ingest")) is not None
        ):  # else hash no file
            self.ingested = finished(partial(plan_ingest, run))
        self.commits = self._commits()
        self.engines: dict[str, dict[str, Counting]] = {}
        self.scales: dict[str, float] = {}
        self.n_sampled = self.n_filings = 1
        self.notes: list[str] = []
        self._rows: dict[str, list[Any]] = {}

    def _commits(self) -> list[Commit]:
        """Return the commits of the build; none if a step or a source is not as planned."""
        plans = [
            *(partial(plan_source, self.run, name) for name in self.run.sources),
            *(partial(plan_build, self.run, step) for step in self.run.build),
        ]
        commits = []
        for plan in plans if self.ingested is not None else ():
            commit = finished(plan)
            if commit is None:
                return []
            commits.append(commit)
        return commits

    @property
    def basis(self) -> str:
        """What counts of calls are taken from: all filings, by rules alone, or a sample."""
        engines = (engine for models in self.engines.values() for engine in models.values())
        is_by_rules = all(engine.row.engine == RULES for engine in engines)
        if is_by_rules and {*self.scales.values()} <= {1.0}:
            return COUNTED
        return f"predicted from {self.n_sampled:,} of {self.n_filings:,} filings"

    def scale_of(self, names: Iterable[str]) -> float:
        """Return how many rows of the run one row of these steps stands for.

        The step that was made last counts: its rows are made of those of the others.
        """
        wanted = set(names)
        return next((self.scales[name] for name in reversed(self.scales) if name in wanted), 1.0)

    def all_rows(self, row_type: type[Row]) -> Iterator[Row]:
        """Yield the rows of a type that the whole build has, or that of the sample."""
        for commit in self.commits:
            yield from self.run.lake.each(commit, row_type)
        for step in () if self.commits else self.run.build:
            yield from (row for row in self.rows(step.name) if isinstance(row, row_type))

    @cached_property
    def cases(self) -> list[Case]:
        """The cases of the build."""
        return list(self.all_rows(Case))

    @cached_property
    def pairs(self) -> dict[str, QAPair]:
        """Pairs by id."""
        return {pair.qa_pair_id: pair for pair in self.all_rows(QAPair)}

    def contexts(self, wanted: Collection[str]) -> Iterator[Context]:
        """Read contexts by id, each once."""
        missing = set(wanted)
        for context in self.all_rows(Context):
            if context.context_id in missing:
                missing.remove(context.context_id)
                yield context

    def rows(self, name: str) -> list[Any]:
        """Make a step's rows of the sampled filings.

        Raises:
            WrongSettings: nobody says how many filings EDGAR will give.
        """
        if name not in self._rows:
            if name.startswith("suite."):  # a trial reads no other suite
                self._rows[name] = []
            elif name == "ingest":
                self._rows[name] = self._ingest()
            elif name.startswith("ingest."):
                self._rows[name] = self._source(name.removeprefix("ingest."))
            else:
                step = next(step for step in self.run.build if step.name == name)
                self._rows[name] = self._build(step)
        return self._rows[name]

    # --- steps

    def _build(self, step: SuiteStep) -> list[Any]:
        """Run a step's function on the rows that it reads."""
        for name in step.reads:
            self.rows(name)
        self.scales[step.name] = self.scale_of(step.reads)
        models = dict.fromkeys(model for role in step.asks for model in self.run.roles[role])
        self.engines[step.name] = {model: self.engine_of(model) for model in models}
        tell(f"Trying {step.name} ...")
        rows = [row for row in step.run(self._inputs(step)) if not isinstance(row, Reject)]
        n_made = sum(isinstance(row, step.writes[0]) for row in rows)
        most = step.most(self.run.options, self.run.roles)
        if n_made and most is not None:
            self.scales[step.name] = min(self.scales[step.name], max(1.0, most / n_made))
        if not n_made and not step.may_be_empty:
            self.notes.append(
                f"step {step.name} gives no rows of the filings that were tried: what would follow "
                "from it is left out"
            )
        return rows

    def _inputs(self, step: SuiteStep) -> StepInputs:
        settings, engines = self.run.settings, self.engines[step.name]
        return StepInputs(
            suite=settings.suite,
            shard=self._shard(step),
            rows=partial(self._rows_read, step),
            parts=partial(self._parts_read, step),
            engines={
                role: [engines[model] for model in self.run.roles[role]] for role in step.asks
            },
            models={role: rows_of(self.run, role) for role in step.asks},
            options=self.run.options,
            seed=settings.seed,
            encoding=settings.encoding,
        )

    def _shard(self, step: SuiteStep) -> list[Any]:
        """Give the rows of a step's one shard: all, or some if it says by what they are sampled."""
        if step.per is None:
            return []
        shard = self._rows_read(step, step.per)
        if not step.sampled_by or len(shard) <= SHARD_ROWS:
            return shard
        groups: dict[Any, list[Any]] = {}  # rows that share prompts
        for row in shard:
            groups.setdefault(tuple(getattr(row, name) for name in step.sampled_by), []).append(row)
        n_groups = ceil(SHARD_ROWS * len(groups) / len(shard))
        sample = list(chain.from_iterable(spread(list(groups.values()), n_groups)))
        self.scales[step.name] *= len(shard) / len(sample)
        return sample

    def _rows_read(self, step: SuiteStep, row_type: type[Row], only: Only | None = None) -> Any:
        return [
            row
            for name in step.reads
            for row in self.rows(name)
            if isinstance(row, row_type) and (only is None or getattr(row, only[0]) in only[1])
        ]

    def _parts_read(self, step: SuiteStep, *row_types: type) -> Iterator[tuple[list[Any], ...]]:
        for name in step.reads:
            part = tuple(
                [row for row in self.rows(name) if isinstance(row, row_type)]
                for row_type in row_types
            )
            if any(part):
                yield part

    # --- filings

    def _ingest(self) -> list[Any]:
        if self.ingested is not None:
            return self._of_release(self.ingested)
        settings = self.run.settings
        if settings.dataset is not None:
            return []
        if not is_edgar(settings.filings):
            files = found_files(settings)
            return self._of_files(files, len(files), stated_of(settings))
        edgar_query(settings)  # refuses what ingest would refuse
        sizes = [size for size in (settings.sample, settings.limit) if size is not None]
        if not sizes:
            raise WrongSettings(
                f"the number of filings in {settings.filings} is unknown until they are chosen. "
                "Set --sample or --limit, or run `tenkbench ingest` first"
            )
        files = found_files(replace(settings, filings=None, limit=None))
        self.notes.append(
            f"the filings are not ingested yet: {len(files)} packaged samples, lengthened to "
            f"{USUAL_TOKENS:,} tokens each, stand for the {min(sizes):,} filings that are asked for"
        )
        return [
            lengthened(row) if isinstance(row, Document) else row
            for row in self._of_files(files, min(sizes), {})
        ]

    def _of_release(self, commit: Commit) -> list[Any]:
        filing_of = dict(self.run.lake.columns(commit, "documents", "document_id", "filing_id"))
        sample = sampled(filing_of, FILINGS)
        self._scale(len(sample), len(filing_of))
        filings = {filing_of[document_id] for document_id in sample}
        return [
            *self.run.lake.each(commit, Filing, ("filing_id", filings)),
            *self.run.lake.each(commit, Document, ("document_id", sample)),
            *self.run.lake.each(commit, FilingTable, ("document_id", sample)),
        ]

    def _of_files(
        self, files: Sequence[tuple[str, Path]], n_filings: int, stated: Mapping[str, StatedFacts]
    ) -> list[Any]:
        """Read some files, which stand for the run's filings."""
        sample = set(sampled((uri for uri, _ in files), FILINGS))
        self._scale(len(sample), n_filings)
        tell(f"Reading {len(sample):,} of {len(files):,} filings ...")
        filings: dict[str, list[Any]] = {}
        for uri, path in files:
            if uri in sample:
                facts = stated.get(uri, NOTHING_STATED)
                encoding = self.run.settings.encoding
                source = FilingSource(
                    uri=uri, data=path.read_bytes(), encoding=encoding, stated=facts
                )
                parsed = read_filing(source)
                if not isinstance(parsed, Reject):
                    rows = [parsed.filing, parsed.document, *parsed.tables]
                    filings.setdefault(parsed.filing.filing_id, rows)
        return [*chain.from_iterable(filings.values())]

    def _scale(self, n_sampled: int, n_filings: int) -> None:
        self.n_sampled, self.n_filings = n_sampled, n_filings
        self.scales["ingest"] = n_filings / max(1, n_sampled)

    def _source(self, name: str) -> list[Any]:
        """Read what a suite has besides filings; all of it."""
        source = self.run.suite.sources[name]
        path = self.run.option(source.option)
        rows = [] if path is None else source.read(path)
        return [row for row in rows if not isinstance(row, Reject)]


def sampled(ids: Iterable[str], most: int) -> list[str]:
    """Draw some of the ids, always the same ones."""
    return sorted(ids, key=lambda id_: stable_id("estimate", id_))[:most]


def spread(things: Sequence[Row], most: int) -> list[Row]:
    """Choose some things, evenly in their order: what costs alike often stands together."""
    n = min(most, len(things))
    return [things[(2 * place + 1) * len(things) // (2 * n)] for place in range(n)]


def lengthened(document: Document) -> Document:
    """Add filler until a document is as long as an annual report usually is.

    Its own text is not repeated: a question on what stands twice would be dropped as ambiguous.
    """
    n_filler = count_tokens(_FILLER)
    times = max(0, ceil((USUAL_TOKENS - document.n_tokens) / n_filler))
    start = len(document.text) + 2
    paragraphs = [
        Paragraph(start_char=place, end_char=place + len(_FILLER) - 2, n_tokens=n_filler)
        for place in range(start, start + times * len(_FILLER), len(_FILLER))
    ]
    return replace(
        document,
        text=f"{document.text}\n\n{_FILLER * times}",
        n_tokens=document.n_tokens + times * n_filler,
        paragraphs=(*document.paragraphs, *paragraphs),
    )
