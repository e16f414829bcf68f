"""Sheets that people fill in: the CSV, and what was drawn and written, in the lake.

A draw is a commit, and so is what an auditor wrote; no run removes them. Cells that a spreadsheet
would run as a formula are escaped (`tasks.text.visible`) and restored on reading. Control
characters, which a terminal would obey, are spelled out.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.lake.lake import Commit, Identity, Lake, LakeStep
from tasks.results.opened import rows_of
from tasks.text.visible import defused, restored, visible

if TYPE_CHECKING:
    import duckdb

Place = tuple[str, str]  # release and suite
Cells = dict[str, str]  # of a row, by column

# What a drawn row says of its stratum.
SIZES = ("stratum", "n_stratum", "n_drawn")

# Reports use this name for all auditors. Names become file names, so their length is limited.
_ALL_AUDITORS = "all auditors"
_LONGEST_NAME = 60

# Rows of each kind, or all if there are fewer: as many of each stratum if it has them, and spare
# ones last. The order shows neither.
_DRAW = """
with frame as ({frame}),
turns as (
    select
        *,
        count(*) over (partition by stratum) as n_stratum,
        row_number() over (partition by stratum order by sha256({seed} || ':' || id)) as turn
    from frame
),
taken as (
    select * from turns
    qualify row_number() over (partition by kind order by is_spare, turn, stratum) <= {n}
)
select * exclude (turn), count(*) over (partition by stratum) as n_drawn
from taken
order by sha256({seed} || id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSheet:
    """A kind of sheet.

    `row_of` takes cells, the drawn item and what people wrote before by id, and gives the row to
    store, or says why the cells cannot be used.
    """

    drawn: tuple[str, type]  # the steps that hold what was drawn, and its row type
    stored: tuple[str, type]  # the same of what people wrote
    columns: tuple[str, ...]  # of the file
    filled: tuple[str, ...]  # those of which a person fills in at least one
    row_of: Callable[[Cells, Any, Mapping[str, Any]], Any]


# --- draw ----------------------------------------------------------------------------------


def draw(
    warehouse: duckdb.DuckDBPyConnection, frame: str, suite: str, n: int, seed: int
) -> list[dict[str, Any]]:
    """Draw n rows of each kind by strata that take turns, each with the `SIZES` of its stratum.

    Args:
        frame: SQL of rows with `id`, `kind`, `stratum` and `is_spare`; it reads `$suite`.

    Raises:
        WrongUsage: n is smaller than the number of strata of a kind.
        RunFailed: the frame is empty.
    """
    strata = f"select count(distinct stratum) from ({frame}) where not is_spare group by kind"
    counts = warehouse.execute(strata, {"suite": suite}).fetchall()
    if not counts:
        raise RunFailed(
            f"There is nothing of {suite} to draw in this release; `tenkbench run` makes it"
        )
    if n < (fewest := max(counts)[0]):
        raise WrongUsage(f"--n {n} is too small: draw at least one of each of {fewest} strata")
    query = _DRAW.format(frame=frame, seed=f"'{seed:d}'", n=int(n))
    return rows_of(warehouse, query, {"suite": suite})


def hand_out(
    lake: Lake, file: Path, sheet: AuditSheet, place: Place, rows: Mapping[Any, Sequence[str]]
) -> None:
    """Store drawn items in the lake, so that people's copies come back; write their cells.

    Raises:
        RunFailed: the file exists, or cannot be written.
    """
    check_new(file)
    items, (release, suite) = [*rows], place
    _commit(lake, LakeStep(release, f"{suite}.audit.{sheet.drawn[0]}.{items[0].draw_id}"), items)
    write_rows(file, sheet.columns, rows.values())


def check_new(file: Path) -> None:
    """Refuse a file that exists.

    Raises:
        RunFailed: it may hold ratings.
    """
    if file.exists():
        raise RunFailed(f"'{file}' exists and may hold ratings. Name another file.")


def write_rows(file: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a sheet for people.

    Raises:
        RunFailed: the file exists, or cannot be written.
    """
    check_new(file)
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:  # BOM for Excel
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows([defused(visible(text).strip()) for text in row] for row in rows)
    except OSError as error:
        raise RunFailed(f"cannot write {file}: {error.strerror}") from error


# --- read ----------------------------------------------------------------------------------


def read_rows(file: Path) -> list[Cells]:
    """Read a sheet as spreadsheets save it: comma, semicolon or tab, columns in any order.

    Raises:
        RunFailed: the file is missing, or is not a CSV in UTF-8.
    """
    csv.field_size_limit(sys.maxsize)
    try:
        text = file.read_bytes().decode("utf-8-sig")
        head = text.partition("\n")[0]
        lines = csv.reader(StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
        names, *records = [[cell.strip() for cell in line] for line in lines] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RunFailed(
            f"Cannot read '{file}': {error}. Name a sheet that `tenkbench audit` wrote and people "
            "have filled in, saved as `CSV UTF-8`."
        ) from error
    for number, record in enumerate(records, start=2):
        if any(record[len(names) :]):
            raise RunFailed(
                f"{file}, row {number}: {len(record)} cells under {len(names)} columns; is a "
                "quotation mark missing?"
            )
    columns = [name.lower() for name in names]
    empty = dict.fromkeys(columns, "")
    return [
        empty | dict(zip(columns, map(restored, record), strict=False)) for record in records
    ] or [empty]


def read_sheet(lake: Lake, file: Path, sheet: AuditSheet) -> tuple[dict[Any, Place], int]:
    """Read a filled sheet; nothing is stored yet.

    Returns:
        The rows with their releases and suites, and how many rows nobody has filled in yet.

    Raises:
        RunFailed: a row cannot be used (all of them are named), nothing was ever drawn from this
            lake, or the file is no such sheet.
    """
    items = rows_in(lake, *sheet.drawn)
    if not items:
        raise RunFailed(
            f"Nothing was drawn from the lake {lake.url}. Draw with `tenkbench audit export` or "
            "`tenkbench audit questions`, or name another lake with --lake."
        )
    known = {id_: row for id_, (row, _) in rows_in(lake, *sheet.stored).items()}
    rows: dict[str, tuple[Any, Place]] = {}
    problems: list[str] = []
    n_empty = 0
    needed = {"id", "auditor", *sheet.filled}
    for number, cells in enumerate(read_rows(file), start=2):
        if not needed <= cells.keys():
            raise RunFailed(f"{file} lacks a column: its first row must name {sorted(needed)}")
        if not any(cells[name] for name in sheet.filled):
            n_empty += bool(cells["id"])
            continue
        item, place = items.get(cells["id"], (None, ("", "")))
        row = _problem_of(cells, item) or sheet.row_of(cells, item, known)
        if not isinstance(row, str) and rows.setdefault(_id_of(row), (row, place))[0] != row:
            row = f"{row.auditor} filled it in differently in a row above"
        if isinstance(row, str):
            problems.append(f"{file}, row {number}: {row}")
    if problems:
        listed = "\n".join(problems)
        raise RunFailed(f"Correct these rows; nothing of the file was stored:\n{listed}")
    return dict(rows.values()), n_empty


def _problem_of(cells: Cells, item: Any) -> str | None:
    """Say why a row's id or auditor cannot be used; None if they can."""
    auditor = cells["auditor"]
    if item is None:
        return (
            f"nothing with the id {cells['id']!r} was drawn from this lake; leave the column "
            "id as it is, or name the lake with --lake"
        )
    if not auditor:
        return "no auditor is named; write who filled in the row into the column auditor"
    if auditor == _ALL_AUDITORS or len(auditor) > _LONGEST_NAME or not auditor.isprintable():
        return f"{auditor[:_LONGEST_NAME]!r} cannot name an auditor; give another, shorter name"
    return None


# --- store ---------------------------------------------------------------------------------


def import_sheet(lake: Lake, file: Path, sheet: AuditSheet) -> tuple[dict[Any, Place], int]:
    """Read a sheet and store what people wrote: `read_sheet`, then `store`."""
    rows, n_empty = read_sheet(lake, file, sheet)
    store(lake, sheet, rows)
    return rows, n_empty


def store(lake: Lake, sheet: AuditSheet, rows: Mapping[Any, Place]) -> None:
    """Store what people wrote; a row replaces only the same auditor's earlier one.

    Raises:
        ConcurrentChange: another import of the same auditor's rows interfered. Import again.
    """
    kind, row_type = sheet.stored
    by_step: dict[LakeStep, list[Any]] = {}
    for row, (release, suite) in rows.items():
        by_step.setdefault(LakeStep(release, f"{suite}.audit.{kind}.{row.auditor}"), []).append(row)
    for step, of_step in by_step.items():
        before = lake.commit_of(step)
        known = {} if before is None else _by_id(lake.read(before, row_type))
        merged = known | _by_id(of_step)
        if merged != known:
            in_order = [row for _, row in sorted(merged.items())]
            _commit(lake, step, in_order, before, auditor=of_step[0].auditor)


def _commit(
    lake: Lake, step: LakeStep, rows: Sequence[Any], before: Commit | None = None, **parameters: str
) -> None:
    identity: Identity = {"parameters": parameters, "inputs": {}}
    part = lake.write(step, identity, type(rows[0]), rows, suite=step.name.partition(".")[0])
    lake.commit(step, identity, [part], inputs=[] if before is None else [before])


def rows_in(lake: Lake, kind: str, row_type: type) -> dict[str, tuple[Any, Place]]:
    """Map the ids of all rows of draws or auditors of a lake to the rows and their places."""
    rows: dict[str, tuple[Any, Place]] = {}
    for commit in lake.commits():
        suite, _, name = commit.step.name.partition(".")
        if name.startswith(f"audit.{kind}."):
            place = (commit.step.release, suite)
            rows |= {id_: (row, place) for id_, row in _by_id(lake.each(commit, row_type)).items()}
    return rows


def _by_id(rows: Iterable[Any]) -> dict[str, Any]:
    return {_id_of(row): row for row in rows}


def _id_of(row: Any) -> str:
    """Return a row's own id, which is its first column."""
    own: str = getattr(row, fields(row)[0].name)
    return own
