"""Ingest: files or EDGAR's filings to filings, documents, filing_tables and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from tasks.compute.ray_cluster import address as ray_address
from tasks.compute.workers import spread
from tasks.core.prefect_engine import task
from tasks.core.progress import Progress, announce, tell
from tasks.core.rows import Document, Filing, FilingTable, Reject
from tasks.filings.edgar.acquire import acquire
from tasks.filings.edgar.manifest import LEFT_OUT, raw
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.files import ingest_reject
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import (
    FilingSource,
    lost_filing,
    read_bounded,
    read_filing,
    unpacked_size,
)
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.lake.lake import Commit, Identity, LakeError, Part
from tasks.lake.lease import lease_on
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.sources import (
    earlier_filings,
    edgar_access,
    edgar_query,
    found_files,
    named_files,
    skipped,
    stated_of,
)
from tasks.pipeline.steps import PlannedStep
from tasks.suites.shared.published import INGESTED

# Filings per part, which steps read at once: 64 documents with their tables take 200 MB.
_SHARD = 64

_FACTS = ("cik", "company", "sic", "period_end", "filed_date")  # that a filing may not state

# Unpacked bytes. With fewer, starting processes costs more time than it saves.
_WORTH_PROCESSES = 4_000_000


class NothingUsable(LakeError):
    """A source without one usable row."""


class NothingNew(NothingUsable):
    """A source whose filings are all in earlier releases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Filings to read, and those rejected already.

    Attributes:
        n: filings to read.
        n_asked: `n`, and filings that are missing or in an earlier release.
        identity: the downloaded filings, for the step's identity.
    """

    n: int
    n_asked: int
    sources: Iterator[FilingSource]
    rejects: Sequence[Reject] = ()
    identity: Identity = field(default_factory=dict)


@task(name="ingest filings")
def ingest_filings(run: ResolvedRun, planned: PlannedStep) -> Commit:
    """Read every file, spread over cores or Ray; an unreadable file becomes a reject.

    Downloads EDGAR's filings first if the lake lacks them.

    Raises:
        NothingUsable: all files were rejected; the message gives the reasons.
        NothingNew: the run takes only new filings, but earlier releases have all of them.
        EdgarFailed, WrongSettings: see `acquire`.
    """
    if commit := planned.finished():
        return commit
    settings = run.settings
    if settings.dataset is not None:
        return _ingest_dataset(run, planned)
    earlier = earlier_filings(run.lake, planned.identity)
    is_at_edgar = is_edgar(settings.filings)
    source = _edgar_filings(run, planned, earlier) if is_at_edgar else _files(run)
    # not planned again: a release frozen during the download must not become an earlier one
    planned = replace(planned, identity=planned.identity | source.identity)
    writing = _Writing(planned, earlier, rejects=[*source.rejects])
    for done, result in enumerate(_read(source.sources, settings.workers), start=1):
        is_open = done < source.n
        announce(Progress(what="ingest filings", done=done, total=source.n, is_open=is_open))
        writing.add(result)
    if not writing.filing_ids:
        n_left_out = sum(reject.reason == LEFT_OUT for reject in writing.rejects)
        usable = "new" if settings.new_only else "usable"
        reasons = f"no {usable} 10-K in {settings.filings}:\n{_lines(writing.rejects)}"
        raise (NothingNew if 0 < n_left_out == source.n_asked else NothingUsable)(reasons)
    rejects = writing.rejects[len(source.rejects) :]
    unread = [reject for reject in rejects if reject.reason != LEFT_OUT]
    if unread:
        tell(f"{len(unread):,} of {source.n:,} files left out:\n{_lines(unread)}")
    if writing.missing and settings.filings and not is_at_edgar:
        counted = ", ".join(f"{name} {n:,}" for name, n in writing.missing.items())
        n = len(writing.filing_ids)
        tell(f"Not found, of {n:,} filings: {counted}. filings.csv can state facts, not tables")
    return planned.commit(writing.finished())


class _Writing:
    """Writer of parsed filings, a part of each table for 64 of them."""

    def __init__(
        self, planned: PlannedStep, earlier: Mapping[str, str], rejects: list[Reject]
    ) -> None:
        self.planned, self.earlier, self.rejects = planned, earlier, rejects
        self.filing_ids: dict[str, str] = {}  # filing_id -> its file
        self.missing: Counter[str] = Counter()  # how many filings lack a fact, Items or tables
        self.waiting: list[ParsedFiling] = []
        self.parts: list[Part] = []

    def add(self, result: ParsedFiling | Reject) -> None:
        """Add a filing, or reject one that another file or an earlier release has."""
        if isinstance(result, Reject):
            self.rejects.append(result)
            return
        filing_id, uri = result.filing.filing_id, result.filing.source_uri
        if release := self.earlier.get(filing_id):
            detail = f"{filing_id} is in release {release}"
            self.rejects.append(ingest_reject(uri, LEFT_OUT, detail))
        elif first := self.filing_ids.get(filing_id):
            detail = f"{filing_id} was read from {first}"
            self.rejects.append(ingest_reject(uri, "the same filing as another file", detail))
        else:
            self.filing_ids[filing_id] = uri
            facts = {name: getattr(result.filing, name) for name in _FACTS}
            facts |= {"Items": result.document.items, "tables": result.tables}
            self.missing.update(name for name, value in facts.items() if not value)
            self.waiting.append(result)
            if len(self.waiting) == _SHARD:
                self._write()

    def _write(self) -> None:
        shard, read = len(self.parts) // 3, self.waiting
        tables = [table for filing in read for table in filing.tables]
        self.parts += [
            self.planned.write(Filing, [filing.filing for filing in read], shard),
            self.planned.write(Document, [filing.document for filing in read], shard),
            self.planned.write(FilingTable, tables, shard),
        ]
        self.waiting = []

    def finished(self) -> list[Part]:
        """Write the rest; return all parts."""
        if self.waiting:
            self._write()
        return [*self.parts, self.planned.write(Reject, self.rejects, suite="all", stage="ingest")]


@task(name="ingest source", task_run_name="ingest {name}")
def ingest_source(run: ResolvedRun, planned: PlannedStep, name: str) -> Commit:
    """Read one of the suite's own sources; an unusable entry becomes a reject.

    Raises:
        NothingUsable: the file gives no row; the message lists the reasons.
    """
    if commit := planned.finished():
        return commit
    source = run.suite.sources[name]
    rows: dict[type, list[Any]] = {source.rows: [], Reject: []}
    for row in source.read(run.sources[name]):
        rows[type(row)].append(row)
    if not rows[source.rows]:
        raise NothingUsable(f"{run.sources[name]} has no usable row:\n{_lines(rows[Reject])}")
    suite = run.suite.name
    parts = [planned.write(source.rows, rows[source.rows], suite=suite)]
    if rows[Reject]:
        parts.append(planned.write(Reject, rows[Reject], suite=suite, stage="ingest"))
    return planned.commit(parts)


def _ingest_dataset(run: ResolvedRun, planned: PlannedStep) -> Commit:
    settings, published = run.settings, run.suite.published
    assert published is not None  # else the run was refused
    dataset = Path(str(settings.dataset))
    rows = published.load(dataset, run.options, settings.limit, settings.encoding)
    return planned.commit(
        [
            *(planned.write(row_type, rows[row_type]) for row_type in INGESTED),
            planned.write(Reject, [], suite="all", stage="ingest"),
        ]
    )


def _read(sources: Iterator[FilingSource], workers: int | None) -> Iterator[ParsedFiling | Reject]:
    """Read sources in other processes, or here if they are few and small."""
    first: list[FilingSource] = []
    n_bytes = 0
    for source in sources:
        first.append(source)
        n_bytes += unpacked_size(source, _WORTH_PROCESSES)
        if n_bytes >= _WORTH_PROCESSES:
            break
    if n_bytes < _WORTH_PROCESSES and ray_address() is None:
        return map(read_filing, first)
    return spread(read_bounded, chain(first, sources), workers, lost=lost_filing)


def _files(run: ResolvedRun) -> _Found:
    settings = run.settings
    files, stated = found_files(settings), stated_of(settings)
    if left_out := skipped(settings):
        names = named_files(left_out)
        tell(f"{len(left_out):,} skipped (not .htm, .html, .txt or .json): {names}")
    sources = (
        _source(uri, path, settings.encoding, stated.get(uri, NOTHING_STATED))
        for uri, path in files
    )
    return _Found(n=len(files), n_asked=len(files), sources=sources)


def _edgar_filings(run: ResolvedRun, planned: PlannedStep, earlier: Mapping[str, str]) -> _Found:
    settings, objects = run.settings, run.lake.objects
    choice = acquire(
        run.lake,
        settings.release,
        edgar_query(settings),
        edgar_access(settings),
        lease_on(objects, "EDGAR", "edgar"),
        earlier={key: value for key, value in planned.identity.items() if key == "new_only"},
        left_out=earlier,
        choose_anew=settings.force,
    )
    return _Found(
        n=len(choice.downloaded),
        n_asked=len(choice.filings) + len(choice.left_out),
        sources=(
            FilingSource(uri=url, data=raw(objects, sha256), encoding=settings.encoding)
            for url, sha256 in choice.downloaded
        ),
        rejects=choice.rejects(),
        identity={"filings": choice.identity},
    )


def _source(uri: str, path: Path, encoding: str, stated: StatedFacts) -> FilingSource:
    try:
        return FilingSource(uri=uri, data=path.read_bytes(), encoding=encoding, stated=stated)
    except OSError as error:
        fault = error.strerror or str(error)
        return FilingSource(uri=uri, data=b"", encoding=encoding, fault=fault)


def _lines(rejects: Sequence[Reject]) -> str:
    """List the first rejects with their reasons."""
    lines = [
        f"  {reject.parent_id}: {reject.reason}{f' ({reject.detail})' if reject.detail else ''}"
        for reject in rejects[:10]
    ]
    more = [f"  and {len(rejects) - 10} more"] if len(rejects) > 10 else []
    return "\n".join((*lines, *more))
