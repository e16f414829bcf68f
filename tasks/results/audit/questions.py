"""Have people check a suite's questions in two passes, before any model answers them.

In the first pass a person sees questions and contexts only, writes an answer and marks where it
stands. Only a sheet with answers gives the second sheet: it shows ours beside them, and the person
says whether both agree, and which kind of question it is. Our kind is never shown.
"""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.core.ids import sha256_hex
from tasks.lake.lake import Lake
from tasks.results.audit.drawing import CannotDraw
from tasks.results.audit.sheet import SheetError, read_records
from tasks.text.spreadsheet import defused
from tasks.text.visible import visible
from tasks.warehouse.connection import open_warehouse

FIRST = ("id", "question", "your answer", "cells that you used", "auditor")
SECOND = ("id", "question", "your answer", "our answer", "agree", "kind", "note", "auditor")

_ASKED = """
select qa_pairs.qa_pair_id, qa_pairs.task, qa_pairs.query, qa_pairs.answer, contexts.text
from raw.qa_pairs as qa_pairs
inner join raw.contexts as contexts using (release, suite, context_id)
where qa_pairs.suite = $suite
order by qa_pairs.qa_pair_id
"""
_SAID = {"yes": True, "y": True, "no": False, "n": False}
# A table that is shown as one: tags without anything but spans, and escaped text.
_TABLE = re.compile(
    r'<table>(?:</?tr>|<t[hd](?: rowspan="\d+")?(?: colspan="\d+")?>|</t[hd]>|[^<>])*</table>'
)
_PAGE = """<!doctype html><meta charset="utf-8"><title>Questions</title>
<style>body {{ font: 15px sans-serif; max-width: 70em; margin: 2em auto }}
table {{ border-collapse: collapse }} td, th {{ border: 1px solid #bbb; padding: 2px 6px }}</style>
<p>Answer each question from what stands under it, in the sheet of this name. Tables are counted
from the top. Note the cells that you used, as in: table 1, Net sales, 2023.</p>
{}
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a release."""

    qa_pair_id: str
    kind: str
    query: str
    answer: str
    context: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What people said of the questions of one kind."""

    kind: str
    n: int
    n_agreed: int
    n_same_kind: int


def questions_of(lake: Lake, release: str, suite: str) -> dict[str, Asked]:
    """Read a release's questions by their id.

    Raises:
        CannotDraw: there is none.
    """
    with open_warehouse(lake.files(release), asked=_ASKED) as warehouse:
        rows = warehouse.execute(_ASKED, {"suite": suite}).fetchall()
    if not rows:
        raise CannotDraw(
            f"release {release} in {lake.url} has no questions of {suite}; `tenkbench build` "
            "writes them"
        )
    return {row[0]: Asked(*row) for row in rows}


def draw_questions(questions: Iterable[Asked], n: int, seed: int) -> list[Asked]:
    """Draw n questions of each kind, or all if there are fewer, in an order that shows no kind."""
    by_hash = sorted(questions, key=lambda each: sha256_hex(f"{seed}:{each.qa_pair_id}"))
    n_drawn: Counter[str] = Counter()
    drawn = []
    for each in by_hash:
        n_drawn[each.kind] += 1
        if n_drawn[each.kind] <= n:
            drawn.append(each)
    return drawn


def write_first(file: Path, drawn: Sequence[Asked]) -> Path:
    """Write the sheet of the first pass, and beside it a page with the contexts; return the page.

    Raises:
        SheetError: one of the files exists, or cannot be written.
    """
    page = file.with_suffix(".html")
    if page.exists() or page == file:
        raise SheetError(f"'{page}' would be overwritten. Name another file, such as sheet.csv.")
    shown = (
        f'<h2 id="{each.qa_pair_id}">{html.escape(each.qa_pair_id)}</h2>'
        f"<p><b>{html.escape(each.query)}</b></p>{_context(each.context)}<hr>"
        for each in drawn
    )
    _write(file, FIRST, ((each.qa_pair_id, each.query, "", "", "") for each in drawn))
    page.write_text(_PAGE.format("\n".join(shown)), encoding="utf-8")
    return page


def write_second(file: Path, first: Path, questions: Mapping[str, Asked]) -> int:
    """Write the sheet of the second pass for the answers of a first one; return how many.

    Raises:
        SheetError: no answer can be compared, or a file cannot be read or written.
    """
    rows, problems = [], []
    for number, cells in read_records(first, FIRST):
        if isinstance(cells, str):
            problems.append(f"{first}, row {number}: {cells}")
        elif cells["id"] not in questions:
            problems.append(f"{first}, row {number}: the release has no question {cells['id']!r}")
        elif cells["your answer"]:
            asked = questions[cells["id"]]
            own = (cells["your answer"], asked.answer, "", "", "", cells["auditor"])
            rows.append((cells["id"], asked.query, *own))
    if problems or not rows:
        listed = "\n".join(problems) or f"{first} has no answers yet; write them into the sheet"
        raise SheetError(listed)
    _write(file, SECOND, rows)
    return len(rows)


def count_second(files: Iterable[Path], questions: Mapping[str, Asked]) -> list[Counted]:
    """Count how often people agree with our answers and kinds, by kind.

    Raises:
        SheetError: a row cannot be used; all of them are named. Or no row is rated.
    """
    n, n_agreed, n_same = Counter[str](), Counter[str](), Counter[str]()
    kinds = sorted({each.kind for each in questions.values()})
    problems = []
    for file in files:
        for number, cells in read_records(file, SECOND):
            where = f"{file}, row {number}"
            if isinstance(cells, str):
                problems.append(f"{where}: {cells}")
                continue
            agree, kind = cells["agree"].casefold(), cells["kind"].casefold()
            if not (agree or kind):
                continue  # not rated yet
            if cells["id"] not in questions:
                problems.append(f"{where}: the release has no question {cells['id']!r}")
            elif agree not in _SAID or kind not in kinds:
                problems.append(
                    f"{where}: agree is yes or no, and kind one of {', '.join(kinds)}; "
                    f"not {cells['agree']!r} and {cells['kind']!r}"
                )
            else:
                ours = questions[cells["id"]].kind
                n[ours] += 1
                n_agreed[ours] += _SAID[agree]
                n_same[ours] += kind == ours
    if problems:
        raise SheetError("\n".join(["Correct these rows:", *problems]))
    if not n:
        raise SheetError("No row is rated yet; fill the columns agree and kind.")
    return [Counted(kind, n[kind], n_agreed[kind], n_same[kind]) for kind in kinds]


def _context(text: str) -> str:
    blocks = (
        block
        if _TABLE.fullmatch(block)
        else f'<p style="white-space: pre-wrap">{html.escape(block)}</p>'
        for block in text.split("\n\n")
    )
    return "\n".join(blocks)


def _write(file: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:  # BOM for Excel
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows([defused(visible(cell).strip()) for cell in row] for row in rows)
    except FileExistsError as exists:
        raise SheetError(f"'{file}' exists and may hold answers. Name another file.") from exists
    except OSError as error:
        raise SheetError(f"cannot write {file}: {error.strerror}") from error
