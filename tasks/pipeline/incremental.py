"""The filings of earlier releases, which a release of new filings leaves out.

Earlier releases are the frozen ones that existed at the first ingest; `dev` and `*-dev` may change
and do not count. The ingest's identity lists them, so a later release does not change this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tasks.core.rows import Reject
from tasks.lake.lake import Identity, Lake, Step, may_change
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput


def earlier_releases(lake: Lake, run: RunSettings) -> Identity:
    """Return `{"new_only": {release: its filings' content}}`, or {} if the run takes all filings.

    A run that names no files continues with the recorded releases.
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
    """Map filing_id to the earlier release that has it; empty if the ingest takes all filings.

    Raises:
        MissingInput: an earlier release is gone.
    """
    found: dict[str, str] = {}
    for release in identity.get("new_only", {}):
        commit = lake.commit_of(Step(release, "ingest"))
        if commit is None:
            raise MissingInput(
                f"release {release} is gone, so its filings cannot be left out. "
                "To take them, unless another earlier release has them, add:\n  --force"
            )
        for (filing_id,) in lake.columns(commit, "filings", "filing_id"):
            found.setdefault(filing_id, release)
    return found


def reasons_left_out(lake: Lake, release: str) -> Counter[str]:
    """Count the filings that were rejected at ingest, by reason."""
    commit = lake.commit_of(Step(release, "ingest"))
    return (
        Counter()
        if commit is None
        else Counter(reject.reason for reject in lake.each(commit, Reject))
    )
