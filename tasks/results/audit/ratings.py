"""Import filled-in sheets of answers into `audits`, one commit per auditor.

No run removes these commits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from tasks.core.ids import stable_id
from tasks.core.rows import Audit, AuditItem
from tasks.lake.lake import Lake, Step
from tasks.results.audit.sheet import Row, Sheet, SheetError, read_sheet

# `reports.audit_agreement` uses this name for all auditors. Names are limited in length, since
# they become file names.
_TAKEN = "all auditors"
_LONGEST_NAME = 60

Item = TypeVar("Item")
Place = tuple[str, str]  # release and suite


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing one sheet.

    Attributes:
        n_new, n_changed, n_same: ratings, compared with the lake's earlier ones.
        n_unrated: rows without a rating yet.
        problems: rows that were refused, each with file and row number.
        places: releases and suites that were rated, to be scored again.
    """

    n_new: int
    n_changed: int
    n_same: int
    n_unrated: int
    problems: tuple[str, ...]
    places: frozenset[Place]


def import_sheet(lake: Lake, file: Path) -> Imported:
    """Import a sheet's ratings into the releases of its drawn answers.

    A rating replaces only the same auditor's earlier rating of the same answer.

    Raises:
        SheetError: see `read_sheet`, or nothing was ever drawn from this lake.
        ConcurrentChange: another import of the same auditor's ratings interfered. Import again.
    """
    sheet = read_sheet(file)
    drawn = {item.audit_item_id: place for item, place in rows_in(lake, "drawn", AuditItem)}
    if not drawn:
        raise SheetError(
            f"no answers were drawn from the lake {lake.url}. Draw some:\n"
            f"    tenkbench audit export {file} --lake {lake.url}"
        )
    taken, problems = _checked(file, sheet, drawn)
    by_step: dict[Step, list[Audit]] = {}
    for row in taken:
        by_step.setdefault(step_of(drawn[row.audit_item_id], "rated", row.auditor), []).append(
            _audit(row)
        )
    counts = Counter[str]()
    for step, audits in by_step.items():
        counts += merge(lake, step, Audit, audits, attrgetter("audit_id"))
    return Imported(
        counts["new"],
        counts["changed"],
        counts["same"],
        sheet.n_unrated,
        tuple(problems),
        frozenset(drawn[row.audit_item_id] for row in taken),
    )


def rows_in(lake: Lake, kind: str, row_type: type[Item]) -> Iterator[tuple[Item, Place]]:
    """Yield the rows of all draws or auditors of a lake, each with its release and suite."""
    for commit in lake.commits():
        suite, _, name = commit.step.name.partition(".")
        if name.startswith(f"audit.{kind}."):
            for item in lake.each(commit, row_type):
                yield item, (commit.step.release, suite)


def step_of(place: Place, kind: str, auditor: str) -> Step:
    """Name the commit of one auditor's rows of a kind."""
    release, suite = place
    return Step(release, f"{suite}.audit.{kind}.{auditor}")


def merge(
    lake: Lake, step: Step, row_type: type[Item], rows: Sequence[Item], id_of: Callable[[Item], str]
) -> Counter[str]:
    """Commit rows of an auditor beside the earlier ones, which they replace by id.

    Returns:
        The numbers of `new`, `changed` and `same` rows.
    """
    before = lake.commit_of(step)
    known = {} if before is None else {id_of(row): row for row in lake.read(before, row_type)}
    now = {id_of(row): row for row in rows}
    counts = Counter(
        "new" if key not in known else "same" if known[key] == row else "changed"
        for key, row in now.items()
    )
    if counts.keys() != {"same"}:
        suite, _, rest = step.name.partition(".")
        identity = {"parameters": {"auditor": rest.split(".", 2)[2]}, "inputs": {}}
        merged = [row for _, row in sorted((known | now).items())]
        part = lake.write(step, identity, row_type, merged, suite=suite)
        lake.commit(step, identity, [part], inputs=[] if before is None else [before])
    return counts


def wrong_name(auditor: str) -> str | None:
    """Say why a text cannot name an auditor; None if it can."""
    if not auditor:
        return "no auditor is named; write who filled in the row into the column auditor"
    if auditor == _TAKEN or len(auditor) > _LONGEST_NAME or not auditor.isprintable():
        return f"{auditor[:_LONGEST_NAME]!r} cannot name an auditor; give another, shorter name"
    return None


def _checked(
    file: Path, sheet: Sheet, drawn: Mapping[str, Place]
) -> tuple[Sequence[Row], list[str]]:
    """Split rows into usable ones and descriptions of the others' problems."""
    taken: dict[tuple[str, str], Row] = {}
    problems = list(sheet.problems)
    for row in sheet.rows:
        where = f"{file}, row {row.number}"
        earlier = taken.get((row.audit_item_id, row.auditor))
        if row.audit_item_id not in drawn:
            problems.append(
                f"{where}: no answer with the id {row.audit_item_id!r} was drawn from this lake; "
                "leave the column id as it was exported, or name the lake with --lake"
            )
        elif wrong := wrong_name(row.auditor):
            problems.append(f"{where}: {wrong}")
        elif earlier is not None and (earlier.rating, earlier.note) != (row.rating, row.note):
            problems.append(
                f"{where}: {row.auditor} rated this answer differently in row {earlier.number}, "
                "which was imported; keep one of the two"
            )
        else:
            taken.setdefault((row.audit_item_id, row.auditor), row)
    return list(taken.values()), problems


def _audit(row: Row) -> Audit:
    return Audit(
        audit_id=stable_id("rating", row.audit_item_id, row.auditor),
        audit_item_id=row.audit_item_id,
        auditor=row.auditor,
        rating=row.rating,
        note=row.note,
    )
