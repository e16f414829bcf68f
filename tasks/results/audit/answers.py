"""Judged answers for people to rate: a stratified draw, and the import of their ratings.

A draw takes answers from every stratum, so that people also see rare verdicts. Each drawn answer
stands for as many answers as its stratum has per drawn answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.core.ids import sha256_hex, stable_id
from tasks.core.rows import Audit, AuditItem, Field
from tasks.inference.operation import cut_inputs
from tasks.lake.lake import Lake, Step
from tasks.results.audit.sheet import read_filled
from tasks.results.audit.store import CannotDraw, Draw, Imported, drawn, store, take_turns
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import open_warehouse

COLUMNS = (
    *("id", "question", "citation", "reference", "answer", "rubric"),
    *("rating", "note", "auditor"),
)
_RATED = ("id", "rating", "note", "auditor")
_RATING = re.compile(r"([1-6])(?:[.,]0+)?")  # a spreadsheet may write 4.0

# The prompts that judges saw.
_PROMPTS = """
select
    requests.request_id,
    any_value(prefixes.text) || requests.suffix as prompt,
    requests.fields
from raw.requests as requests
inner join raw.prefixes as prefixes using (suite, prefix_id)
where requests.suite = $suite and list_contains($wanted, requests.request_id)
group by requests.request_id, requests.suffix, requests.fields
"""
# Every rated answer, with the columns that define strata.
_JUDGED = """
select
    judgements.judge,
    judgements.judgement_id,
    judgements.request_id,
    judgements.judge_request_id,
    macros.rubric(cases.variant, cases.is_answerable),
    cases.variant,
    macros.is_compliant(judgements.rating),
    sha256(responses.text),
    [citation.quote for citation in qa_pairs.citations]
from staging.judgements as judgements
inner join raw.cases as cases using (suite, case_id)
inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
inner join raw.responses as responses using (suite, request_id)
where judgements.suite = $suite and judgements.rating is not null
order by judgements.judgement_id
"""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One rated answer, with the values that define its stratum."""

    judgement_id: str
    request_id: str
    judge_request_id: str
    rubric: str
    variant: str
    is_compliant: bool
    answer_sha256: str
    quotes: Sequence[str]  # the pair's citations; empty if a published dataset only has their text


def draw_answers(
    lake: Lake, release: str, suite: str, judge: str | None, n: int, seed: int
) -> Draw:
    """Draw n rated answers, or all if there are fewer; the sheet's order shows no stratum.

    Args:
        judge: whose ratings define the strata. Optional if the release has only one judge.

    Raises:
        UnknownSuite: no suite has this name.
        CannotDraw: the judge rated nothing in this release, or it has several judges and none is
            named.
        WrongUsage: no judge of the suite gives ratings, or n is smaller than the number of strata.
    """
    with_ratings = [name for name in SUITES if _is_rated(name)]
    if not _is_rated(suite):
        raise WrongUsage(
            f"judges of {suite} give no ratings, so people have none to check. Audit another "
            f"suite: --suite {', '.join(with_ratings)}"
        )
    with open_warehouse(lake.files(release), asked=f"{_JUDGED};{_PROMPTS}") as warehouse:
        strata = stratified(_judged_answers(warehouse, lake, release, suite, judge), n, seed)
        taken = take_turns(strata, n)
        answers = [(answer, name) for name in strata for answer in taken[name]]
        wanted = [answer.judge_request_id for answer, _ in answers]
        prompts = _prompts(warehouse, suite, wanted)
    facts = sorted(
        (answer.request_id, answer.answer_sha256, name, len(strata[name]), len(taken[name]))
        for answer, name in answers
    )
    draw_id = stable_id("draw", release, suite, judge, seed, facts)
    rows = []
    for answer, name in answers:
        item = AuditItem(
            audit_item_id=stable_id("audit", draw_id, answer.request_id),
            draw_id=draw_id,
            judgement_id=answer.judgement_id,
            request_id=answer.request_id,
            answer_sha256=answer.answer_sha256,
            rubric=answer.rubric,
            stratum=name,
            n_stratum=len(strata[name]),
            n_drawn=len(taken[name]),
        )
        rows.append((item, _cells(item, answer, prompts[answer.judge_request_id])))
    rows.sort(key=lambda row: row[0].audit_item_id)  # a hash: shows neither stratum nor model
    step = Step(release, f"{suite}.audit.drawn.{draw_id}")
    parameters = {"judge": judge, "n": n, "seed": seed}
    items, cells = (tuple(column) for column in zip(*rows, strict=True))
    return Draw(step, {"parameters": parameters, "inputs": {}}, COLUMNS, items, cells)


