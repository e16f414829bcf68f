"""A suite's build in memory, on a sample of the filings: reads finished steps, runs the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from itertools import chain
from math import ceil
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
from tasks.filings.edgar.manifest import kept_choice, raw
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import Source, read_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, Stated
from tasks.lake.lake import Commit, Lake, Step
from tasks.pipeline.clients import rows_of
from tasks.pipeline.edgar import edgar_query
from tasks.pipeline.incremental import earlier_filings, earlier_releases
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
Thing = TypeVar("Thing")
Files = Sequence[tuple[str, Callable[[], bytes]]]
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
        weights: case_id -> how many of a step's rows it stands for, if they are not all alike.
        most_rows: how many rows a step would give of its main type if it rejected none.
        n_sampled: filings that the rows are made from.
        n_filings: filings of the run.
    """

    def __init__(self, lake: Lake, run: ResolvedRun, engine_of: Callable[[str], Counting]) -> None:
        self.lake, self.run, self.engine_of = lake, run, engine_of
        self.commits: dict[str, Commit] = {}
        self.engines: dict[str, dict[str, Counting]] = {}
        self.scales: dict[str, float] = {}
        self.weights: dict[str, float] = {}
        self.most_rows: dict[str, float] = {}
        self.n_sampled = self.n_filings = 1
        self.notes: list[str] = []
        self._rows: dict[str, list[Any]] = {}
        # column -> ids of the sample; empty if all filings are in it
        self._ids: dict[str, set[str]] = {}
        self._is_stand_in = False  # whether the sample is of other filings
        self._guessed: set[str] = set()  # steps whose rows depend on invented replies
        self._partial: set[str] = set()  # steps with rows of a sample only
        if (ingested := self._ingested()) is not None:
            self.commits["ingest"] = ingested
        unread = {f"ingest.{name}" for name in unread_sources(lake, run)}
        for name in run.suite.sources:
            if name in run.sources:
                commit = finished(lake, run.settings, partial(plan_source, lake, run, name))
            else:
                commit = lake.commit_of(
                    Step(run.settings.release, build_name(run, f"ingest.{name}"))
                )
            if commit is not None:
                self.commits[f"ingest.{name}"] = commit
        for step in run.build:
            if all(name in self.commits or name in unread for name in step.reads):
                commit = finished(lake, run.settings, partial(plan_build, lake, run, step))
                if commit is not None:
                    self.commits[step.name] = commit

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
        uncertain = self._guessed | self._partial
        return not self._is_stand_in and uncertain.isdisjoint(names)

    def most_cases(self) -> float:
        """Return how many cases there are at most for each one that the trial has made.

        A step that tries all its rows, and no model's replies, makes just its cases. Others may
        accept what was rejected here, which has as many cases as what was not.
        """
        made = most = 0.0
        for step in self.run.build:
            if Case in step.writes:
                rows = self.rows(step.name)
                n_made = sum(isinstance(row, Case) for row in rows)
                n_first = sum(isinstance(row, step.writes[0]) for row in rows)
                made += n_made
                if self.is_exact(step.name) or step.name not in self.most_rows:
                    most += n_made
                else:
                    most += self.most_rows[step.name] * (n_made / n_first if n_first else 1.0)
        return most / made if made else 1.0

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
                step = next(step for step in self.run.build if step.name == name)
                for read in step.reads:
                    self.rows(read)
                self.scales[name] = self.scale_of(step.reads)
                if not self._partial.isdisjoint(step.reads):
                    self._partial.add(name)
                commit = self.commits.get(name)
                self._rows[name] = (
                    self._run(step) if commit is None else self._read(commit, step.writes)
                )
        return self._rows[name]

    def _all(self, row_type: type[Row]) -> Iterator[Row]:
        for step in self.run.build:
            if self.is_built:
                yield from self.lake.each(self.commits[step.name], row_type)
            else:
                yield from (row for row in self.rows(step.name) if isinstance(row, row_type))

    # --- steps

    def _run(self, step: SuiteStep) -> list[Any]:
        """Run a step's function on the rows that it reads."""
        settings = self.run.settings
        models = dict.fromkeys(model for role in step.asks for model in self.run.roles[role])
        engines = self.engines[step.name] = {model: self.engine_of(model) for model in models}

        def rows(row_type: type[Row], only: Only | None = None) -> list[Row]:
            return [
                row
                for name in step.reads
                for row in self.rows(name)
                if isinstance(row, row_type) and (only is None or getattr(row, only[0]) in only[1])
            ]

        def parts(*row_types: type) -> Iterator[tuple[list[Any], ...]]:
            for name in step.reads:
                found = tuple(
                    [row for row in self.rows(name) if isinstance(row, each)] for each in row_types
                )
                if any(found):
                    yield found

        shard: list[Any] = [] if step.per is None else rows(step.per)
        strata = _strata(shard, step.sampled_by) if step.sampled_by else [[shard]]
        samples = [
            list(chain.from_iterable(_spread(groups, ceil(wanted / max(1, len(groups[0]))))))
            for groups in strata
            for wanted in [SHARD_ROWS / len(strata)]
        ]
        n_chosen = sum(map(len, samples))
        if n_chosen < len(shard):
            self.scales[step.name] *= len(shard) / n_chosen
            self._partial.add(step.name)
            self.n_sampled = min(self.n_sampled, n_chosen)
        inputs = StepInputs(
            suite=settings.suite,
            shard=(),
            rows=rows,
            parts=parts,
            engines={
                role: [engines[model] for model in self.run.roles[role]] for role in step.asks
            },
            models={role: rows_of(self.run, role) for role in step.asks},
            options=self.run.options,
            seed=settings.seed,
            encoding=settings.encoding,
            workers=settings.workers,
        )
        tell(f"Trying {step.name} ...")
        made, n_rejects = [], 0
        for groups, sample in zip(strata, samples, strict=True) if shard else [((), ())]:
            found = step.run(replace(inputs, shard=sample))
            of_stratum = []
            for row in found:
                if isinstance(row, Reject):
                    n_rejects += 1
                else:
                    of_stratum.append(row)
            if len(strata) > 1:
                weight = sum(map(len, groups)) / len(sample) * n_chosen / len(shard)
                cases = (row.case_id for row in of_stratum if isinstance(row, Case))
                self.weights |= dict.fromkeys(cases, weight)
            made += of_stratum
        n_made = sum(isinstance(row, step.writes[0]) for row in made)
        self.most_rows[step.name] = n_made + n_rejects
        most = step.most(self.run.options, self.run.roles)
        if n_made and most is not None:
            scale = min(self.scales[step.name], max(1.0, most / n_made))
            self.scales[step.name] = scale
            self.most_rows[step.name] = min(n_made + n_rejects, max(n_made, most / scale))
        if not n_made and not step.may_be_empty:
            self.notes.append(
                f"step {step.name} gives no rows of the filings that were tried: what would follow "
                "from it is left out"
            )
        if any(engine.n_guessed for engine in engines.values()) or not self._guessed.isdisjoint(
            step.reads
        ):
            self._guessed.add(step.name)
        return made

    def _read(self, commit: Commit, row_types: Iterable[type]) -> list[Any]:
        """Read a finished step's rows that belong to the sample, by their first known parent."""
        found: list[Any] = []
        for row_type in row_types:
            own, *others = [field.name for field in fields(row_type)]
            schema = arrow_schema(row_type)
            known = [
                name
                for name in (*others, own)
                if name.removesuffix("s") in self._ids and not schema.field(name).nullable
            ]
            rows: list[Any]
            if not known:
                rows = self.lake.read(commit, row_type)
            elif known[0] in self._ids:
                rows = self.lake.read(commit, row_type, (known[0], self._ids[known[0]]))
            else:  # a list of parents: the first one counts
                ids = self._ids[known[0].removesuffix("s")]
                every: Iterator[Any] = self.lake.each(commit, row_type)
                rows = [row for row in every if getattr(row, known[0])[0] in ids]
            if self._ids:
                self._ids.setdefault(own, set()).update(getattr(row, own) for row in rows)
            found += rows
        return found

    # --- filings

    def _ingested(self) -> Commit | None:
        """Return the finished ingest; files are hashed only if there is one to compare with."""
        settings = self.run.settings
        if self.lake.commit_of(Step(settings.release, "ingest")) is None:
            return None
        planned = plan_ingest(self.lake, self.run)
        return planned.finished(self.lake) if is_finished(self.lake, planned, settings) else None

    def _ingest(self) -> list[Any]:
        settings = self.run.settings
        if "ingest" in self.commits:
            return self._of_release(self.commits["ingest"])
        if settings.dataset is not None:
            return []
        if not is_edgar(settings.filings):
            files: Files = [(uri, path.read_bytes) for uri, path in found_files(settings)]
            return self._of_files(files, stated_of(settings))
        earlier = earlier_releases(self.lake, settings)
        query = edgar_query(settings)
        choice = (
            None
            if settings.force
            else kept_choice(self.lake.objects, settings.release, query, earlier)
        )
        if choice is None or not choice.is_complete:
            return self._of_others()
        return self._of_files(
            [(url, partial(raw, self.lake.objects, sha256)) for url, sha256 in choice.downloaded]
        )

    def _of_release(self, commit: Commit) -> list[Any]:
        filing_of = dict(self.lake.columns(commit, "documents", "document_id", "filing_id"))
        chosen = sampled(filing_of, FILINGS)
        self._take(len(chosen), len(filing_of))
        if len(chosen) < len(filing_of):
            self._ids = {
                "document_id": set(chosen),
                "filing_id": {filing_of[each] for each in chosen},
            }
        return self._read(commit, (Filing, Document, FilingTable))

    def _of_files(self, files: Files, stated: Mapping[str, Stated] | None = None) -> list[Any]:
        settings = self.run.settings
        chosen = set(sampled((uri for uri, _ in files), FILINGS))
        self._take(len(chosen), len(files))
        tell(f"Reading {len(chosen):,} of {len(files):,} filings ...")
        sources = (
            Source(
                uri=uri,
                data=read(),
                encoding=settings.encoding,
                stated=(stated or {}).get(uri, NOTHING_STATED),
            )
            for uri, read in files
            if uri in chosen
        )
        left_out = set()
        if settings.new_only:
            left_out = set(earlier_filings(self.lake, plan_ingest(self.lake, self.run).identity))
        found: dict[str, ParsedFiling] = {}
        for parsed in map(read_filing, sources):
            if not isinstance(parsed, Reject) and parsed.filing.filing_id not in left_out:
                found.setdefault(parsed.filing.filing_id, parsed)
        return [
            row for each in found.values() for row in (each.filing, each.document, *each.tables)
        ]

    def _of_others(self) -> list[Any]:
        """Sample the lake's filings, or the packaged ones, if EDGAR has not been asked yet."""
        settings = self.run.settings
        n = min(
            (size for size in (settings.sample, settings.limit) if size is not None), default=None
        )
        if n is None:
            raise WrongSettings(
                f"the number of filings in {settings.filings} is unknown until they are chosen. "
                "Set --sample or --limit, or run `tenkbench ingest` first"
            )
        packaged = found_files(replace(settings, filings=None, limit=None))
        held = [
            commit
            for commit in self.lake.commits()
            if commit.step.name == "ingest"
            and "dataset" not in commit.identity
            and commit.n_rows("documents") > len(packaged)
        ]
        if held:
            other = max(held, key=lambda commit: commit.n_rows("documents"))
            rows: list[Any] = self._of_release(other)
            whose = f"filings of release {other.step.release}"
        else:
            found = self._of_files([(uri, path.read_bytes) for uri, path in packaged])
            rows = [lengthened(row) if isinstance(row, Document) else row for row in found]
            whose = f"packaged samples, lengthened to {USUAL_TOKENS:,} tokens each,"
        self._take(self.n_sampled, n)
        self._is_stand_in = True
        self.notes.append(
            f"nothing was asked of EDGAR yet: {self.n_sampled} {whose} stand for the {n:,} filings "
            "that are asked for"
        )
        return rows

    def _take(self, n_sampled: int, n_filings: int) -> None:
        self.n_sampled, self.n_filings = n_sampled, n_filings
        self.scales["ingest"] = n_filings / max(1, n_sampled)
        if n_sampled != n_filings:
            self._partial.add("ingest")

    def _source(self, name: str) -> list[Any]:
        """Read what a suite has besides filings; all of it."""
        source = self.run.suite.sources[name]
        path = self.run.option(source.option)
        return (
            []
            if path is None
            else [row for row in source.read(path) if not isinstance(row, Reject)]
        )


def sampled(ids: Iterable[str], most: int) -> list[str]:
    """Draw some of the ids, always the same ones."""
    return sorted(ids, key=lambda each: stable_id("estimate", each))[:most]


def _strata(rows: Sequence[Any], columns: Sequence[str]) -> list[list[list[Any]]]:
    """Put rows together that are alike in these columns, and such groups that cost alike.

    Groups of a stratum have the same first column and as many rows.
    """
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, each) for each in columns), []).append(row)
    strata: dict[Any, list[list[Any]]] = {}
    for key, group in groups.items():
        strata.setdefault((key[0], len(group)), []).append(group)
    return list(strata.values())


def _spread(ids: Sequence[Thing], most: int) -> list[Thing]:
    """Choose some of the ids, evenly in their order: what costs alike often stands together."""
    n = min(most, len(ids))
    return [ids[(2 * place + 1) * len(ids) // (2 * n)] for place in range(n)]


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
