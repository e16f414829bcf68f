"""Ingest: files or EDGAR's filings to filings, documents, filing_tables and rejects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from tasks.compute.ray_cluster import address as ray_address
from tasks.compute.workers import spread
from tasks.core.ids import stable_id
from tasks.core.prefect_engine import task
from tasks.core.progress import Progress, announce, tell
from tasks.core.rows import Document, Filing, FilingTable, Reject
from tasks.filings.edgar.acquire import acquire
from tasks.filings.edgar.manifest import LEFT_OUT, raw
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import (
    FilingSource,
    lost_filing,
    read_bounded,
    read_filing,
    unpacked_size,
)
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts
from tasks.lake.lake import Commit, Identity, Lake, LakeError, Part
from tasks.lake.lease import lease_on
from tasks.pipeline.edgar import edgar_access, edgar_query
from tasks.pipeline.incremental import earlier_filings
from tasks.pipeline.plan import plan_source
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import found_files, named_files, plan_ingest, skipped, stated_of
from tasks.pipeline.steps import Planned, is_finished

# Filings per part, which steps read at once: 64 documents with their tables take 200 MB.
_SHARD = 64

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
    rejects: list[Reject] = field(default_factory=list)
    identity: Identity = field(default_factory=dict)


@task(name="ingest filings")
def ingest_filings(run: ResolvedRun) -> Commit:
    """Read every file, spread over cores or Ray; an unreadable file becomes a reject.

    Downloads EDGAR's filings first if the lake lacks them.

    Raises:
        NothingUsable: all files were rejected; the message gives the reasons.
        NothingNew: the run takes only new filings, but earlier releases have all of them.
        EdgarFailed, WrongSettings: see `acquire`.
    """
    settings, lake = run.settings, run.lake
    planned = plan_ingest(run)
    if is_finished(planned, settings):
        return planned.finished()
    if settings.dataset is not None:
        return _ingest_dataset(lake, run, planned)
    earlier = earlier_filings(lake, planned.identity)
    found = (
        _edgar_filings(lake, settings, planned, earlier)
        if is_edgar(settings.filings)
        else _files(settings)
    )
    # not planned again: a release frozen during the download must not become an earlier one
    planned = replace(planned, identity=planned.identity | found.identity)
    parts: list[Part] = []
    rejects, unread = found.rejects, list[Reject]()
    filing_ids: dict[str, str] = {}
    filings: list[Filing] = []
    documents: list[Document] = []
    tables: list[FilingTable] = []

    def write_shard() -> None:
        shard = len(parts) // 3
        for row_type, rows in ((Filing, filings), (Document, documents), (FilingTable, tables)):
            parts.append(planned.write(row_type, rows, shard))
            rows.clear()

    for done, result in enumerate(_read(found.sources, settings.workers), start=1):
        announce(Progress(what="ingest filings", done=done, total=found.n, is_open=done < found.n))
        if isinstance(result, Reject):
            rejects.append(result)
            unread.append(result)
        elif result.filing.filing_id in earlier:
            rejects.append(_left_out(result.filing, earlier[result.filing.filing_id]))
        elif result.filing.filing_id in filing_ids:
            unread.append(_duplicate(result.filing, filing_ids[result.filing.filing_id]))
            rejects.append(unread[-1])
        else:
            filing_ids[result.filing.filing_id] = result.filing.source_uri
            filings.append(result.filing)
            documents.append(result.document)
            tables += result.tables
            if len(filings) == _SHARD:
                write_shard()
    if not filing_ids:
        n_left_out = sum(reject.reason == LEFT_OUT for reject in rejects)
        raise (NothingNew if 0 < n_left_out == found.n_asked else NothingUsable)(
            _reasons(settings, rejects)
        )
    if filings:
        write_shard()
    parts.append(planned.write(Reject, rejects, suite="all", stage="ingest"))
    if unread:
        tell(f"{len(unread):,} of {found.n:,} files left out:\n" + "\n".join(_lines(unread)))
    return planned.commit(parts)


@task(name="ingest source", task_run_name="ingest {name}")
def ingest_source(run: ResolvedRun, name: str) -> Commit:
    """Read one of the suite's own sources; an unusable entry becomes a reject.

    Raises:
        NothingUsable: the file gives no row; the message lists the reasons.
    """
    source = run.suite.sources[name]
    planned = plan_source(run, name)
    if is_finished(planned, run.settings):
        return planned.finished()
    rows: dict[type, list[Any]] = {source.rows: [], Reject: []}
    for row in source.read(run.sources[name]):
        rows[type(row)].append(row)
    if not rows[source.rows]:
        raise NothingUsable(
            f"{run.sources[name]} has no usable row:\n" + "\n".join(_lines(rows[Reject]))
        )
    suite = run.suite.name
    parts = [planned.write(source.rows, rows[source.rows], suite=suite)]
    if rows[Reject]:
        parts.append(planned.write(Reject, rows[Reject], suite=suite, stage="ingest"))
    return planned.commit(parts)


def _ingest_dataset(lake: Lake, run: ResolvedRun, planned: Planned) -> Commit:
    settings, published = run.settings, run.suite.published
    assert settings.dataset is not None
    assert published is not None  # check_settings refuses this
    dataset = Path(settings.dataset)
    rows = published.load(dataset, run.options, settings.limit, settings.encoding)
    parts = [
        planned.write(Filing, rows.filings),
        planned.write(Document, rows.documents),
        planned.write(FilingTable, rows.filing_tables),
        planned.write(Reject, [], suite="all", stage="ingest"),
    ]
    return planned.commit(parts)


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


def _files(run: RunSettings) -> _Found:
    found, stated = found_files(run), stated_of(run)
    if left_out := skipped(run):
        names = named_files(left_out)
        tell(f"{len(left_out):,} skipped (not .htm, .html or .txt): {names}")
    return _Found(
        n=len(found),
        n_asked=len(found),
        sources=(
            _source(uri, path, run.encoding, stated.get(uri, NOTHING_STATED)) for uri, path in found
        ),
    )


def _edgar_filings(
    lake: Lake, run: RunSettings, planned: Planned, earlier: Mapping[str, str]
) -> _Found:
    releases = {key: value for key, value in planned.identity.items() if key == "new_only"}
    choice = acquire(
        lake,
        run.release,
        edgar_query(run),
        edgar_access(run),
        lease_on(lake.objects, "EDGAR", "edgar"),
        earlier=releases,
        left_out=earlier,
        choose_anew=run.force,
    )
    return _Found(
        n=len(choice.downloaded),
        n_asked=len(choice.filings) + len(choice.left_out),
        sources=(
            FilingSource(uri=url, data=raw(lake.objects, sha256), encoding=run.encoding)
            for url, sha256 in choice.downloaded
        ),
        rejects=choice.rejects(),
        identity={"filings": choice.identity},
    )


def _source(uri: str, path: Path, encoding: str, stated: StatedFacts) -> FilingSource:
    try:
        return FilingSource(uri=uri, data=path.read_bytes(), encoding=encoding, stated=stated)
    except OSError as error:
        return FilingSource(
            uri=uri, data=b"", encoding=encoding, fault=error.strerror or str(error)
        )


def _duplicate(filing: Filing, first: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "ingest", filing.source_uri),
        stage="ingest",
        parent_id=filing.source_uri,
        reason="the same filing as another file",
        detail=f"{filing.filing_id} was read from {first}",
    )


def _left_out(filing: Filing, release: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "ingest", filing.source_uri),
        stage="ingest",
        parent_id=filing.source_uri,
        reason=LEFT_OUT,
        detail=f"{filing.filing_id} is in release {release}",
    )


def _reasons(run: RunSettings, rejects: list[Reject]) -> str:
    lines = "\n".join(_lines(rejects))
    usable = "new" if run.new_only else "usable"
    return f"no {usable} 10-K in {run.filings}:\n{lines}"


def _lines(rejects: list[Reject]) -> Iterator[str]:
    for reject in rejects[:10]:
        yield (
            f"  {reject.parent_id}: {reject.reason} ({reject.detail})"
            if reject.detail
            else f"  {reject.parent_id}: {reject.reason}"
        )
    if len(rejects) > 10:
        yield f"  and {len(rejects) - 10} more"
