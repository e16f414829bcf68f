"""Export of a release's cases in a suite's published layout."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from tasks.core.errors import WrongUsage
from tasks.lake.lake import Lake, LakeError
from tasks.results.compare.built import check_built
from tasks.suites.registry import load_export

Row = TypeVar("Row")


def export_published(lake: str, release: str, suite: str, target: Path) -> list[str]:
    """Write a suite's published file; return its counts and what was left out.

    Raises:
        LakeError: the release has no cases of the suite, or is not completely built.
    """
    opened = Lake(lake).as_of_now()
    steps = ("ingest", f"{suite}.build.")
    built = [commit for commit in opened.commits(release) if commit.step.name.startswith(steps)]
    if not any(commit.n_rows("qa_pairs") for commit in built):
        raise LakeError(
            f"Release '{release}' in '{opened.url}' has no cases of '{suite}'. Make them:\n"
            f"    tenkbench build --lake {lake} --release {release} --suite {suite}"
        )
    check_built(opened, release, suite)
    if target.is_dir() or not target.parent.is_dir():
        raise LakeError(f"Cannot write '{target}'. Name a file in an existing folder.")

    def rows(row_type: type[Row], only: tuple[str, Collection[str]] | None = None, /) -> list[Row]:
        return [row for commit in built for row in opened.read(commit, row_type, only)]

    export = load_export(suite)
    if export is None:
        raise WrongUsage(
            f"No file is written in the layout of the authors of '{suite}'. "
            "Write a data set instead:\n  tenkbench export hf FOLDER"
        )
    exported = export(target, rows)
    left_out = [f"Left out {reject.parent_id}: {reject.detail}" for reject in exported.left_out]
    return [
        f"{exported.n_rows} {exported.rows_are} in {target}, {len(left_out)} pairs left out",
        *left_out,
    ]
