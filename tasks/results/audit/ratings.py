"""Import filled-in sheets into `audits`, one commit per auditor.

No run removes these commits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.core.ids import stable_id
from tasks.core.rows import Audit, AuditItem
from tasks.lake.lake import Lake, Step
from tasks.results.audit.sheet import Row, Sheet, SheetError, read_sheet

# `reports.audit_agreement` uses this name for all auditors. Names are limited in length, since
# they become file names.
_TAKEN = "all auditors"
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing one sheet.

    Attributes:
        n_new, n_changed, n_same: ratings, compared with the lake's earlier ones.
        n_unrated: rows without a rating yet.
        problems: rows that were refused, each with file and row number.
    """

    n_new: int
    n_changed: int
    n_same: int
    n_unrated: int
    problems: tuple[str, ...]


def import_sheet(lake: Lake, file: Path) -> Imported:
    """Import a sheet's ratings into the releases of its drawn answers.

    A rating replaces only the same auditor's earlier rating of the same answer.

    Raises:
        SheetError: see `read_sheet`, or nothing was ever drawn from this lake.
        ConcurrentChange: another import of the same auditor's ratings interfered. Import again.
    """
    sheet = read_sheet(file)
    drawn = _drawn(lake)
    if not drawn:
        raise SheetError(
            f"no answers were drawn from the lake {lake.url}. Draw some:\n"
            f"    tenkbench audit export {file} --lake {lake.url}"
        )
    taken, problems = _checked(file, sheet, drawn)
    n_new = n_changed = n_same = 0
    by_step: dict[tuple[Step, str], list[Row]] = {}
    for row in taken:
        release, suite = drawn[row.audit_item_id]
        step = Step(release, f"{suite}.audit.rated.{row.auditor}")
        by_step.setdefault((step, suite), []).append(row)
    for (step, suite), rows in by_step.items():
        before = lake.commit_of(step)
        known = {} if before is None else {row.audit_id: row for row in lake.read(before, Audit)}
        now = {audit.audit_id: audit for audit in map(_audit, rows)}
        n_new += len(now.keys() - known.keys())
        n_changed += sum(known[key] != audit for key, audit in now.items() if key in known)
        n_same += sum(known[key] == audit for key, audit in now.items() if key in known)
        if all(known.get(key) == audit for key, audit in now.items()):
            continue
        merged = sorted((known | now).values(), key=lambda audit: audit.audit_id)
        identity = {"parameters": {"auditor": rows[0].auditor}, "inputs": {}}
        part = lake.write(step, identity, Audit, merged, suite=suite)
        lake.commit(step, identity, [part], inputs=[] if before is None else [before])
    return Imported(n_new, n_changed, n_same, sheet.n_unrated, tuple(problems))


def _drawn(lake: Lake) -> dict[str, tuple[str, str]]:
    """Map every drawn answer's id to its release and suite."""
    found = {}
    for commit in lake.commits():
        suite, _, kind = commit.step.name.partition(".")
        if kind.startswith("audit.drawn."):
            for item in lake.each(commit, AuditItem):
                found[item.audit_item_id] = (commit.step.release, suite)
    return found


def _checked(
    file: Path, sheet: Sheet, drawn: Mapping[str, tuple[str, str]]
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
        elif (
            row.auditor == _TAKEN
            or len(row.auditor) > _LONGEST_NAME
            or not row.auditor.isprintable()
        ):
            problems.append(
                f"{where}: {row.auditor[:_LONGEST_NAME]!r} cannot name an auditor; give another, "
                "shorter name"
            )
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
