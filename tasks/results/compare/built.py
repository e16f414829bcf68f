"""Whether a release is built: which steps behind its cases are not there, or no longer fit what they were made from."""

from __future__ import annotations

from tasks.core.settings import RunSettings
from tasks.lake.lake import Lake, LakeError, Step
from tasks.pipeline.plan import built_steps, stale_commits
from tasks.pipeline.resolved import resolve


def unbuilt_steps(lake: Lake, release: str, suite: str) -> list[str]:
    """The steps behind a suite's cases that are to be made, in order; none where the release is built.

    A step that was made from what has been replaced since is to be made again.

    Raises:
        UnknownSuite: no suite has this name.
    """
    if lake.commit_of(Step(release, "ingest")) is None:
        return ["ingest"]
    run = RunSettings(lake=lake.url, release=release, suite=suite)
    there = {commit.step.name for commit in lake.commits(release)}
    there -= {commit.step.name for commit in stale_commits(lake, release)}
    return [name for name in built_steps(lake, resolve(run)) if name not in there]


def check_built(lake: Lake, release: str, suite: str) -> None:
    """Refuse to hand out a part of a release's cases as if it were all of them.

    Raises:
        LakeError: the release is not built; the message names the steps.
        UnknownSuite: no suite has this name.
    """
    if unbuilt := unbuilt_steps(lake, release, suite):
        raise LakeError(
            f"release {release} in {lake.url} is not wholly built: {', '.join(unbuilt)} never ended, or what they were "
            f"made from was made anew since; run `tenkbench build --release {release}` with the options that it was "
            "begun with, or name another release with --release"
        )
