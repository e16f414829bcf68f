"""A suite's build on a sample of the filings, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import ceil
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from tasks.core.progress import tell
from tasks.core.rows import Document, Filing, FilingTable, Paragraph, Reject
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.lake.lake import Commit, LakeStep
from tasks.pipeline.plan import plan_build, plan_source
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import WrongSettings
from tasks.pipeline.sources import edgar_query, found_files, plan_ingest, stated_of
from tasks.pipeline.steps import finished
from tasks.results.estimate.call_costs import COUNTED, RULES, Counting
from tasks.suites.suite import Step, StepInputs
from tasks.text.tokens import count_tokens

Row = TypeVar("Row")

# Filings to read for a build that is not finished: about 0.3 s each.
FILINGS = 24
# A step with `sampled_by` runs on a whole shard of at most WHOLE_SHARD rows, and on SHARD_ROWS of a
# longer one: the paper's long-context run, 26 s.
WHOLE_SHARD = 40
SHARD_ROWS = 24
# The packaged samples are lengthened to these tokens, those of a usual annual report: twenty real
# ones have 46,600 on average, with a median of 55,900.
USUAL_TOKENS = 50_000
# Their Item 7 gets these more: tables beside a hidden figure have 1,900 there, and 470 here.
MORE_OF_TABLES = 1_500
_FILLER = (
    "This paragraph stands for the length of a usual report and says nothing that anybody would "
    "ask about.\n\n"
)


class TrialBuild:
    """The rows of a run's build: the lake's if it holds them all, else a sample's.

    Raises:
        WrongSettings: nobody says how many filings EDGAR will give.
    """

    def __init__(self, run: ResolvedRun, engine_of: Callable[[str], Counting]) -> None:
        self.run, self.engine_of = run, engine_of
        self.engines: dict[str, dict[str, Counting]] = {}  # models of each step that was tried
        self.basis = COUNTED  # what counts of calls are taken from: all that there is, or a sample
        self.notes: list[str] = []  # what a reader has to know beside the figures
        self._rows: dict[str, list[Any]] = {}  # by step
        self._scales: dict[str, float] = {}  # by step: rows of the run that one of its rows means
        is_ingested = run.lake.commit_of(LakeStep(run.settings.release, "ingest")) is not None
        # else hash no file
        self._ingested = finished(partial(plan_ingest, run)) if is_ingested else None
        self.commits = self._finished()  # if the lake holds all steps as planned
        if not self.commits:
            self._try()

    def _finished(self) -> list[Commit]:
        if self._ingested is None:
            return []
        plans = [
            *(partial(plan_source, self.run, name) for name in self.run.sources),
            *(partial(plan_build, self.run, step) for step in self.run.build),
        ]
        commits = [commit for commit in map(finished, plans) if commit is not None]
        return commits if len(commits) == len(plans) else []

    def scale_of(self, names: Iterable[str]) -> float:
        """Return how many rows of the run one row of these steps stands for.

        The step that was made last counts: its rows are made of those of the others.
        """
        wanted = set(names)
        return next((self._scales[name] for name in reversed(self._scales) if name in wanted), 1.0)

    def all_rows(self, row_type: type[Row]) -> Iterator[Row]:
        """Yield the rows of a type that the whole build has, or that of the sample."""
        for commit in self.commits:
            yield from self.run.lake.each(commit, row_type)
        for step in () if self.commits else self.run.build:
            yield from (row for row in self._rows[step.name] if isinstance(row, row_type))

    # --- steps

    def _try(self) -> None:
        if any("ingest" in step.reads for step in self.run.build):
            self._rows["ingest"] = self._ingest()
        for name, source in self.run.suite.sources.items():
            path = self.run.option(source.option)
            rows = [] if path is None else source.read(path)
            self._rows[f"ingest.{name}"] = [row for row in rows if not isinstance(row, Reject)]
        for step in self.run.build:
            self._rows[step.name] = self._build(step)
        names = set(chain.from_iterable(self.engines.values()))
        if any(self.run.row(name).engine != RULES for name in names):
            self._predict_from("made-up replies in place of models")

    def _predict_from(self, sample: str) -> None:
        """Say what counts are predicted from; the first sample is the one to name."""
        if self.basis == COUNTED:
            self.basis = f"predicted from {sample}"

    def _build(self, step: Step) -> list[Any]:
        self._scales[step.name] = self.scale_of(step.reads)
        models = dict.fromkeys(model for role in step.asks for model in self.run.roles[role])
        self.engines[step.name] = {model: self.engine_of(model) for model in models}
        tell(f"Trying {step.name} ...")
        rows = [row for row in step.run(self._inputs(step)) if not isinstance(row, Reject)]
        n_made = sum(isinstance(row, step.writes[0]) for row in rows)
        most = step.most(self.run.options, self.run.roles)
        if n_made and most is not None:
            self._scales[step.name] = min(self._scales[step.name], max(1.0, most / n_made))
        if not n_made and not step.may_be_empty:
            self.notes.append(
                f"step {step.name} gives no rows of the filings that were tried: what would follow "
                "from it is left out"
            )
        return rows

    def _inputs(self, step: Step) -> StepInputs:
        settings, engines = self.run.settings, self.engines[step.name]
        roles = {role: self.run.roles[role] for role in step.asks}
        return StepInputs(
            suite=settings.suite,
            shard=self._shard(step),
            rows=partial(self._rows_read, step),
            parts=partial(self._parts_read, step),
            engines={role: [engines[model] for model in models] for role, models in roles.items()},
            models={role: [*map(self.run.row, models)] for role, models in roles.items()},
            options=self.run.options,
            seed=settings.seed,
            encoding=settings.encoding,
        )

    def _shard(self, step: Step) -> list[Any]:
        """Give the rows of a step's one shard: all, or some if it says by what they are sampled."""
        shard = [] if step.per is None else self._rows_read(step, step.per)
        if not step.sampled_by or len(shard) <= WHOLE_SHARD:
            return shard
        groups: dict[Any, list[Any]] = {}  # rows that share prompts
        for row in shard:
            groups.setdefault(attrgetter(*step.sampled_by)(row), []).append(row)
        n_groups = ceil(SHARD_ROWS * len(groups) / len(shard))
        sample = list(chain.from_iterable(spread(list(groups.values()), n_groups)))
        self._scales[step.name] *= len(shard) / len(sample)
        self._predict_from(f"{len(sample):,} of {len(shard):,} rows of step {step.name}")
        return sample

    def _rows_read(
        self, step: Step, row_type: type, only: tuple[str, Collection[str]] | None = None
    ) -> list[Any]:
        return [
            row
            for (rows,) in self._parts_read(step, row_type)
            for row in rows
            if only is None or getattr(row, only[0]) in only[1]
        ]

    def _parts_read(self, step: Step, *row_types: type) -> Iterator[tuple[list[Any], ...]]:
        for rows in (self._rows.get(name, []) for name in step.reads):  # of another suite: none
            part = tuple(
                [row for row in rows if isinstance(row, row_type)] for row_type in row_types
            )
            if any(part):
                yield part

    # --- filings

    def _ingest(self) -> list[Any]:
        """Take some filings of the release, or read some of the files, or the packaged samples."""
        settings = self.run.settings
        if self._ingested is not None:
            return self._of_release(self._ingested)
        if settings.dataset is not None:
            return []
        if is_edgar(settings.filings):
            return self._of_samples()
        files = found_files(settings)
        return self._read(files, len(files), stated_of(settings))

    def _of_release(self, commit: Commit) -> list[Any]:
        lake = self.run.lake
        filing_of = dict(lake.columns(commit, "documents", "document_id", "filing_id"))
        sample = spread(sorted(filing_of), FILINGS)
        self._scale(len(sample), len(filing_of))
        filings = {filing_of[document_id] for document_id in sample}
        return [
            *lake.each(commit, Filing, ("filing_id", filings)),
            *lake.each(commit, Document, ("document_id", sample)),
            *lake.each(commit, FilingTable, ("document_id", sample)),
        ]

    def _of_samples(self) -> list[Any]:
        """Read the packaged samples, which stand for EDGAR's filings until these are chosen."""
        settings = self.run.settings
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
            f"{USUAL_TOKENS:,} tokens each, stand for the {min(sizes):,} filings that are asked "
            "for. `tenkbench ingest` asks no model; after it, figures are closer"
        )
        rows = self._read(files, min(sizes), {})
        documents = [row for row in rows if isinstance(row, Document)]
        others = [row for row in rows if not isinstance(row, Document)]
        return [*others, *map(lengthened, documents), *map(filler_table, documents)]

    def _read(
        self, files: Sequence[tuple[str, Path]], n_filings: int, stated: Mapping[str, StatedFacts]
    ) -> list[Any]:
        """Read some files, which stand for the run's filings."""
        sample = spread(files, FILINGS)
        self._scale(len(sample), n_filings)
        tell(f"Reading {len(sample):,} of {len(files):,} filings ...")
        rows: dict[str, list[Any]] = {}  # by filing: two files may be one
        for uri, path in sample:
            facts, encoding = stated.get(uri, NOTHING_STATED), self.run.settings.encoding
            parsed = read_filing(
                FilingSource(uri=uri, data=path.read_bytes(), encoding=encoding, stated=facts)
            )
            if not isinstance(parsed, Reject):
                rows[parsed.filing.filing_id] = [parsed.filing, parsed.document, *parsed.tables]
        return [*chain.from_iterable(rows.values())]

    def _scale(self, n_sampled: int, n_filings: int) -> None:
        self._scales["ingest"] = n_filings / max(1, n_sampled)
        if n_sampled != n_filings:
            self._predict_from(f"{n_sampled:,} of {n_filings:,} filings")


