"""What a release is read from: its files, EDGAR's filings or a published file, and their plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tasks.core.fingerprints import digest, file_hash
from tasks.filings.edgar.manifest import kept_choice
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.files import find_files, name_of, skipped_files
from tasks.filings.reader.sidecar import SIDECAR, StatedFacts, read_sidecar
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Identity, Lake, LakeError, Step, differences
from tasks.pipeline.edgar import check_choosing, edgar_query
from tasks.pipeline.incremental import earlier_releases
from tasks.pipeline.resolved import ResolvedRun, dataset_step
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.step_identity import planned_step
from tasks.pipeline.steps import MissingInput, Planned, committed

_NAMED = 10  # skipped files that are named

# Raise it if reading filings gives other rows.
READER_VERSION = 6


def found_files(run: RunSettings) -> list[tuple[str, Path]]:
    """List (source_uri, path) of the run's filings, sorted, at most `limit`.

    Raises:
        LakeError: the file or folder is missing, or nothing in it looks like a filing.
    """
    return _all_files(run)[: run.limit]


def stated_of(run: RunSettings) -> dict[str, StatedFacts]:
    """Return what `filings.csv` says of the run's filings, by source_uri.

    It lies in the folder of the filings, or beside a single file.

    Raises:
        WrongSettings: it has other columns, or a wrong row.
    """
    folder = _folder(_root(run))
    files = {name_of(path, folder) for path in find_files(folder)}
    return read_sidecar(folder / SIDECAR, files)


def skipped(run: RunSettings) -> list[str]:
    """List the files of the user's folder that do not look like filings."""
    if run.filings is None:
        return []
    root = _root(run)
    sidecar = root / SIDECAR
    return [name_of(path, root) for path in skipped_files(root) if path != sidecar]


def named_files(names: Sequence[str]) -> str:
    """List the first files by name."""
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


def _root(run: RunSettings) -> Path:
    return sample_folder() if run.filings is None else Path(run.filings)


def _folder(root: Path) -> Path:
    return root if root.is_dir() else root.parent


def _all_files(run: RunSettings) -> list[tuple[str, Path]]:
    root = _root(run)
    if not root.exists():
        raise LakeError(
            f"no file or folder '{run.filings}': give --filings a path that exists, or leave it "
            "out for the packaged samples"
        )
    paths = find_files(root)
    if not paths:
        others = [name_of(path, root) for path in skipped_files(root)]
        found = f"It has {named_files(others)}" if others else "It is empty"
        raise LakeError(
            f"no .htm, .html or .txt file (or .gz of one) in {run.filings}. {found}. Give "
            "--filings a folder of 10-Ks"
        )
    return [(name_of(path, _folder(root)), path) for path in paths]


def plan_ingest(resolved: ResolvedRun) -> Planned:
    """Plan to read files into filings, documents and filing_tables.

    A run that names no files continues with those that the release was read from.

    Raises:
        MissingInput: the run names no files, but they would have to be read again.
        WrongSettings: a setting chooses among EDGAR's filings, but the run names none of them.
    """
    run = resolved.settings
    check_choosing(run)
    kept = _kept_source(resolved.lake, run)
    is_dataset = "dataset" in kept if kept else run.dataset is not None
    planned = planned_step(
        resolved,
        "ingest",
        version=dataset_step(resolved).version if is_dataset else READER_VERSION,
        suite=run.suite if is_dataset else None,
        parameters={"encoding": run.encoding},
        source=(kept or source_of(resolved.lake, run)) | earlier_releases(resolved.lake, run),
    )
    ingested = resolved.lake.commit_of(planned.step)
    changed = differences(ingested.identity, planned.identity) if ingested and kept else []
    if changed or (kept and (run.limit is not None or run.force)):
        why = "; ".join(changed) or "--limit or --force"
        raise MissingInput(
            f"the files of release {run.release} would have to be read again ({why}). Name them "
            f"with {'--dataset' if is_dataset else '--filings'}, or use another --release to read "
            "the packaged samples."
        )
    return planned


def _kept_source(lake: Lake, run: RunSettings) -> Identity:
    """Return what the release was read from; {} if the run names files or it read the samples."""
    ingested = lake.commit_of(Step(run.release, "ingest"))
    if (
        run.filings is not None
        or run.dataset is not None
        or ingested is None
        or is_of_samples(lake, run.release)
    ):
        return {}
    return {
        key: ingested.identity[key]
        for key in ("edgar", "filings", "dataset")
        if key in ingested.identity
    }


def source_of(lake: Lake, run: RunSettings) -> Identity:
    """Identify what is read by content, and by file names, which are in rows."""
    if run.dataset is not None:
        path = Path(run.dataset)
        if not path.is_file():
            why = " (it is a folder)" if path.is_dir() else ""
            raise LakeError(f"no dataset file {run.dataset}{why}")
        return {"dataset": {"name": path.name, "digest": file_hash(path), "limit": run.limit}}
    if is_edgar(run.filings):
        return _edgar_source(lake, run)
    found = found_files(run)
    digests = [(uri, file_hash(path)) for uri, path in found]
    if stated := stated_of(run):
        digests.append((SIDECAR, digest([(uri, stated[uri]) for uri, _ in found if uri in stated])))
    return {"filings": {"n_files": len(found), "digest": digest(digests)}}


def _edgar_source(lake: Lake, run: RunSettings) -> Identity:
    """Return the query to EDGAR and, once the lake has all of them, its filings."""
    query = edgar_query(run)
    source: Identity = {"edgar": query.identity}
    choice = kept_choice(lake.objects, run.release, query, earlier_releases(lake, run))
    if choice is not None and choice.is_complete:
        source["filings"] = choice.identity
    return source


def is_of_samples(lake: Lake, release: str) -> bool:
    """Whether a release was ingested from the packaged samples."""
    ingested = lake.commit_of(Step(release, "ingest"))
    any_of_them = RunSettings(release=release)
    n_samples = len(found_files(any_of_them))
    return ingested is not None and any(
        source_of(lake, replace(any_of_them, limit=limit)).items() <= ingested.identity.items()
        for limit in range(1, n_samples + 1)
    )


def is_of_dataset(lake: Lake, run: RunSettings) -> bool:
    """Whether the release was ingested from a published file."""
    return "dataset" in committed(lake, run.release, "ingest").identity


def check_source(lake: Lake, run: RunSettings) -> None:
    """Refuse to build if the run names other files than were ingested, or no published file.

    Raises:
        MissingInput: the release was ingested from other files.
    """
    ingested = committed(lake, run.release, "ingest").identity
    if run.dataset is None and "dataset" in ingested:
        raise MissingInput(
            f"release {run.release} was ingested from the published file "
            f"{ingested['dataset']['name']}. Name it with --dataset."
        )
    if run.filings is None and run.dataset is None:
        return
    if any(ingested.get(key) != value for key, value in source_of(lake, run).items()):
        raise MissingInput(
            f"release {run.release} was not ingested from {run.filings or run.dataset}. "
            "Leave that option out, or ingest these files first:\n  tenkbench ingest"
        )
