"""What `tenkbench audit` does: answers drawn into a sheet, and filled-in sheets taken in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.lake.lake import Lake
from tasks.results.audit.drawing import draw, keep
from tasks.results.audit.ratings import Imported, import_sheet
from tasks.results.audit.sheet import SheetError, write_sheet

# More problems than this are counted, not listed.
_LISTED = 20


def export_audit(
    lake: str, release: str, suite: str, judge: str | None, n: int, seed: int, file: Path
) -> list[str]:
    """Draw answers and write the sheet; returns what to tell.

    Raises:
        SheetError, CannotDraw, WrongUsage: see `write_sheet` and `draw`; nothing is drawn then.
    """
    if file.exists():
        raise SheetError(f"{file} exists and may hold ratings; give another name")
    drawn = draw(Lake(lake).as_of_now(), release, suite, judge, n, seed)
    write_sheet(file, drawn.shown)  # first: a draw that nobody can rate is none
    try:
        keep(Lake(lake), drawn)
    except BaseException:
        file.unlink()  # its answers could not be taken in
        raise
    n_strata = len({each.item.stratum for each in drawn.shown})
    return [
        f"{len(drawn.shown)} answers from {n_strata} strata in {file}: rate each by its rubric, 1 to 6, and name yourself in the "
        "column auditor",
        f"then: tenkbench audit import {file} --lake {lake}",
    ]


def import_audits(lake: str, files: Sequence[Path]) -> list[str]:
    """Take filled-in sheets in; returns what to tell.

    Raises:
        SheetError: a file cannot be read at all; those before it are taken.
        RunFailed: rows could not be taken; all others were.
    """
    lines: list[str] = []
    problems: list[str] = []
    for file in files:
        done = import_sheet(Lake(lake), file)
        lines.append(f"{file}: {_counted(done)}")
        problems += done.problems
    if problems:
        listed = "\n".join(problems[:_LISTED])
        more = f"\nand {len(problems) - _LISTED:,} more" if len(problems) > _LISTED else ""
        raise RunFailed(
            "\n".join(
                [*lines, f"rows that were not taken; mend them and import again:\n{listed}{more}"]
            )
        )
    lines.append(f'then: tenkbench sql "from reports.audit_agreement" --lake {lake}')
    written = Lake(lake).warehouse
    if written is not None and written.exists():
        lines.append(f"{written} shows them after the next `tenkbench score`")
    return lines


def _counted(done: Imported) -> str:
    said = f"{done.n_new:,} ratings new, {done.n_changed:,} changed, {done.n_same:,} as before"
    if done.n_unrated:
        said += f"; {done.n_unrated:,} rows are not rated yet"
    return f"{said}; {len(done.problems):,} rows not taken" if done.problems else said
