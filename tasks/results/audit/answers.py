"""Judged answers for people to rate: a stratified draw, and the import of their ratings.

A draw takes answers from every stratum, so that people also see rare verdicts. Each drawn answer
stands for as many answers as its stratum has per drawn answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.core.ids import stable_id
from tasks.core.rows import Audit, AuditItem, Field
from tasks.inference.operation import cut_inputs
from tasks.lake.lake import Lake
from tasks.results.audit.sheet import SIZES, AuditSheet, Cells, draw, hand_out
from tasks.results.opened import narrowed
from tasks.warehouse.connection import open_warehouse

_RATING = {f"{n}{end}": n for n in range(1, 7) for end in ("", ".0", ",0")}  # as spreadsheets write

# Every answer that the judge has rated, by variant and verdict, with the prompt that it saw.
_JUDGED = """
    select
        judgements.request_id as id,
        '' as kind,
        cases.variant || ', ' || if(macros.is_compliant(judgements.rating), '', 'not ')
            || 'compliant' as stratum,
        false as is_spare,
        judgements.judge,
        judgements.judgement_id,
        macros.rubric(cases.variant, cases.is_answerable) as rubric,
        sha256(responses.text) as answer_sha256,
        [citation.quote for citation in qa_pairs.citations] as quotes,
        prefixes.text || requests.suffix as prompt,
        requests.fields
    from staging.judgements as judgements
    inner join raw.cases as cases using (suite, case_id)
    inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
    inner join raw.responses as responses using (suite, request_id)
    inner join raw.requests as requests
        on judgements.suite = requests.suite and judgements.judge_request_id = requests.request_id
    inner join (select suite, prefix_id, any_value(text) as text from raw.prefixes group by all)
        as prefixes on requests.suite = prefixes.suite and requests.prefix_id = prefixes.prefix_id
    where judgements.suite = $suite and judgements.rating is not null
"""


def draw_answers(
    lake: Lake, file: Path, release: str, suite: str, judge: str | None, n: int, seed: int
) -> list[AuditItem]:
    """Write a sheet of n rated answers, or all if there are fewer; its order shows no stratum.

    Args:
        judge: whose ratings define the strata. Optional if the release has only one judge.

    Raises:
        WrongUsage: it has several judges and none is named, or not the named one.
        WrongUsage: n is smaller than the number of strata.
        RunFailed: nothing is rated in this release; or the file exists, or cannot be written.
    """
    with open_warehouse(lake.files(release), query=_JUDGED) as warehouse:
        named = warehouse.execute(f"select distinct judge from ({_JUDGED})", {"suite": suite})
        judges = [name for (name,) in named.fetchall()]
        if not judges:
            raise RunFailed(
                f"release {release} in {lake.url} has no answers of {suite} that a judge has rated "
                "from 1 to 6; `tenkbench judge` makes them, if the suite has such a judge"
            )
        (by,) = narrowed(judges, "judge", judge, str, f"the ratings of release {release}")
        quoted = by.replace("'", "''")
        rows = draw(warehouse, f"{_JUDGED} and judgements.judge = '{quoted}'", suite, n, seed)
    facts = sorted([row[column] for column in ("id", "answer_sha256", *SIZES)] for row in rows)
    draw_id = stable_id("draw", release, suite, judge, seed, facts)
    cells = {}
    for row in rows:
        inputs = cut_inputs(row["prompt"], [Field(**field) for field in row["fields"]])
        item = AuditItem(
            audit_item_id=stable_id("audit", draw_id, row["id"]),
            draw_id=draw_id,
            judgement_id=row["judgement_id"],
            request_id=row["id"],
            answer_sha256=row["answer_sha256"],
            rubric=row["rubric"],
            **{name: row[name] for name in SIZES},
        )
        # what the judge saw; of the citations their quotes if known
        inputs |= {"citation": "\n\n".join(row["quotes"]) or inputs["citation"]}
        shown = (inputs[name] for name in ("query", "citation", "reference", "answer", "rubric"))
        cells[item] = (item.audit_item_id, *shown, "", "", "")
    hand_out(lake, file, RATINGS, (release, suite), cells)
    return [*cells]


def _audit(cells: Cells, item: AuditItem, _: Mapping[str, Audit]) -> Audit | str:
    rating = _RATING.get(cells["rating"])
    if rating is None:
        return f"the rating {cells['rating']!r} is not a whole number from 1 to 6"
    return Audit(
        audit_id=stable_id("rating", item.audit_item_id, cells["auditor"]),
        audit_item_id=item.audit_item_id,
        auditor=cells["auditor"],
        rating=rating,
        note=cells["note"] or None,
    )


RATINGS = AuditSheet(
    drawn=("drawn", AuditItem),
    stored=("rated", Audit),
    columns=(
        *("id", "question", "citation", "reference", "answer", "rubric"),
        *("rating", "note", "auditor"),
    ),
    filled=("rating", "note"),
    row_of=_audit,
)
