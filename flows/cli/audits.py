"""`tenkbench audit`: write sheets of drawn answers, read filled-in sheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.lake.lake import Lake
from tasks.results.audit.drawing import draw, keep
from tasks.results.audit.ratings import Imported, import_sheet
from tasks.results.audit.sheet import SheetError, write_sheet

_LISTED = 20  # problems; more are only counted


def export_audit(
    lake: str, release: str, suite: str, judge: str | None, n: int, seed: int, file: Path
) -> list[str]:
    """Draw answers and write the sheet; return the lines to print.

    Raises:
        SheetError, CannotDraw, WrongUsage: see `write_sheet` and `draw`; the draw is not kept.
    """
    if file.exists():
        raise SheetError(f"'{file}' exists and may hold ratings. Choose another name.")
    drawn = draw(Lake(lake).as_of_now(), release, suite, judge, n, seed)
    write_sheet(file, drawn.shown)  # before `keep`: only a written sheet can be rated
    try:
        keep(Lake(lake), drawn)
    except BaseException:
        file.unlink()  # its ratings could not be imported
        raise
    n_strata = len({each.item.stratum for each in drawn.shown})
    return [
        f"{len(drawn.shown)} answers from {n_strata} strata are in {file}.",
        "Rate each from 1 to 6 by its rubric and enter your name in the column auditor. Then:",
        f"    tenkbench audit import {file} --lake {lake}",
    ]


def import_audits(lake: str, files: Sequence[Path]) -> list[str]:
    """Import filled-in sheets; return the lines to print.

    Raises:
        SheetError: a file cannot be read; the files before it are imported.
        RunFailed: some rows could not be imported; all others were.
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
            "\n".join([*lines, f"Correct these rows and import the file again:\n{listed}{more}"])
        )
    lines.append(f'Next: tenkbench sql "from reports.audit_agreement" --lake {lake}')
    written = Lake(lake).warehouse
    if written is not None and written.exists():
        lines.append(f"{written} will show them after the next `tenkbench score`.")
    return lines


def _counted(done: Imported) -> str:
    said = f"{done.n_new:,} ratings new, {done.n_changed:,} changed, {done.n_same:,} unchanged"
    if done.n_unrated:
        said += f"; {done.n_unrated:,} rows not rated yet"
    return f"{said}; {len(done.problems):,} rows not imported" if done.problems else said
