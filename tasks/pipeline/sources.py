"""What a release is read from: its files, EDGAR's filings or a published file, and their plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tasks.core.fingerprints import digest, file_hash
from tasks.core.rows import Reject
from tasks.filings.edgar.manifest import kept_choice
from tasks.filings.edgar.query import EdgarAccess, EdgarQuery, is_edgar, parse_query
from tasks.filings.reader.files import find_files, name_of, skipped_files
from tasks.filings.reader.sidecar import SIDECAR, StatedFacts, read_sidecar
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Identity, Lake, LakeError, LakeStep, may_change
from tasks.lake.records import differences
from tasks.pipeline.resolved import ResolvedRun, dataset_step
from tasks.pipeline.settings import RunSettings, WrongSettings, flag
from tasks.pipeline.step_identity import planned_step
from tasks.pipeline.steps import MissingInput, PlannedStep, committed

_NAMED = 10  # skipped files that are named

# Raise it if reading filings gives other rows.
READER_VERSION = 7

# --- files and EDGAR -------------------------------------------------------------------------


def found_files(run: RunSettings) -> list[tuple[str, Path]]:
    """List (source_uri, path) of the run's filings, sorted, at most `limit`.

    Raises:
        LakeError: the file or folder is missing, or nothing in it looks like a filing.
    """
    root = _root(run)
    if not root.exists():
        raise LakeError(
            f"no file or folder '{run.filings}': give --filings a path that exists, or leave it "
            "out for the packaged samples"
        )
    paths = find_files(root)
    if not paths:
        others = [name_of(path, root) for path in skipped_files(root)]
        content = f"It has {named_files(others)}" if others else "It is empty"
        raise LakeError(
            f"no .htm, .html, .txt or .json file (or .gz of one) in {run.filings}. {content}. Give "
            "--filings a folder of 10-Ks"
        )
    return [(name_of(path, _folder(root)), path) for path in paths][: run.limit]


def stated_of(run: RunSettings) -> dict[str, StatedFacts]:
    """Return what `filings.csv`, beside the run's filings, says of them, by source_uri.

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
    return [name_of(path, root) for path in skipped_files(root) if path != root / SIDECAR]


def named_files(names: Sequence[str]) -> str:
    """List the first files by name."""
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


def _root(run: RunSettings) -> Path:
    return sample_folder() if run.filings is None else Path(run.filings)


def _folder(root: Path) -> Path:
    return root if root.is_dir() else root.parent


def edgar_query(run: RunSettings) -> EdgarQuery:
    """Return the query of a run with `--filings edgar:...`; raises as `parse_query`."""
    assert run.filings is not None
    return parse_query(
        run.filings,
        forms=run.forms,
        companies=run.companies,
        sample=run.sample,
        seed=run.seed,
        limit=run.limit,
    )


def edgar_access(run: RunSettings) -> EdgarAccess:
    """Return how a run reaches EDGAR; checked only before a download."""
    return EdgarAccess(contact=run.contact, url=run.edgar_url)


def check_choosing(run: RunSettings) -> None:
    """Refuse options that choose among EDGAR's filings if the run names none of them.

    Checked during planning: only then does a refresh name the filings of its quarter.
    """
    for name in () if is_edgar(run.filings) else ("companies", "sample"):
        if getattr(run, name) is not None:
            raise WrongSettings(
                f"{flag(name)} chooses among EDGAR's filings: it needs "
                "--filings such as edgar:2018Q1"
            )


# --- filings of earlier releases -------------------------------------------------------------
# The frozen ones at the first ingest count, whose identity lists them: a later one changes nothing.


def earlier_releases(lake: Lake, run: RunSettings) -> Identity:
    """Return `{"new_only": {release: its filings' content}}`, or {} if the run takes all filings.

    A run that names no files continues with the recorded releases.
    """
    ingested = lake.commit_of(LakeStep(run.release, "ingest"))
    recorded = None if ingested is None else ingested.identity.get("new_only")
    goes_on = run.filings is None and run.dataset is None and recorded is not None
    if not (run.new_only or goes_on):
        return {}
    others = [name for name in lake.releases() if name != run.release and not may_change(name)]
    named = others if recorded is None else recorded
    commits = {name: lake.commit_of(LakeStep(name, "ingest")) for name in named}
    contents = {name: commit and commit.content for name, commit in commits.items()}
    known = {name: content for name, content in contents.items() if content or not run.force}
    return {"new_only": known}


def earlier_filings(lake: Lake, identity: Identity) -> dict[str, str]:
    """Map filing_id to the earlier release that has it; empty if the ingest takes all filings.

    Raises:
        MissingInput: an earlier release is gone.
    """
    release_of: dict[str, str] = {}
    for release in identity.get("new_only", {}):
        commit = lake.commit_of(LakeStep(release, "ingest"))
        if commit is None:
            raise MissingInput(
                f"release {release} is gone, so its filings cannot be left out. "
                "To take them, unless another earlier release has them, add:\n  --force"
            )
        for (filing_id,) in lake.columns(commit, "filings", "filing_id"):
            release_of.setdefault(filing_id, release)
    return release_of


