"""Have people check a suite's questions in two passes, before any model answers them.

In the first pass a person sees questions and contexts only, writes an answer and marks where it
stands. These are stored before the second sheet shows ours beside them, and stay as they are. Then
the person says whether both agree, and which kind of question it is. Our kind is never shown.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from operator import attrgetter
from pathlib import Path

from tasks.core.errors import WrongUsage
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import QuestionAudit, QuestionItem
from tasks.lake.lake import Identity, Lake, Step
from tasks.results.audit.drawing import CannotDraw
from tasks.results.audit.ratings import Imported, Place, merge, rows_in, step_of, wrong_name
from tasks.results.audit.sheet import SheetError, read_records, write_rows
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
_SAID = {"yes": True, "y": True, "no": False, "n": False}
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
class Asked:
    """One question of a release.

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


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw of questions, in the order of its sheet."""

    place: Place
    items: tuple[QuestionItem, ...]
    asked: tuple[Asked, ...]


def questions_of(lake: Lake, release: str, suite: str) -> dict[str, Asked]:
    """Read a release's questions by their id.

    Raises:
        CannotDraw: there is none.
    """
    has_own = any(file.relation == f"{suite}.questions" for file in sql_files())
    asked = _OWN if has_own else _PAIRS
    with open_warehouse(lake.files(release), asked=asked) as warehouse:
        rows = warehouse.execute(asked, {"suite": suite}).fetchall()
    if not rows:
        raise CannotDraw(
            f"release {release} in {lake.url} has no questions of {suite}; `tenkbench build` "
            "writes them"
        )
    return {row[0]: Asked(*row) for row in rows}


def draw_questions(questions: Iterable[Asked], place: Place, n: int, seed: int) -> Drawn:
    """Draw n questions of each kind, or all if there are fewer, in an order that shows no kind.

    Of a kind with several strata, these take turns.

    Raises:
        WrongUsage: n is below 1.
    """
    if n < 1:
        raise WrongUsage(f"--n {n} is too small: draw at least one question of each kind")
    by_hash = sorted(questions, key=lambda each: sha256_hex(f"{seed}:{each.qa_pair_id}"))
    n_of = Counter[str]()
    turns: dict[str, list[tuple[bool, int, int]]] = {}  # by kind: spare, turn, place in by_hash
    for place_of, each in enumerate(by_hash):
        turns.setdefault(each.kind, []).append((each.is_spare, n_of[each.stratum], place_of))
        n_of[each.stratum] += 1
    taken = sorted(at for of_kind in turns.values() for *_, at in sorted(of_kind)[:n])
    drawn = [by_hash[at] for at in taken]
    n_drawn = Counter(each.stratum for each in drawn)
    draw_id = stable_id("draw", *place, [each.qa_pair_id for each in drawn])
    items = (
        QuestionItem(
            question_item_id=stable_id("question", draw_id, each.qa_pair_id),
            draw_id=draw_id,
            qa_pair_id=each.qa_pair_id,
            stratum=each.stratum,
            n_stratum=n_of[each.stratum],
            n_drawn=n_drawn[each.stratum],
        )
        for each in drawn
    )
    return Drawn(place, tuple(items), tuple(drawn))


def keep_questions(lake: Lake, drawn: Drawn) -> None:
    """Store a draw in the lake, which allows importing its answers."""
    release, suite = drawn.place
    step = Step(release, f"{suite}.audit.asked.{drawn.items[0].draw_id}")
    identity: Identity = {"parameters": {}, "inputs": {}}
    lake.commit(
        step, identity, [lake.write(step, identity, QuestionItem, drawn.items, suite=suite)]
    )


def write_first(file: Path, drawn: Drawn) -> Path:
    """Write the sheet of the first pass, and beside it a page with the contexts; return the page.

    Raises:
        SheetError: one of the files exists, or cannot be written.
    """
    page = file.with_suffix(".html")
    if page.exists() or page == file:
        raise SheetError(f"'{page}' would be overwritten. Name another file, such as sheet.csv.")
    rows = [
        (item.question_item_id, each) for item, each in zip(drawn.items, drawn.asked, strict=True)
    ]
    shown = (
        f'<h2 id="{name}">{html.escape(name)}</h2>'
        f"<p><b>{html.escape(each.query)}</b></p>{_context(each.context)}<hr>"
        for name, each in rows
    )
    write_rows(file, FIRST, ((name, each.query, "", "", "") for name, each in rows))
    page.write_text(_PAGE.format("\n".join(shown)), encoding="utf-8")
    return page


def compare(lake: Lake, first: Path, second: Path) -> tuple[int, list[str]]:
    """Store a first sheet's answers, and write the sheet that shows ours beside them.

    Returns:
        The number of answers, and the ids of the rows that are left empty.

    Raises:
        SheetError: a row cannot be used (all of them are named), no row has an answer, or a file
            cannot be read or written. Nothing is stored then.
    """
    items, known = _asked(lake), _answers(lake)
    rows, empty, problems = _read(first, FIRST, ("your answer",), items)
    given: dict[str, QuestionAudit] = {}
    for where, cells in rows:
        audit = _answered(cells)
        key = audit.question_audit_id
        earlier = given.get(key) or known.get(key) or audit
        if (earlier.answer, earlier.sources) != (audit.answer, audit.sources):
            problems.append(
                f"{where}: {audit.auditor} has answered already: {earlier.answer!r}, found in "
                f"{earlier.sources!r}. That stands, since ours may have been seen; write it again"
            )
        given[key] = earlier
    if problems or not given:
        listed = "\n".join(problems) or f"{first} has no answers yet; write them into the sheet"
        raise SheetError(listed)
    write_rows(second, SECOND, list(_beside_ours(lake, given.values(), items)))
    try:
        _store(lake, given.values(), items)
    except BaseException:
        second.unlink()  # it shows our answers, and theirs are not stored
        raise
    return len(given), empty


def import_rated(lake: Lake, file: Path) -> Imported:
    """Import what people say in the second sheet of their answers and ours.

    Raises:
        SheetError: the file cannot be read, or lacks a column.
        ConcurrentChange: another import of the same auditor's ratings interfered. Import again.
    """
    items, known = _asked(lake), _answers(lake)
    rows, empty, problems = _read(file, RATED, ("agree", "kind", "note"), items)
    rated: dict[str, QuestionAudit] = {}
    now = _now()
    for where, cells in rows:
        key = _id_of(cells)
        agrees, kind = cells["agree"].casefold(), cells["kind"].casefold()
        kinds = {name.casefold(): name for name in _kinds(items, cells["id"])}
        if agrees not in _SAID or kind not in kinds:
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
            audit = replace(
                known[key],
                agrees=_SAID[agrees],
                rated_kind=kinds[kind],
                note=cells["note"] or None,
            )
            if audit != known[key]:
                audit = replace(audit, rated_at=now)
            if rated.setdefault(key, audit) != audit:
                problems.append(f"{where}: {audit.auditor} rated it differently in a row above")
    n_new = sum(known[key].agrees is None for key in rated)
    counts = _store(lake, rated.values(), items)
    places = frozenset(items[audit.question_item_id][1] for audit in rated.values())
    n_changed = counts["changed"] - n_new
    return Imported(n_new, n_changed, counts["same"], len(empty), tuple(problems), places)


def _asked(lake: Lake) -> Items:
    """Map every drawn question's id to its item, release and suite."""
    found = {
        item.question_item_id: (item, place) for item, place in rows_in(lake, "asked", QuestionItem)
    }
    if not found:
        raise SheetError(
            f"no questions were drawn from the lake {lake.url}. Draw some:\n"
            f"    tenkbench audit questions first.csv --lake {lake.url}"
        )
    return found