def spread(things: Sequence[Row], most: int) -> list[Row]:
    """Choose some things, evenly in their order: what costs alike often stands together."""
    n = min(most, len(things))
    return [things[(2 * place + 1) * len(things) // (2 * n)] for place in range(n)]


def filler_table(document: Document) -> FilingTable:
    """Make a table of words that brings Item 7's tables to their usual length."""
    (*_, item) = document.spans_of("7")
    return FilingTable(
        table_id=f"{document.document_id}-filler",
        document_id=document.document_id,
        item="7",
        table_index=USUAL_TOKENS,
        pre_text="",
        cells=((_FILLER.strip(),),) * (MORE_OF_TABLES // count_tokens(_FILLER)),
        start_char=item.end_char - 1,
        end_char=item.end_char,
    )


def lengthened(document: Document) -> Document:
    """Add filler until a document is as long as an annual report usually is.

    Its own text is not repeated: a question on what stands twice would be dropped as ambiguous.
    """
    size, n_tokens, start = len(_FILLER), count_tokens(_FILLER), len(document.text) + 2
    times = max(0, ceil((USUAL_TOKENS - document.n_tokens) / n_tokens))
    fillers = [
        Paragraph(start_char=place, end_char=place + size - 2, n_tokens=n_tokens)
        for place in range(start, start + times * size, size)
    ]
    return replace(
        document,
        text=f"{document.text}\n\n{_FILLER * times}",
        n_tokens=document.n_tokens + times * n_tokens,
        paragraphs=(*document.paragraphs, *fillers),
    )
