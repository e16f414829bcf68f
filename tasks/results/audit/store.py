"""Draws and what people make of them, in the lake: a commit per draw, and one per auditor.

No run removes these commits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.lake.lake import Commit, Identity, Lake, Step
from tasks.results.audit.sheet import (
    Cells,
    SheetError,
    check_new,
    read_filled,
    why_no_name,
    write_rows,
)
from tasks.results.opened import rows_of

if TYPE_CHECKING:
    import duckdb

Place = tuple[str, str]  # release and suite


class CannotSample(RunFailed):
    """Nothing can be drawn; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSheet:
    """A kind of sheet: what is drawn for it, and what a person's row becomes.

    Attributes:
        drawn: the steps that hold what was drawn, and its row type.
        stored: the steps that hold what people wrote, and its row type.
        command: of `tenkbench audit`, which draws.
        columns: that a file must have.
        filled: those of which a person fills in at least one.
    """

    drawn: tuple[str, type]
    stored: tuple[str, type]
    command: str
    columns: tuple[str, ...]
    filled: tuple[str, ...]


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


def draw(
    warehouse: duckdb.DuckDBPyConnection, frame: str, suite: str, n: int, seed: int
) -> list[dict[str, Any]]:
    """Draw n rows of each kind by strata that take turns.

    Args:
        frame: SQL of rows with `id`, `kind`, `stratum` and `is_spare`; it reads `$suite`.

    Returns:
        The drawn rows, each with the sizes of its stratum: `n_stratum` and `n_drawn`.

    Raises:
        WrongUsage: n is smaller than the number of strata of a kind.
        CannotDraw: the frame is empty.
    """
    kinds = warehouse.execute(
        f"select kind, count(distinct stratum) from ({frame}) where not is_spare group by kind",
        {"suite": suite},
    ).fetchall()
    if not kinds:
        raise CannotSample
    if n < (fewest := max(n_strata for _, n_strata in kinds)):
        raise WrongUsage(f"--n {n} is too small: draw at least one of each of {fewest} strata")
    query = _DRAW.format(frame=frame, seed=f"'{seed:d}'", n=int(n))
    return rows_of(warehouse, query, {"suite": suite})


def hand_out(
    lake: Lake,
    file: Path,
    sheet: AuditSheet,
    place: Place,
    columns: Sequence[str],
    rows: Mapping[Any, Sequence[str]],
) -> None:
    """Store in the lake what was drawn, so that people's copies come back, and write the sheet.

    Args:
        rows: drawn items with their cells.

    Raises:
        SheetError: the file exists, or cannot be written.
    """
    check_new(file)
    release, suite = place
    step = Step(release, f"{suite}.audit.{sheet.drawn[0]}.{next(iter(rows)).draw_id}")
    _commit(lake, step, rows, {})
    write_rows(file, columns, rows.values())


def drawn_items(lake: Lake, sheet: AuditSheet) -> dict[str, tuple[Any, Place]]:
    """Map the id of everything that was drawn from a lake to its row and place.

    Raises:
        SheetError: nothing was drawn; the message has the command that draws.
    """
    rows = _rows_in(lake, *sheet.drawn)
    if not rows:
        raise SheetError(
            f"Nothing was drawn from the lake {lake.url}. Draw some:\n"
            f"    tenkbench audit {sheet.command} sheet.csv --lake {lake.url}"
        )
    return rows


def read_sheet(
    lake: Lake,
    file: Path,
    sheet: AuditSheet,
    row_of: Callable[[Cells, Any, Mapping[str, Any]], Any],
) -> tuple[dict[Any, Place], int]:
    """Read a filled sheet; nothing is stored yet.

    Args:
        row_of: (cells, drawn item, what people wrote before by id) -> the row to store, or why the
            cells cannot be used.

    Returns:
        The rows with their releases and suites, and how many rows nobody has filled in yet.

    Raises:
        SheetError: a row cannot be used (all of them are named), or nothing was ever drawn from
            this lake; or see `read_filled`.
    """
    items = drawn_items(lake, sheet)
    known = {id_: row for id_, (row, _) in _rows_in(lake, *sheet.stored).items()}
    filled, n_empty = read_filled(file, sheet.columns, sheet.filled)
    rows: dict[str, tuple[Any, Place]] = {}
    problems = []
    for number, cells in filled.items():
        item, place = items.get(cells["id"], (None, ("", "")))
        row = why_no_name(cells["auditor"])
        if item is None:
            row = (
                f"nothing with the id {cells['id']!r} was drawn from this lake; leave the column "
                "id as it is, or name the lake with --lake"
            )
        row = row or row_of(cells, item, known)
        if not isinstance(row, str) and rows.setdefault(_id_of(row), (row, place))[0] != row:
            row = f"{row.auditor} filled it in differently in a row above"
        if isinstance(row, str):
            problems.append(f"{file}, row {number}: {row}")
    if problems:
        listed = "\n".join(problems)
        raise SheetError(f"Correct these rows; nothing of the file was stored:\n{listed}")
    return dict(rows.values()), n_empty


def store(lake: Lake, sheet: AuditSheet, rows: Mapping[Any, Place]) -> None:
    """Store what people wrote; a row replaces only the same auditor's earlier one.

    Raises:
        ConcurrentChange: another import of the same auditor's rows interfered. Import again.
    """
    kind, row_type = sheet.stored
    by_step: dict[Step, list[Any]] = {}
    for row, (release, suite) in rows.items():
        by_step.setdefault(Step(release, f"{suite}.audit.{kind}.{row.auditor}"), []).append(row)
    for step, of_step in by_step.items():
        before = lake.commit_of(step)
        known = {} if before is None else _by_id(lake.read(before, row_type))
        merged = known | _by_id(of_step)
        if merged != known:
            in_order = [row for _, row in sorted(merged.items())]
            inputs = [] if before is None else [before]
            _commit(lake, step, in_order, {"auditor": of_step[0].auditor}, inputs)


def _commit(
    lake: Lake,
    step: Step,
    rows: Collection[Any],
    parameters: dict[str, str],
    inputs: Sequence[Commit] = (),
) -> None:
    identity: Identity = {"parameters": parameters, "inputs": {}}
    suite = step.name.partition(".")[0]
    part = lake.write(step, identity, type(next(iter(rows))), rows, suite=suite)
    lake.commit(step, identity, [part], inputs=inputs)


def _rows_in(lake: Lake, kind: str, row_type: type) -> dict[str, tuple[Any, Place]]:
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
    own: str = getattr(row, type(row).__slots__[0])
    return own