def _answers(lake: Lake) -> dict[str, QuestionAudit]:
    found = rows_in(lake, "answered", QuestionAudit)
    return {audit.question_audit_id: audit for audit, _ in found}


def _read(
    file: Path, columns: Sequence[str], filled: Sequence[str], items: Items
) -> tuple[list[tuple[str, dict[str, str]]], list[str], list[str]]:
    """Read the rows with one of the `filled` cells, the ids of the others, and problems."""
    rows, empty, problems = [], [], []
    for number, cells in read_records(file, columns):
        where = f"{file}, row {number}"
        if isinstance(cells, str):
            problems.append(f"{where}: {cells}")
        elif cells["id"] not in items:
            problems.append(
                f"{where}: no question with the id {cells['id']!r} was drawn from this lake; "
                "leave the column id as it is, or name the lake with --lake"
            )
        elif not any(cells[name] for name in filled):
            empty.append(cells["id"])
        elif wrong := wrong_name(cells["auditor"]):
            problems.append(f"{where}: {wrong}")
        else:
            rows.append((where, cells))
    return rows, empty, problems


def _id_of(cells: Mapping[str, str]) -> str:
    return stable_id("answer", cells["id"], cells["auditor"])


def _answered(cells: Mapping[str, str]) -> QuestionAudit:
    return QuestionAudit(
        question_audit_id=_id_of(cells),
        question_item_id=cells["id"],
        auditor=cells["auditor"],
        answer=cells["your answer"],
        sources=cells["where you found it"],
        answered_at=_now(),
        agrees=None,
        rated_kind=None,
        note=None,
        rated_at=None,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _kinds(items: Items, item_id: str) -> list[str]:
    """List the kinds of questions of an item's draw."""
    draw_id = items[item_id][0].draw_id
    strata = {item.stratum for item, _ in items.values() if item.draw_id == draw_id}
    return sorted({stratum.partition(": ")[0] for stratum in strata})


def _beside_ours(
    lake: Lake, audits: Iterable[QuestionAudit], items: Items
) -> Iterator[Sequence[str]]:
    questions = cache(partial(questions_of, lake))
    for audit in audits:
        item, (release, suite) = items[audit.question_item_id]
        asked = questions(release, suite).get(item.qa_pair_id)
        if asked is None:
            raise SheetError(
                f"release {release} no longer has the question {item.question_item_id}; draw again "
                "with `tenkbench audit questions`"
            )
        meanings = load_suite(suite).page.asked
        kinds = sorted(
            _kinds(items, item.question_item_id), key=lambda kind: [*meanings, kind].index(kind)
        )
        described = "\n".join(f"{kind}: {meanings.get(kind, 'not described')}" for kind in kinds)
        shown = (item.question_item_id, asked.query, audit.answer, asked.answer, described)
        yield (*shown, "", "", "", audit.auditor)


def _store(lake: Lake, audits: Iterable[QuestionAudit], items: Items) -> Counter[str]:
    by_step: dict[Step, list[QuestionAudit]] = {}
    for audit in audits:
        place = items[audit.question_item_id][1]
        by_step.setdefault(step_of(place, "answered", audit.auditor), []).append(audit)
    counts = Counter[str]()
    for step, rows in by_step.items():
        counts += merge(lake, step, QuestionAudit, rows, attrgetter("question_audit_id"))
    return counts


def _context(text: str) -> str:
    blocks = (
        block
        if _TABLE.fullmatch(block)
        else f'<p style="white-space: pre-wrap">{html.escape(block)}</p>'
        for block in text.split("\n\n")
    )
    return "\n".join(blocks)
