"""Draws and what people make of them, in the lake: a commit per draw, and one per auditor.

No run removes these commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tasks.core.errors import RunFailed
from tasks.lake.lake import Identity, Lake, Step
from tasks.results.audit.sheet import SheetError, write_rows

Thing = TypeVar("Thing")
Place = tuple[str, str]  # release and suite


class CannotDraw(RunFailed):
    """Nothing can be drawn; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One sheet: its rows as people see them and as the lake keeps them, in the same order."""

    step: Step
    identity: Identity
    columns: tuple[str, ...]
    items: tuple[Any, ...]  # `AuditItem` or `QuestionItem`
    cells: tuple[tuple[str, ...], ...]

    @property
    def suite(self) -> str:
        """The suite whose rows are drawn."""
        return self.step.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing one sheet.

    Attributes:
        n_rated: rows that are in the lake now.
        n_unrated: rows without a rating yet.
        problems: rows that were refused, each with file and row number.
        places: releases and suites that were rated, to be scored again.
    """

    n_rated: int
    n_unrated: int
    problems: tuple[str, ...]
    places: frozenset[Place]


def take_turns(strata: Mapping[str, Sequence[Thing]], n: int) -> dict[str, list[Thing]]:
    """Take n things, or all if there are fewer, and as many from each stratum if it has them."""
    sizes = dict.fromkeys(strata, 0)
    left = min(n, sum(map(len, strata.values())))
    while left:
        for name in strata:
            if left and sizes[name] < len(strata[name]):
                sizes[name] += 1
                left -= 1
    return {name: list(strata[name][:size]) for name, size in sizes.items()}


def hand_out(lake: Lake, file: Path, draw: Draw) -> None:
    """Write a draw's sheet, and store it in the lake so that the sheet can be imported.

    Raises:
        SheetError: the file exists, or cannot be written.
    """
    write_rows(file, draw.columns, draw.cells)
    try:
        row_type = type(draw.items[0])
        part = lake.write(draw.step, draw.identity, row_type, draw.items, suite=draw.suite)
        lake.commit(draw.step, draw.identity, [part])
    except BaseException:
        file.unlink()  # what people write into it could not be imported
        raise


def drawn(
    lake: Lake, kind: str, row_type: type[Thing], command: str
) -> dict[str, tuple[Thing, Place]]:
    """Map the id of everything that was drawn from a lake to its row and place.

    Raises:
        SheetError: nothing was drawn; the message has the command that draws.
    """
    rows = rows_in(lake, kind, row_type)
    if not rows:
        raise SheetError(
            f"Nothing was drawn from the lake {lake.url}. Draw some:\n"
            f"    tenkbench audit {command} sheet.csv --lake {lake.url}"
        )
    return rows


def rows_in(lake: Lake, kind: str, row_type: type[Thing]) -> dict[str, tuple[Thing, Place]]:
    """Map the ids of all rows of draws or auditors of a lake to the rows and their places."""
    rows: dict[str, tuple[Thing, Place]] = {}
    for commit in lake.commits():
        suite, _, name = commit.step.name.partition(".")
        if name.startswith(f"audit.{kind}."):
            place = (commit.step.release, suite)
            rows |= {_id_of(row): (row, place) for row in lake.each(commit, row_type)}
    return rows


def store(lake: Lake, kind: str, place_of: Mapping[Any, Place]) -> None:
    """Store the rows that auditors wrote; one replaces only the same auditor's earlier one.

    Raises:
        ConcurrentChange: another import of the same auditor's rows interfered. Import again.
    """
    by_step: dict[Step, list[Any]] = {}
    for row, (release, suite) in place_of.items():
        step = Step(release, f"{suite}.audit.{kind}.{row.auditor}")
        by_step.setdefault(step, []).append(row)
    for step, of_step in by_step.items():
        _merge(lake, step, of_step)


def _merge(lake: Lake, step: Step, rows: Sequence[Any]) -> None:
    """Commit an auditor's rows beside the earlier ones, which they replace by id."""
    row_type = type(rows[0])
    before = lake.commit_of(step)
    known = {} if before is None else {_id_of(row): row for row in lake.read(before, row_type)}
    merged = known | {_id_of(row): row for row in rows}
    if merged != known:
        suite, _, rest = step.name.partition(".")
        identity: Identity = {"parameters": {"auditor": rest.split(".", 2)[2]}, "inputs": {}}
        in_order = [row for _, row in sorted(merged.items())]
        part = lake.write(step, identity, row_type, in_order, suite=suite)
        lake.commit(step, identity, [part], inputs=[] if before is None else [before])


def _id_of(row: Any) -> str:
    """Return a row's own id, which is its first column."""
    own: str = getattr(row, type(row).__slots__[0])
    return own
