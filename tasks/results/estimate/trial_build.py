"""A suite's build in memory, on a sample of the filings: reads finished steps, runs the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
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
from tasks.core.tables import arrow_schema
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import Source, read_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, Stated
from tasks.lake.lake import Commit, Lake, Step
from tasks.pipeline.clients import rows_of
from tasks.pipeline.edgar import edgar_query
from tasks.pipeline.plan import build_name, plan_build, plan_source, unread_sources
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import WrongSettings
from tasks.pipeline.sources import found_files, plan_ingest, stated_of
from tasks.pipeline.steps import finished, is_finished
from tasks.results.estimate.counting import Counting
from tasks.suites.suite import Step as SuiteStep
from tasks.suites.suite import StepInputs
from tasks.text.tokens import count_tokens

Row = TypeVar("Row")
Only = tuple[str, Collection[str]]

# Filings to read for a step that is not built: about 0.3 s each.
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
    """The rows of a run's build, read from the lake or made in memory.

    Attributes:
        commits: finished steps, by name.
        engines: models of each other step, once its rows were asked for.
        scales: how many rows of the run one of a step's rows stands for.
        n_sampled: filings that the rows are made from.
        n_filings: filings of the run.
    """

    def __init__(self, lake: Lake, run: ResolvedRun, engine_of: Callable[[str], Counting]) -> None:
        self.lake, self.run, self.engine_of = lake, run, engine_of
        self.commits = _finished_steps(lake, run)
        self.engines: dict[str, dict[str, Counting]] = {}
        self.scales: dict[str, float] = {}
        self.n_sampled = self.n_filings = 1
        self.notes: list[str] = []
        self._rows: dict[str, list[Any]] = {}
        # column -> ids of the sample; empty if all filings are in it
        self._ids: dict[str, set[str]] = {}
        # steps with rows of a sample only, or that follow from invented replies
        self._uncertain: set[str] = set()

    @property
    def is_built(self) -> bool:
        """Whether the lake holds the whole build as planned."""
        return all(step.name in self.commits for step in self.run.build)

    def scale_of(self, names: Iterable[str]) -> float:
        """Return how many rows of the run one row of these steps stands for.

        The step that was made last counts: its rows are made of those of the others.
        """
        wanted = set(names)
        return next((self.scales[name] for name in reversed(self.scales) if name in wanted), 1.0)

    def is_exact(self, *names: str) -> bool:
        """Whether rows of these steps are all that the run will make, as it will make them."""
        return self._uncertain.isdisjoint(names)

    def cases(self) -> list[Case]:
        """Give the cases of the whole build, or of the sample if it is not built."""
        return list(self._all(Case))

    def sampled_cases(self) -> set[str]:
        """Give the ids of the sample's cases."""
        rows = (row for step in self.run.build for row in self.rows(step.name))
        return {row.case_id for row in rows if isinstance(row, Case)}

    @cached_property
    def pairs(self) -> dict[str, QAPair]:
        """Pairs by id, of the same filings as the cases."""
        return {pair.qa_pair_id: pair for pair in self._all(QAPair)}

    def contexts(self, wanted: Collection[str]) -> Iterator[Context]:
        """Read contexts by id, each once."""
        left = set(wanted)
        for context in self._all(Context):
            if context.context_id in left:
                left.remove(context.context_id)
                yield context

    def rows(self, name: str) -> list[Any]:
        """Give a step's rows of the sampled filings.

        Raises:
            WrongSettings: nobody says how many filings EDGAR will give.
        """
        if name not in self._rows:
            if name == "ingest":
                self._rows[name] = self._ingest()
            elif name.startswith("ingest."):
                self._rows[name] = self._source(name.removeprefix("ingest."))
            else:
                self._rows[name] = self._build(name)
        return self._rows[name]

    def _all(self, row_type: type[Row]) -> Iterator[Row]:
        for step in self.run.build:
            if self.is_built:
                yield from self.lake.each(self.commits[step.name], row_type)
            else:
                yield from (row for row in self.rows(step.name) if isinstance(row, row_type))

    # --- steps

    def _build(self, name: str) -> list[Any]:
        step = next(step for step in self.run.build if step.name == name)
        for read in step.reads:
            self.rows(read)
        self.scales[name] = self.scale_of(step.reads)
        if not self._uncertain.isdisjoint(step.reads):
            self._uncertain.add(name)
        commit = self.commits.get(name)
        return self._run(step) if commit is None else self._read(commit, step.writes)

    def _run(self, step: SuiteStep) -> list[Any]:
        """Run a step's function on the rows that it reads."""
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
        if any(engine.n_guessed for engine in self.engines[step.name].values()):
            self._uncertain.add(step.name)
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
            workers=settings.workers,
        )

    def _shard(self, step: SuiteStep) -> list[Any]:
        """Give the rows of a step's one shard: all, or some if it says by what they are sampled."""
        if step.per is None:
            return []
        shard = self._rows_read(step, step.per)
        groups: dict[Any, list[Any]] = {}  # rows that share prompts
        for row in shard:
            groups.setdefault(tuple(getattr(row, name) for name in step.sampled_by), []).append(row)
        if not step.sampled_by or len(shard) <= SHARD_ROWS:
            return shard
        n_groups = ceil(SHARD_ROWS * len(groups) / len(shard))
        sample = list(chain.from_iterable(_spread(list(groups.values()), n_groups)))
        if len(sample) < len(shard):
            self.scales[step.name] *= len(shard) / len(sample)
            self._uncertain.add(step.name)
            self.n_sampled = min(self.n_sampled, len(sample))
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

    def _read(self, commit: Commit, row_types: Iterable[type]) -> list[Any]:
        """Read a finished step's rows that belong to the sample, by their first known parent."""
        rows: list[Any] = []
        for row_type in row_types:
            own, *others = [field.name for field in fields(row_type)]
            schema = arrow_schema(row_type)
            parents = [
                name
                for name in (*others, own)
                if name.removesuffix("s") in self._ids and not schema.field(name).nullable
            ]
            of_type: list[Any]
            if not parents:
                of_type = self.lake.read(commit, row_type)
            elif parents[0] in self._ids:
                only = (parents[0], self._ids[parents[0]])
                of_type = self.lake.read(commit, row_type, only)
            else:  # a list of parents: the first one counts
                ids = self._ids[parents[0].removesuffix("s")]
                every: Iterator[Any] = self.lake.each(commit, row_type)
                of_type = [row for row in every if getattr(row, parents[0])[0] in ids]
            if self._ids:
                self._ids.setdefault(own, set()).update(getattr(row, own) for row in of_type)
            rows += of_type
        return rows

    # --- filings

    def _ingest(self) -> list[Any]:
        settings = self.run.settings
        if "ingest" in self.commits:
            return self._of_release(self.commits["ingest"])
        if settings.dataset is not None:
            return []
        if is_edgar(settings.filings):
            return self._of_samples()
        files = found_files(settings)
        rows = self._of_files(files, stated_of(settings))
        self._take(min(FILINGS, len(files)), len(files))
        return rows

    def _of_release(self, commit: Commit) -> list[Any]:
        filing_of = dict(self.lake.columns(commit, "documents", "document_id", "filing_id"))
        chosen = sampled(filing_of, FILINGS)
        self._take(len(chosen), len(filing_of))
        if len(chosen) < len(filing_of):
            self._ids = {
                "document_id": set(chosen),
                "filing_id": {filing_of[document_id] for document_id in chosen},
            }
        return self._read(commit, (Filing, Document, FilingTable))

    def _of_files(
        self, files: Sequence[tuple[str, Path]], stated: Mapping[str, Stated]
    ) -> list[Any]:
        chosen = set(sampled((uri for uri, _ in files), FILINGS))
        tell(f"Reading {len(chosen):,} of {len(files):,} filings ...")
        by_id: dict[str, ParsedFiling] = {}
        for uri, path in files:
            if uri in chosen:
                facts = stated.get(uri, NOTHING_STATED)
                encoding = self.run.settings.encoding
                source = Source(uri=uri, data=path.read_bytes(), encoding=encoding, stated=facts)
                filing = read_filing(source)
                if not isinstance(filing, Reject):
                    by_id.setdefault(filing.filing.filing_id, filing)
        return [
            row
            for filing in by_id.values()
            for row in (filing.filing, filing.document, *filing.tables)
        ]

    def _of_samples(self) -> list[Any]:
        """Let the packaged samples, lengthened, stand for filings of EDGAR."""
        settings = self.run.settings
        edgar_query(settings)  # refuses what ingest would refuse
        sizes = [size for size in (settings.sample, settings.limit) if size is not None]
        if not sizes:
            raise WrongSettings(
                f"the number of filings in {settings.filings} is unknown until they are chosen. "
                "Set --sample or --limit, or run `tenkbench ingest` first"
            )
        files = found_files(replace(settings, filings=None, limit=None))
        rows = [
            lengthened(row) if isinstance(row, Document) else row
            for row in self._of_files(files, {})
        ]
        self._take(len(files), min(sizes))
        self._uncertain.add("ingest")
        self.notes.append(
            f"the filings are not ingested yet: {len(files)} packaged samples, lengthened to "
            f"{USUAL_TOKENS:,} tokens each, stand for the {min(sizes):,} filings that are asked for"
        )
        return rows

    def _take(self, n_sampled: int, n_filings: int) -> None:
        self.n_sampled, self.n_filings = n_sampled, n_filings
        self.scales["ingest"] = n_filings / max(1, n_sampled)
        if n_sampled != n_filings:
            self._uncertain.add("ingest")

    def _source(self, name: str) -> list[Any]:
        """Read what a suite has besides filings; all of it."""
        source = self.run.suite.sources[name]
        path = self.run.option(source.option)
        rows = [] if path is None else source.read(path)
        return [row for row in rows if not isinstance(row, Reject)]