def reasons_left_out(lake: Lake, release: str) -> Counter[str]:
    """Count the filings that were rejected at ingest, by reason."""
    commit = lake.commit_of(LakeStep(release, "ingest"))
    rejects = [] if commit is None else lake.read(commit, Reject)
    return Counter(reject.reason for reject in rejects)


# --- identity and plan -----------------------------------------------------------------------


def source_of(run: ResolvedRun) -> Identity:
    """Identify what is read by content, and by file names, which are in rows.

    EDGAR's filings are in it once the lake has all of them; its query always is.
    """
    settings, lake = run.settings, run.lake
    if settings.dataset is not None:
        path = Path(settings.dataset)
        if not path.is_file():
            raise LakeError(f"no dataset file {settings.dataset}. Give --dataset a file.")
        return {"dataset": {"name": path.name, "digest": file_hash(path), "limit": settings.limit}}
    if not is_edgar(settings.filings):
        return _source_of_files(settings)
    query = edgar_query(settings)
    earlier = earlier_releases(lake, settings)
    choice = kept_choice(lake.objects, settings.release, query, earlier)
    filings = {"filings": choice.identity} if choice and choice.is_complete else {}
    return {"edgar": query.identity} | filings


def _source_of_files(run: RunSettings) -> Identity:
    files, stated = found_files(run), stated_of(run)
    digests = [(uri, file_hash(path)) for uri, path in files]
    if stated:
        facts = [(uri, stated[uri]) for uri, _ in files if uri in stated]
        digests.append((SIDECAR, digest(facts)))
    return {"filings": {"n_files": len(files), "digest": digest(digests)}}


def plan_ingest(run: ResolvedRun) -> PlannedStep:
    """Plan to read files into filings, documents and filing_tables.

    A run that names no files continues with those that the release was read from.

    Raises:
        MissingInput: the run names no files, but they would have to be read again.
        WrongSettings: a setting chooses among EDGAR's filings, but the run names none of them.
    """
    settings = run.settings
    check_choosing(settings)
    kept_source = _kept_source(run)
    is_dataset = "dataset" in kept_source if kept_source else settings.dataset is not None
    planned = planned_step(
        run,
        "ingest",
        version=dataset_step(run).version if is_dataset else READER_VERSION,
        is_shared=not is_dataset,
        parameters={"encoding": settings.encoding},
        source=(kept_source or source_of(run)) | earlier_releases(run.lake, settings),
    )
    ingested = run.lake.commit_of(planned.step)
    changed = differences(ingested.identity, planned.identity) if ingested and kept_source else []
    if changed or (kept_source and (settings.limit is not None or settings.force)):
        why = "; ".join(changed) or "--limit or --force"
        raise MissingInput(
            f"the files of release {settings.release} would have to be read again ({why}). Name "
            f"them with {'--dataset' if is_dataset else '--filings'}, or use another --release to "
            "read the packaged samples."
        )
    return planned


def _kept_source(run: ResolvedRun) -> Identity:
    """Return what the release was read from; {} if the run names files or it read the samples."""
    release = run.settings.release
    ingested = run.lake.commit_of(LakeStep(release, "ingest"))
    names_files = run.settings.filings is not None or run.settings.dataset is not None
    if names_files or ingested is None or is_of_samples(run.lake, release):
        return {}
    keys = ("edgar", "filings", "dataset")
    return {key: ingested.identity[key] for key in keys if key in ingested.identity}


def is_of_samples(lake: Lake, release: str) -> bool:
    """Whether a release was ingested from the packaged samples."""
    ingested = lake.commit_of(LakeStep(release, "ingest"))
    limits = range(1, len(found_files(RunSettings())) + 1)
    return ingested is not None and any(
        _source_of_files(RunSettings(limit=limit)).items() <= ingested.identity.items()
        for limit in limits
    )


def is_of_dataset(run: ResolvedRun) -> bool:
    """Whether the release was ingested from a published file."""
    return "dataset" in committed(run.lake, run.settings, "ingest").identity


def check_source(run: ResolvedRun) -> None:
    """Refuse to build if the run names other files than were ingested, or no published file.

    Raises:
        MissingInput: the release was ingested from other files.
    """
    settings = run.settings
    ingested = committed(run.lake, settings, "ingest").identity
    if settings.dataset is None and "dataset" in ingested:
        raise MissingInput(
            f"release {settings.release} was ingested from the published file "
            f"{ingested['dataset']['name']}. Name it with --dataset."
        )
    if settings.filings is None and settings.dataset is None:
        return
    if any(ingested.get(key) != value for key, value in source_of(run).items()):
        raise MissingInput(
            f"release {settings.release} was not ingested from "
            f"{settings.filings or settings.dataset}. Leave that option out, or ingest these files "
            "first:\n  tenkbench ingest"
        )
