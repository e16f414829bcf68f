"""Check whether a release is built.

A release is not built if a step behind its cases is missing or out of date.
"""

from __future__ import annotations

from tasks.lake.lake import Lake, LakeError, Step
from tasks.pipeline.plan import built_steps, stale_commits
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, place_options


def unbuilt_steps(lake: Lake, release: str, suite: str) -> list[str]:
    """List the missing or outdated steps behind a suite's cases, in order.

    A step is outdated if its inputs have been replaced since. The list is empty if the release is
    built.

    Raises:
        UnknownSuite: no suite has this name.
    """
    if lake.commit_of(Step(release, "ingest")) is None:
        return ["ingest"]
    run = RunSettings(lake=lake.url, release=release, suite=suite)
    there = {commit.step.name for commit in lake.commits(release)}
    there -= {commit.step.name for commit in stale_commits(lake, release)}
    return [name for name in built_steps(resolve(run)) if name not in there]


def check_current(lake: Lake, release: str, suite: str) -> None:
    """Raise if inputs of a suite's steps have been made again since.

    Raises:
        LakeError: the message names the steps.
    """
    names = [commit.step.name for commit in stale_commits(lake, release)]
    if outdated := [name for name in names if name.startswith((f"{suite}.", "ingest"))]:
        raise LakeError(
            f"Inputs of {', '.join(outdated)} of release '{release}' have been made again since. "
            "Run the command that made the release again."
        )


def check_built(lake: Lake, release: str, suite: str) -> None:
    """Raise if the release holds only part of its cases.

    Raises:
        LakeError: the release is not built. The message names the steps.
        UnknownSuite: no suite has this name.
    """
    if unbuilt := unbuilt_steps(lake, release, suite):
        place = place_options(lake=lake.url, release=release, suite=suite)
        raise LakeError(
            f"release {release} in {lake.url} is not wholly built: {', '.join(unbuilt)} "
            f"never finished, or their inputs were replaced since. Run `tenkbench "
            f"build{place}` with the original options, or name another release "
            "with --release."
        )