def sampled(ids: Iterable[str], most: int) -> list[str]:
    """Draw some of the ids, always the same ones."""
    return sorted(ids, key=lambda each: stable_id("estimate", each))[:most]


def _finished_steps(lake: Lake, run: ResolvedRun) -> dict[str, Commit]:
    """Map the names of the ingest and build steps that are finished to their commits."""
    release, commits = run.settings.release, {}
    if lake.commit_of(Step(release, "ingest")) is not None:  # else no file need be hashed
        planned = plan_ingest(lake, run)
        if is_finished(lake, planned, run.settings):
            commits["ingest"] = planned.finished(lake)
    for name in run.suite.sources:
        step = Step(release, build_name(run, f"ingest.{name}"))
        commit = lake.commit_of(step)
        if name in run.sources:
            commit = finished(lake, run.settings, partial(plan_source, lake, run, name))
        if commit is not None:
            commits[f"ingest.{name}"] = commit
    unread = {f"ingest.{name}" for name in unread_sources(lake, run)}
    for build in run.build:
        if all(name in commits or name in unread for name in build.reads):
            commit = finished(lake, run.settings, partial(plan_build, lake, run, build))
            if commit is not None:
                commits[build.name] = commit
    return commits


def _spread(things: Sequence[Row], most: int) -> list[Row]:
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
