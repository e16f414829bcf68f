"""Questions for people to answer before they see ours, and then to say whether both agree.

In the first pass a person sees questions and contexts only, writes an answer and where it stands.
These are stored before the second sheet shows ours beside them, and stay as they are. Our kind of
question is never shown.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.core.ids import stable_id
from tasks.core.rows import QuestionAudit, QuestionItem
from tasks.lake.lake import Lake
from tasks.results.audit import sheet
from tasks.results.audit.sheet import AuditSheet, Cells, Place, draw, hand_out, rows_in
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import has_relation

# The columns of `suites.questions`, which a suite has if it asks people something else than models.
_PAIRS = """
    select
        qa_pairs.qa_pair_id as id, qa_pairs.task as kind, qa_pairs.query, qa_pairs.answer,
        contexts.text, qa_pairs.task as stratum, false as is_spare
    from raw.qa_pairs as qa_pairs
    inner join raw.contexts as contexts using (release, suite, context_id)
    where qa_pairs.suite = $suite
"""
_OWN = """
    select qa_pair_id as id, task as kind, query, answer, text, stratum, is_spare
    from suites.questions where suite = $suite
"""
# A table that is shown as one: tags without anything but spans, and escaped text.
_TABLE = re.compile(
    r'<table>(?:</?tr>|<t[hd](?: rowspan="\d+")?(?: colspan="\d+")?>|</t[hd]>|[^<>])*</table>'
)
_PAGE = """<!doctype html><meta charset="utf-8"><title>Questions</title>
<style>body {{ font: 15px sans-serif; max-width: 70em; margin: 2em auto }}
table {{ border-collapse: collapse }} td, th {{ border: 1px solid #bbb; padding: 2px 6px }}
.text {{ white-space: pre-wrap }}</style>
<p>Answer each question from what stands under it, in the sheet of this name. Tables are counted
from the top. Note where you found it: a sentence, or cells as in: table 1, Net sales, 2023.</p>
{}
"""


def ask_people(lake: Lake, file: Path, place: Place, n: int, seed: int) -> tuple[int, Path]:
    """Draw n questions of each kind, or all if there are fewer, in an order that shows no kind.

    Writes the sheet of the first pass and a page of contexts beside it. Strata of a kind take
    turns; spare ones are asked only if others of the kind are too few. Returns the number of
    questions, and the page.

    Raises:
        WrongUsage: n is smaller than the number of strata.
        RunFailed: the release has no questions; or a file exists, or cannot be written.
    """
    page = file.with_suffix(".html")
    if page.exists() or page == file:
        raise RunFailed(f"'{page}' would be overwritten. Name another file, such as sheet.csv.")
    (release, suite), frame = place, _frame(place[1])
    with open_warehouse(lake.files(release), query=frame) as warehouse:
        rows = draw(warehouse, frame, suite, n, seed)
    draw_id = stable_id("draw", *place, [row["id"] for row in rows])
    cells, parts = {}, []
    for row in rows:
        item = QuestionItem(
            question_item_id=stable_id("question", draw_id, row["id"]),
            draw_id=draw_id,
            qa_pair_id=row["id"],
            **{name: row[name] for name in sheet.SIZES},
        )
        cells[item] = (item.question_item_id, row["query"], "", "", "")
        parts.append(
            f"<h2>{item.question_item_id}</h2><p><b>{html.escape(row['query'])}</b></p>"
            f"{_context(row['text'])}<hr>"
        )
    hand_out(lake, file, ANSWERS, place, cells)
    page.write_text(_PAGE.format("\n".join(parts)), encoding="utf-8")
    return len(rows), page


def _frame(suite: str) -> str:
    return _OWN if has_relation(suite, "questions") else _PAIRS


def compare(lake: Lake, first: Path, second: Path) -> tuple[int, int]:
    """Store a first sheet's answers, and write the sheet that shows ours beside them.

    Returns the number of answers, and of questions that have none yet.

    Raises:
        RunFailed: a row cannot be used (all of them are named), no row has an answer, or a file
            cannot be read or written.
    """
    sheet.check_new(second)
    rows, n_empty = sheet.read_sheet(lake, first, ANSWERS)
    if not rows:
        raise RunFailed(f"{first} has no answers yet; write them into the sheet")
    beside = list(_beside_ours(lake, rows))
    sheet.store(lake, ANSWERS, rows)  # before anybody sees ours
    sheet.write_rows(second, AGREEMENT.columns, beside)
    return len(rows), n_empty


def _beside_ours(lake: Lake, audits: Mapping[QuestionAudit, Place]) -> Iterator[tuple[str, ...]]:
    items = {id_: item for id_, (item, _) in rows_in(lake, *ANSWERS.drawn).items()}
    kinds_of: dict[str, set[str]] = {}  # by draw
    for item in items.values():
        kinds_of.setdefault(item.draw_id, set()).add(item.stratum.partition(": ")[0])
    questions = {place: _answers_by_id(lake, *place) for place in {*audits.values()}}
    for audit, place in audits.items():
        item = items[audit.question_item_id]
        if item.qa_pair_id not in questions[place]:
            raise RunFailed(
                f"release {place[0]} no longer has the question {item.question_item_id}; draw "
                "again with `tenkbench audit questions`"
            )
        query, answer = questions[place][item.qa_pair_id]
        tasks, kinds = load_suite(place[1]).page.tasks, sorted(kinds_of[item.draw_id])
        described = "\n".join(
            f"{kind}: {tasks[kind].meaning if kind in tasks else 'not described'}" for kind in kinds
        )
        shown = (item.question_item_id, query, audit.answer, answer, described)
        yield (*shown, "", "", "", audit.auditor)


def _answers_by_id(lake: Lake, release: str, suite: str) -> dict[str, tuple[str, str]]:
    frame = _frame(suite)
    with open_warehouse(lake.files(release), query=frame) as warehouse:
        rows = warehouse.execute(f"select id, query, answer from ({frame})", {"suite": suite})
        return {id_: (query, answer) for id_, query, answer in rows.fetchall()}


def _answer(
    cells: Cells, item: QuestionItem, known: Mapping[str, QuestionAudit]
) -> QuestionAudit | str:
    audit = QuestionAudit(
        question_audit_id=stable_id("answer", item.question_item_id, cells["auditor"]),
        question_item_id=item.question_item_id,
        auditor=cells["auditor"],
        answer=cells["your answer"],
        sources=cells.get("where you found it", ""),
        answered_at=_now(),
    )
    earlier = known.get(audit.question_audit_id, audit)
    if (earlier.answer, earlier.sources) != (audit.answer, audit.sources):
        return (
            f"{audit.auditor} has answered already: {earlier.answer!r}, found in "
            f"{earlier.sources!r}. That stands, since ours may have been seen; write it again"
        )
    return earlier


def _agreement(
    cells: Cells, item: QuestionItem, known: Mapping[str, QuestionAudit]
) -> QuestionAudit | str:
    kinds = [line.partition(": ")[0] for line in cells.get("kinds", "").splitlines()]
    agrees = {"yes": True, "y": True, "no": False, "n": False}.get(cells["agree"].casefold())
    kind = {kind.casefold(): kind for kind in kinds}.get(cells["kind"].casefold())
    if agrees is None or kind is None:
        return (
            f"agree is yes or no, and kind one of {', '.join(kinds)}; "
            f"not {cells['agree']!r} and {cells['kind']!r}"
        )
    before = known.get(stable_id("answer", item.question_item_id, cells["auditor"]))
    if before is None:
        return (
            f"the lake has no answer of {cells['auditor']} to this question; "
            "`tenkbench audit compare` stores it"
        )
    audit = replace(before, agrees=agrees, rated_kind=kind, note=cells["note"] or None)
    return before if audit == before else replace(audit, rated_at=_now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _context(text: str) -> str:
    """Show a text as HTML in which nothing but its tables is markup."""
    return "\n".join(
        block if _TABLE.fullmatch(block) else f"<p class=text>{html.escape(block)}</p>"
        for block in text.split("\n\n")
    )


ANSWERS = AuditSheet(
    drawn=("asked", QuestionItem),
    stored=("answered", QuestionAudit),
    columns=("id", "question", "your answer", "where you found it", "auditor"),
    filled=("your answer",),
    row_of=_answer,
)
AGREEMENT = replace(
    ANSWERS,
    columns=(
        *("id", "question", "your answer", "our answer", "kinds"),
        *("agree", "kind", "note", "auditor"),
    ),
    filled=("agree", "kind", "note"),
    row_of=_agreement,
)