def import_ratings(lake: Lake, file: Path) -> Imported:
    """Import a sheet's ratings into the releases of its drawn answers.

    Raises:
        SheetError: see `read_filled`, or nothing was ever drawn from this lake.
        ConcurrentChange: another import of the same auditor's ratings interfered. Import again.
    """
    items = drawn(lake, "drawn", AuditItem, "export")
    rows, empty, problems = read_filled(file, _RATED, ("rating", "note"), items)
    audits: dict[str, Audit] = {}
    for where, cells in rows:
        rating = _RATING.fullmatch(cells["rating"])
        if rating is None:
            problems.append(
                f"{where}: the rating {cells['rating']!r} is not a whole number from 1 to 6"
            )
            continue
        audit = Audit(
            audit_id=stable_id("rating", cells["id"], cells["auditor"]),
            audit_item_id=cells["id"],
            auditor=cells["auditor"],
            rating=int(rating[1]),
            note=cells["note"] or None,
        )
        if audits.setdefault(audit.audit_id, audit) != audit:
            problems.append(
                f"{where}: {audit.auditor} rated this answer differently in a row above, which was "
                "imported; keep one of the two"
            )
    place_of = {audit: items[audit.audit_item_id][1] for audit in audits.values()}
    store(lake, "rated", place_of)
    return Imported(len(audits), len(empty), tuple(problems), frozenset(place_of.values()))


def stratified(answers: Sequence[JudgedAnswer], n: int, seed: int) -> dict[str, list[JudgedAnswer]]:
    """Group the answers, shuffled by the seed, by variant and verdict.

    Raises:
        WrongUsage: n is smaller than the number of strata.
    """
    shuffled = sorted(answers, key=lambda answer: sha256_hex(f"{seed}:{answer.request_id}"))
    strata: dict[str, list[JudgedAnswer]] = {}
    for answer in shuffled:
        verdict = "compliant" if answer.is_compliant else "not compliant"
        strata.setdefault(f"{answer.variant}, {verdict}", []).append(answer)
    if n < len(strata):
        raise WrongUsage(
            f"--n {n} is too small: draw at least one answer from each of {len(strata)} strata "
            "(variant, compliant or not)"
        )
    return dict(sorted(strata.items()))


def _is_rated(suite: str) -> bool:
    """Whether a judge of the suite gives ratings; attacks are rated, too."""
    return any(judge.attacks is not None for judge in load_suite(suite).judges.values())


def _cells(item: AuditItem, answer: JudgedAnswer, inputs: dict[str, str]) -> tuple[str, ...]:
    """Return the sheet's row: what the judge saw, of the citations their quotes if known."""
    citation = "\n\n".join(answer.quotes) or inputs["citation"]
    shown = (inputs["query"], citation, inputs["reference"], inputs["answer"], inputs["rubric"])
    return (item.audit_item_id, *shown, "", "", "")


def _judged_answers(
    warehouse: Any, lake: Lake, release: str, suite: str, judge: str | None
) -> list[JudgedAnswer]:
    rows = warehouse.execute(_JUDGED, {"suite": suite}).fetchall()
    judges = sorted({row[0] for row in rows})
    if not judges:
        raise CannotDraw(
            f"release {release} in {lake.url} has no rated answers of {suite}; `tenkbench judge` "
            "makes them"
        )
    if judge is None and len(judges) > 1:
        raise CannotDraw(
            f"release {release} has several judges; choose one with --judge: {', '.join(judges)}"
        )
    if judge is not None and judge not in judges:
        raise CannotDraw(
            f"no judge {judge!r} has rated answers in release {release}; --judge takes "
            f"{', '.join(judges)}"
        )
    return [JudgedAnswer(*row[1:]) for row in rows if row[0] == (judge or judges[0])]


def _prompts(warehouse: Any, suite: str, request_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Map each judge request to the inputs that the judge saw."""
    rows = warehouse.execute(_PROMPTS, {"suite": suite, "wanted": list(request_ids)}).fetchall()
    return {
        request_id: cut_inputs(prompt, [Field(**field) for field in fields])
        for request_id, prompt, fields in rows
    }
