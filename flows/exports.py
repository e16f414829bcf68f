"""A release's cases, written in a suite's published layout."""

from __future__ import annotations

from pathlib import Path

from tasks.datasets import failsafeqa
from tasks.releases.built import check_built
from tasks.schemas import Case, Context, QAPair
from tasks.store import Lake, LakeError


def export_failsafeqa(lake: str, release: str, target: Path) -> list[str]:
    """Write FailSafeQA's file of 12 columns; returns what to tell: rows written, pairs left out and why.

    Raises:
        LakeError: the release has no cases of the suite, or is not wholly built.
    """
    found = Lake(lake).as_of_now()
    built = [commit for commit in found.commits(release) if commit.step.name.startswith("failsafeqa.build.")]
    pairs = [pair for commit in built for pair in found.read(commit, QAPair)]
    if not pairs:
        raise LakeError(
            f"release {release} in {found.url} has no cases of failsafeqa; `tenkbench build` makes them"
        )
    check_built(found, release, "failsafeqa")
    if target.is_dir() or not target.parent.is_dir():
        raise LakeError(f"cannot write {target}: name a file in a folder that exists")
    exported = failsafeqa.export(
        target,
        contexts=[context for commit in built for context in found.read(commit, Context)],
        qa_pairs=pairs,
        cases=[case for commit in built for case in found.read(commit, Case)],
    )
    left_out = [
        f"left out {reject.parent_id}: {reject.reason} ({reject.detail})" for reject in exported.left_out
    ]
    return [f"{exported.n_rows} rows in {target}, {len(left_out)} pairs left out", *left_out]
