"""Filings that earlier releases of the lake have, and that a release of new filings only leaves out.

Earlier are the frozen releases that were there when the release was first read; `dev` and names that end in -dev, which
may change, take nothing away. Which they were stands in the identity of its ingest, so that a release made later does not
change what this one is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tasks.core.rows import Reject
from tasks.lake.lake import Identity, Lake, Step, may_change
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput


def earlier_releases(lake: Lake, run: RunSettings) -> Identity:
    """`{"new_only": {release: its filings' content}}` where the run takes new filings only, else nothing.

    A run that names no files goes on as the release was read.
    """
    ingested = lake.commit_of(Step(run.release, "ingest"))
    recorded = None if ingested is None else ingested.identity.get("new_only")
    goes_on = run.filings is None and run.dataset is None and recorded is not None
    if not (run.new_only or goes_on):
        return {}
    if recorded is None:
        named: Iterable[str] = [
            name for name in lake.releases() if name != run.release and not may_change(name)
        ]
    else:
        named = recorded
    commits = {name: lake.commit_of(Step(name, "ingest")) for name in named}
    return {
        "new_only": {
            name: commit and commit.content
            for name, commit in commits.items()
            if commit is not None or not run.force
        }
    }


def earlier_filings(lake: Lake, identity: Identity) -> dict[str, str]:
    """filing_id -> the release that has it, by the identity of an ingest; none where it takes all filings.

    Raises:
        MissingInput: an earlier release is gone.
    """
    found: dict[str, str] = {}
    for release in identity.get("new_only", {}):
        commit = lake.commit_of(Step(release, "ingest"))
        if commit is None:
            raise MissingInput(
                f"release {release} is gone, whose filings were to be left out; --force takes them, if nobody else has them"
            )
        for filing_id in lake.read_pairs(commit, "filings", "filing_id", "sha256"):
            found.setdefault(filing_id, release)
    return found


def reasons_left_out(lake: Lake, release: str) -> Counter[str]:
    """Why filings that a release was to be read from are not in it, and how many."""
    commit = lake.commit_of(Step(release, "ingest"))
    return (
        Counter()
        if commit is None
        else Counter(reject.reason for reject in lake.each(commit, Reject))
    )
