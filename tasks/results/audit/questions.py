"""Questions for people to answer before they see ours, and then to say whether both agree.

In the first pass a person sees questions and contexts only, writes an answer and where it stands.
These are stored before the second sheet shows ours beside them, and stay as they are. Our kind of
question is never shown.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from tasks.core.errors import WrongUsage
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import QuestionAudit, QuestionItem
from tasks.lake.lake import Lake, Step
from tasks.results.audit.sheet import SheetError, read_filled, write_rows
from tasks.results.audit.store import (
    CannotDraw,
    Draw,
    Imported,
    Place,
    drawn,
    hand_out,
    rows_in,
    store,
    take_turns,
)
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import sql_files

Items = Mapping[str, tuple[QuestionItem, Place]]

FIRST = ("id", "question", "your answer", "where you found it", "auditor")
SECOND = (
    *("id", "question", "your answer", "our answer", "kinds"),
    *("agree", "kind", "note", "auditor"),
)
RATED = ("id", "agree", "kind", "note", "auditor")  # what people fill in of the second sheet

_PAIRS = """
select
    qa_pairs.qa_pair_id, qa_pairs.task, qa_pairs.query, qa_pairs.answer, contexts.text,
    qa_pairs.task as stratum, false as is_spare
from raw.qa_pairs as qa_pairs
inner join raw.contexts as contexts using (release, suite, context_id)
where qa_pairs.suite = $suite
order by qa_pairs.qa_pair_id
"""
# of a suite that has people asked something else than its models
_OWN = """
select qa_pair_id, task, query, answer, text, stratum, is_spare
from suites.questions
where suite = $suite
order by qa_pair_id
"""
_AGREES = {"yes": True, "y": True, "no": False, "n": False}
# A table that is shown as one: tags without anything but spans, and escaped text.
_TABLE = re.compile(
    r'<table>(?:</?tr>|<t[hd](?: rowspan="\d+")?(?: colspan="\d+")?>|</t[hd]>|[^<>])*</table>'
)
_PAGE = """<!doctype html><meta charset="utf-8"><title>Questions</title>
<style>body {{ font: 15px sans-serif; max-width: 70em; margin: 2em auto }}
table {{ border-collapse: collapse }} td, th {{ border: 1px solid #bbb; padding: 2px 6px }}</style>
<p>Answer each question from what stands under it, in the sheet of this name. Tables are counted
from the top. Note where you found it: a sentence, or cells as in: table 1, Net sales, 2023.</p>
{}
"""


@dataclass(frozen=True, slots=True)
class AuditQuestion:
    """One question of a release that people may be asked.

    Attributes:
        stratum: its kind, or a part of it: `kind: part`. Parts of a kind are drawn alike.
        is_spare: whether it is asked only if others of its kind are too few.
    """

    qa_pair_id: str
    kind: str
    query: str
    answer: str
    context: str
    stratum: str
    is_spare: bool


def questions_of(lake: Lake, release: str, suite: str) -> dict[str, AuditQuestion]:
    """Read a release's questions by their id.

    Raises:
        CannotDraw: there is none.
    """
    has_own = any(file.relation == f"{suite}.questions" for file in sql_files())
    query = _OWN if has_own else _PAIRS
    with open_warehouse(lake.files(release), asked=query) as warehouse:
        rows = warehouse.execute(query, {"suite": suite}).fetchall()
    if not rows:
        raise CannotDraw(
            f"release {release} in {lake.url} has no questions of {suite}; `tenkbench build` "
            "writes them"
        )
    return {row[0]: AuditQuestion(*row) for row in rows}


def draw_questions(
    questions: Iterable[AuditQuestion], n: int, seed: int
) -> list[tuple[AuditQuestion, int, int]]:
    """Draw n questions of each kind, or all if there are fewer, in an order that shows no kind.

    Strata of a kind take turns. Returns each question with the size of its stratum and how many
    are drawn of it.

    Raises:
        WrongUsage: n is below 1.
    """
    if n < 1:
        raise WrongUsage(f"--n {n} is too small: draw at least one question of each kind")
    shuffled = sorted(questions, key=lambda question: _hash(seed, question))
    by_kind: dict[str, dict[bool, dict[str, list[AuditQuestion]]]] = {}
    for question in shuffled:
        strata = by_kind.setdefault(question.kind, {}).setdefault(question.is_spare, {})
        strata.setdefault(question.stratum, []).append(question)
    taken: list[AuditQuestion] = []
    for kind in by_kind.values():
        n_left = n
        for is_spare in (False, True):
            of_kind = [q for of in take_turns(kind.get(is_spare, {}), n_left).values() for q in of]
            n_left -= len(of_kind)
            taken += of_kind
    n_stratum = Counter(question.stratum for question in shuffled)
    n_drawn = Counter(question.stratum for question in taken)
    return [
        (question, n_stratum[question.stratum], n_drawn[question.stratum])
        for question in sorted(taken, key=lambda question: _hash(seed, question))
    ]


def ask_people(
    lake: Lake, file: Path, place: Place, questions: list[tuple[AuditQuestion, int, int]]
) -> Path:
    """Write the sheet of the first pass and a page of contexts beside it; return the page.

    Raises:
        SheetError: one of the files exists, or cannot be written.
    """
    page = file.with_suffix(".html")
    if page.exists() or page == file:
        raise SheetError(f"'{page}' would be overwritten. Name another file, such as sheet.csv.")
    draw_id = stable_id("draw", *place, [question.qa_pair_id for question, _, _ in questions])
    items = tuple(
        QuestionItem(
            question_item_id=stable_id("question", draw_id, question.qa_pair_id),
            draw_id=draw_id,
            qa_pair_id=question.qa_pair_id,
            stratum=question.stratum,
            n_stratum=n_stratum,
            n_drawn=n_drawn,
        )
        for question, n_stratum, n_drawn in questions
    )
    shown = [(item.question_item_id, row[0]) for item, row in zip(items, questions, strict=True)]
    cells = tuple((name, question.query, "", "", "") for name, question in shown)
    step = Step(place[0], f"{place[1]}.audit.asked.{draw_id}")
    hand_out(lake, file, Draw(step, {"parameters": {}, "inputs": {}}, FIRST, items, cells))
    parts = (
        f'<h2 id="{name}">{html.escape(name)}</h2>'
        f"<p><b>{html.escape(question.query)}</b></p>{_context(question.context)}<hr>"
        for name, question in shown
    )
    page.write_text(_PAGE.format("\n".join(parts)), encoding="utf-8")
    return page


def compare(lake: Lake, first: Path, second: Path) -> tuple[int, list[str]]:
    """Store a first sheet's answers, and write the sheet that shows ours beside them.

    Returns:
        The number of answers, and the ids of the rows that are left empty.

    Raises:
        SheetError: a row cannot be used (all of them are named), no row has an answer, or a file
            cannot be read or written. Nothing is stored then.
    """
    items = drawn(lake, "asked", QuestionItem, "questions")
    known = {key: audit for key, (audit, _) in rows_in(lake, "answered", QuestionAudit).items()}
    rows, empty, problems = read_filled(first, FIRST, ("your answer",), items)
    answers: dict[str, QuestionAudit] = {}
    for where, cells in rows:
        audit = _answer(cells)
        key = audit.question_audit_id
        earlier = answers.get(key) or known.get(key) or audit
        if (earlier.answer, earlier.sources) != (audit.answer, audit.sources):
            problems.append(
                f"{where}: {audit.auditor} has answered already: {earlier.answer!r}, found in "
                f"{earlier.sources!r}. That stands, since ours may have been seen; write it again"
            )
        answers[key] = earlier
    if problems or not answers:
        listed = "\n".join(problems) or f"{first} has no answers yet; write them into the sheet"
        raise SheetError(listed)
    write_rows(second, SECOND, list(_beside_ours(lake, answers.values(), items)))
    try:
        store(lake, "answered", _placed(answers, items))
    except BaseException:
        second.unlink()  # it shows our answers, and theirs are not stored
        raise
    return len(answers), empty


def import_agreement(lake: Lake, file: Path) -> Imported:
    """Import what people say in the second sheet of their answers and ours.

    Raises:
        SheetError: the file cannot be read, or lacks a column.
        ConcurrentChange: another import of the same auditor's ratings interfered. Import again.
    """
    items = drawn(lake, "asked", QuestionItem, "questions")
    known = {key: audit for key, (audit, _) in rows_in(lake, "answered", QuestionAudit).items()}
    rows, empty, problems = read_filled(file, RATED, ("agree", "kind", "note"), items)
    rated: dict[str, QuestionAudit] = {}
    for where, cells in rows:
        key = _answer(cells).question_audit_id
        agrees, kind = cells["agree"].casefold(), cells["kind"].casefold()
        kinds = {name.casefold(): name for name in _kinds(items, cells["id"])}
        if agrees not in _AGREES or kind not in kinds:
            problems.append(
                f"{where}: agree is yes or no, and kind one of {', '.join(kinds.values())}; "
                f"not {cells['agree']!r} and {cells['kind']!r}"
            )
        elif key not in known:
            problems.append(
                f"{where}: the lake has no answer of {cells['auditor']} to this question; "
                "`tenkbench audit compare` stores it"
            )
        else:
            note = cells["note"] or None
            audit = replace(known[key], agrees=_AGREES[agrees], rated_kind=kinds[kind], note=note)
            audit = audit if audit == known[key] else replace(audit, rated_at=_now())
            first = rated.setdefault(key, audit)
            if replace(first, rated_at=None) != replace(audit, rated_at=None):
                problems.append(f"{where}: {audit.auditor} rated it differently in a row above")
    place_of = _placed(rated, items)
    store(lake, "answered", place_of)
    return Imported(len(rated), len(empty), tuple(problems), frozenset(place_of.values()))


def _hash(seed: int, question: AuditQuestion) -> str:
    return sha256_hex(f"{seed}:{question.qa_pair_id}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _answer(cells: Mapping[str, str]) -> QuestionAudit:
    return QuestionAudit(
        question_audit_id=stable_id("answer", cells["id"], cells["auditor"]),
        question_item_id=cells["id"],
        auditor=cells["auditor"],
        answer=cells.get("your answer", ""),
        sources=cells.get("where you found it", ""),
        answered_at=_now(),
        agrees=None,
        rated_kind=None,
        note=None,
        rated_at=None,
    )


def _placed(audits: Mapping[str, QuestionAudit], items: Items) -> dict[QuestionAudit, Place]:
    return {audit: items[audit.question_item_id][1] for audit in audits.values()}


def _kinds(items: Items, item_id: str) -> list[str]:
    """List the kinds of questions of an item's draw."""
    draw_id = items[item_id][0].draw_id
    strata = {item.stratum for item, _ in items.values() if item.draw_id == draw_id}
    return sorted({stratum.partition(": ")[0] for stratum in strata})


def _beside_ours(
    lake: Lake, audits: Iterable[QuestionAudit], items: Items
) -> Iterator[tuple[str, ...]]:
    read = cache(partial(questions_of, lake))
    for audit in audits:
        item, (release, suite) = items[audit.question_item_id]
        question = read(release, suite).get(item.qa_pair_id)
        if question is None:
            raise SheetError(
                f"release {release} no longer has the question {item.question_item_id}; draw again "
                "with `tenkbench audit questions`"
            )
        meanings = {task: label.meaning for task, label in load_suite(suite).page.tasks.items()}
        kinds = sorted(
            _kinds(items, item.question_item_id), key=lambda kind: [*meanings, kind].index(kind)
        )
        described = "\n".join(f"{kind}: {meanings.get(kind, 'not described')}" for kind in kinds)
        shown = (item.question_item_id, question.query, audit.answer, question.answer, described)
        yield (*shown, "", "", "", audit.auditor)


def _context(text: str) -> str:
    blocks = (
        block
        if _TABLE.fullmatch(block)
        else f'<p style="white-space: pre-wrap">{html.escape(block)}</p>'
        for block in text.split("\n\n")
    )
    return "\n".join(blocks)
