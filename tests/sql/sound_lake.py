"""A lake that holds together: one filing, one pair, its cases, their answers and judgements."""

from __future__ import annotations

import json
from dataclasses import replace

from tasks.core.rows import (
    AttackVerdict,
    Audit,
    AuditItem,
    Case,
    Citation,
    Context,
    Document,
    Filing,
    FilingTable,
    Item,
    Judgement,
    Paragraph,
    Prefix,
    QAPair,
    QuestionAudit,
    QuestionItem,
)

# Offsets count code points, not bytes or graphemes: hence astral characters, combining accents and
# a cent sign.
TEXT = "Item 1. Café 😀 é\n\nRevenue was 5¢ in 2017 😀. It rose.\n\nItem 2. Land"
QUOTE = "Revenue was 5¢ in 2017 😀."


def only(lake, row_type):
    (row,) = lake.of(row_type)
    return row


def case_of(lake, variant: str) -> Case:
    (case,) = (case for case in lake.of(Case) if case.variant == variant)
    return case


def fill(lake, answered, bought):
    """One filing, one pair, seven cases answered by rules, judged by one judge; two model calls."""
    second, third = TEXT.index("Revenue"), TEXT.index("Item 2")
    lake.add(
        Filing(
            filing_id="filing",
            cik=None,
            company=None,
            sic=None,
            form="10-K",
            period_end=None,
            filed_date=None,
            format="text",
            source_uri="a.txt",
            sha256="",
            n_bytes=1,
        ),
        Document(
            document_id="document",
            filing_id="filing",
            text=TEXT,
            n_tokens=12,
            encoding="cl100k_base",
            items=(
                Item(item="1", title="", start_char=0, end_char=third),
                Item(
                    item="1A", title="", start_char=0, end_char=third
                ),  # one heading for two Items
                Item(item="2", title="Land", start_char=third, end_char=len(TEXT)),
            ),
            paragraphs=(
                Paragraph(start_char=0, end_char=second - 2, n_tokens=3),
                Paragraph(start_char=second, end_char=third - 2, n_tokens=5),
                Paragraph(start_char=third, end_char=len(TEXT), n_tokens=4),
            ),
        ),
        FilingTable(
            table_id="table",
            document_id="document",
            item="1",
            table_index=0,
            pre_text="",
            cells=(("a", "b"),),
            html=None,
            scale=None,
            start_char=second,
            end_char=third - 2,
        ),
        suite=None,
    )
    lake.add_pair("p")
    start = TEXT.index(QUOTE)
    pair = only(lake, QAPair)
    citation = Citation(start_char=start, end_char=start + len(QUOTE), quote=QUOTE)
    lake.swap(pair, replace(pair, citations=(citation,)))
    clean = Context(
        context_id="context of p",
        document_ids=("document",),
        kind="truncated",
        text=TEXT[second:],
        n_tokens=9,
        encoding="cl100k_base",
        start_char=second,
        details=json.dumps({"limit": 9}),
    )
    lake.add(clean, replace(clean, context_id="scan", kind="ocr", text="Revcnue", details="{}"))
    edits = [
        {"kind": "typo", "start": 5, "end": 12, "before": "was", "after": "😀😀😀 wsa"},
        {"kind": "typo", "start": 13, "end": 20, "before": "revenue", "after": "revneue"},
    ]
    for variant, changes in {
        "misspelled": {
            "query": "What 😀😀😀 wsa revneue?",
            "details": json.dumps({"edits": edits}),
        },
        "incomplete": {
            "query": "revenue?",
            "details": json.dumps({"dropped": ["period"], "same_answer": {"verdict": "same"}}),
        },
        "out_of_domain": {
            "query": "How much did they sell?",
            "details": json.dumps({"same_answer": {"verdict": "same"}}),
        },
        "ocr": {"context_id": "scan"},
        "irrelevant_context": {"query": "Who audits the moon?"},
    }.items():
        case = case_of(lake, variant)
        lake.swap(case, replace(case, **changes))
    lake.add(Prefix(prefix_id="prefix", text="Answer.", n_tokens=2))
    for case in lake.of(Case):
        lake.add(*answered(case))
        lake.judge("p", {case.variant: None if case.variant == "ocr" else 5})
    lake.add(Prefix(prefix_id="shared", text="Rate.", n_tokens=2))
    lake.add(*bought("primer", operation="prime", subject_id="shared"))
    lake.add(
        *bought("first"), *bought("second", subject_id="q"), *bought("third", key="key of second")
    )
    lake.add(*bought("repair", repairs="first", text="better"))
    put_judge_on_trial(lake, bought)
    return lake


def put_judge_on_trial(lake, bought) -> None:
    """Judge the baseline's answer twice and an attack once, and audit answers and a question.

    Two of three answers are drawn; a human rates one of them.
    """
    for name in ("verdict", "second verdict"):
        lake.add(
            *bought(
                name, operation="judge_answerable", subject_id="p.baseline m", prefix_id="prefix"
            )
        )
    judgement = next(row for row in lake.of(Judgement) if row.case_id == "p.baseline")
    judged = replace(judgement, judge_request_id="verdict")
    lake.swap(judgement, judged)
    verdict = {
        "rating": 4,
        "unscored_reason": None,
        "rationale": "",
        "judge_request_id": "second verdict",
    }
    lake.add(replace(judged, judgement_id="again", repeat=1, **verdict))
    lake.add(
        AttackVerdict(
            attack_verdict_id="verdict",
            attack_id="attack",
            kind="very long",
            rubric="answerable",
            answer="",
            at_least=1,
            at_most=3,
            judge="j",
            **verdict,
        )
    )
    for name in ("drawn", "drawn too"):
        lake.add(
            AuditItem(
                audit_item_id=name,
                draw_id="draw",
                judgement_id=judged.judgement_id,
                request_id=judged.request_id,
                answer_sha256="",
                rubric="answerable",
                stratum="all",
                n_stratum=3,
                n_drawn=2,
            )
        )
    lake.add(Audit(audit_id="audit", audit_item_id="drawn", auditor="ann", rating=5, note=None))
    lake.add(
        QuestionItem(
            question_item_id="question",
            draw_id="draw",
            qa_pair_id="p",
            stratum="qa",
            n_stratum=1,
            n_drawn=1,
        ),
        QuestionAudit(
            question_audit_id="answer",
            question_item_id="question",
            auditor="ann",
            answer="mine",
            sources="",
            answered_at="2026-11-23T12:00:00+00:00",
            agrees=None,
            rated_kind=None,
            note=None,
            rated_at=None,
        ),
    )
