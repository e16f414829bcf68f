"""A lake that holds together: one filing, one pair, its cases, their answers and judgements.

`add_masked` adds FAITH's rows: one figure is asked for, with its proof and votes; one is not.
"""

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
    Reject,
    Request,
    Response,
)
from tasks.suites.faith.maskable import traits_of
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.tables.operand import Operand
from tests.filled import filled
from tests.sql.conftest import HandmadeLake, answered, bought

# Offsets count code points, not bytes or graphemes: hence astral characters, combining accents and
# a cent sign.
TEXT = "Item 1. Café 😀 é\n\nRevenue was 5¢ in 2017 😀. It rose.\n\nItem 2. Land"
QUOTE = "Revenue was 5¢ in 2017 😀."
SECOND, THIRD = TEXT.index("Revenue"), TEXT.index("Item 2")  # paragraphs
OPERAND = Operand(table_index=0, row=1, column=1, text="5¢", value="0.05")
CITED = Citation(start_char=SECOND, end_char=SECOND + len(QUOTE), quote=QUOTE)

TYPO = {"kind": "typo", "start": 5, "end": 12, "before": "was", "after": "😀😀😀 wsa"}
SWAP = {"kind": "typo", "start": 13, "end": 20, "before": "revenue", "after": "revneue"}
SAME = {"same_answer": {"verdict": "same"}}
CHANGED = {
    "misspelled": {"query": "What 😀😀😀 wsa revneue?", "details": {"edits": [TYPO, SWAP]}},
    "incomplete": {"query": "revenue?", "details": {"dropped": ["period"], **SAME}},
    "out_of_domain": {"query": "How much did they sell?", "details": SAME},
    "ocr": {"context_id": "scan", "details": {}},
    "irrelevant_context": {"query": "Who audits the moon?", "details": {}},
}


def item(name: str, start: int, end: int) -> Item:
    return Item(item=name, title="", start_char=start, end_char=end)


def fill(lake: HandmadeLake) -> HandmadeLake:
    """One filing, one pair, seven cases answered by rules, judged by one judge; two model calls."""
    add_filing(lake)
    lake.add_pair("p")
    lake.change(lake.only(QAPair), citations=(CITED,))
    for variant, changes in CHANGED.items():
        details = json.dumps(changes["details"])
        lake.change(lake.only(Case, variant=variant), **changes | {"details": details})
    lake.add(Prefix(prefix_id="prefix", text="Answer.", n_tokens=2))
    for case in lake.of(Case):
        lake.add(*answered(case))
        lake.judge("p", {case.variant: None if case.variant == "ocr" else 5})
    lake.add(Prefix(prefix_id="shared", text="Rate.", n_tokens=2))
    for call in (
        bought("primer", operation="prime", subject_id="shared"),
        bought("first"),
        bought("second", subject_id="q"),
        bought("third", key="key of second"),
        bought("repair", repairs="first", text="better"),
    ):
        lake.add(*call)
    put_judge_on_trial(lake)
    return lake


def add_filing(lake: HandmadeLake) -> None:
    """A filing, its document and table, and two contexts of it."""
    spans = ((0, SECOND - 2, 3), (SECOND, THIRD - 2, 5), (THIRD, len(TEXT), 4))
    document = filled(
        Document,
        document_id="document",
        filing_id="filing",
        text=TEXT,
        n_tokens=12,
        # one heading for two Items
        items=(item("1", 0, THIRD), item("1A", 0, THIRD), item("2", THIRD, len(TEXT))),
        paragraphs=tuple(
            Paragraph(start_char=start, end_char=end, n_tokens=n) for start, end, n in spans
        ),
    )
    table = filled(
        FilingTable,
        table_id="table",
        document_id="document",
        item="1",
        cells=(("a", "b"),),
        start_char=SECOND,
        end_char=THIRD - 2,
    )
    lake.add(filled(Filing, filing_id="filing", form="10-K"), document, table, suite=None)
    clean = filled(
        Context,
        context_id="context of p",
        document_ids=("document",),
        kind="truncated",
        text=TEXT[SECOND:],
        n_tokens=9,
        start_char=SECOND,
        details='{"limit": 9}',
    )
    lake.add(clean, replace(clean, context_id="scan", kind="ocr", text="Revcnue", details="{}"))


def put_judge_on_trial(lake: HandmadeLake) -> None:
    """Judge the baseline's answer twice and an attack once, and audit answers and a question.

    Two of three answers are drawn; a human rates one of them.
    """
    for name in ("verdict", "second verdict"):
        asked = {"operation": "judge_answerable", "subject_id": "p.baseline m"}
        lake.add(*bought(name, prefix_id="prefix", **asked))
    judgement = lake.only(Judgement, case_id="p.baseline")
    judged = replace(judgement, judge_request_id="verdict")
    lake.swap(judgement, judged)
    verdict = {"rating": 4, "judge_request_id": "second verdict"}
    lake.add(replace(judged, judgement_id="again", repeat=1, **verdict))
    lake.add(filled(AttackVerdict, attack_verdict_id="verdict", judge="j", **verdict))
    of_stratum = {"draw_id": "draw", "stratum": "all", "n_stratum": 3, "n_drawn": 2}
    of_answer = {"judgement_id": judged.judgement_id, "request_id": judged.request_id}
    for name in ("drawn", "drawn too"):
        lake.add(filled(AuditItem, audit_item_id=name, **of_answer, **of_stratum))
    lake.add(Audit(audit_id="audit", audit_item_id="drawn", auditor="ann", rating=5, note=None))
    of_question = {"question_item_id": "question"}
    lake.add(
        filled(QuestionItem, **of_question, qa_pair_id="p", n_stratum=1, n_drawn=1),
        filled(QuestionAudit, question_audit_id="answer", **of_question, auditor="ann"),
    )


# --- FAITH -----------------------------------------------------------------------------------


def add_masked(lake: HandmadeLake) -> None:
    """Add two figures of one sentence.

    `5¢` is a pair, found in the table and by a panel of three; `2017` is a reject.
    """
    context = filled(
        Context,
        context_id="tables",
        document_ids=("document",),
        kind="tables",
        text="### Table 0: \n,2017\nRevenue,5¢",
        details=json.dumps({"table_ids": ["table"]}),
    )
    asked = {"qa_pair_id": "masked", "context_id": "tables"}
    asked["query"] = f"{QUOTE.replace('5¢', '[MASK]')}\nIt rose."
    traits = traits_of("A", "money")
    cited = {"citations": (CITED,), "citation_text": QUOTE}
    pair = QAPair(**asked, **cited, answer="5¢", task="mask", traits=traits)
    case = filled(
        Case,
        **asked,
        case_id="masked.baseline",
        suite="faith",
        variant="baseline",
        target="5¢",
        is_answerable=True,
    )
    derivation = filled(
        Derivation,
        derivation_id="derivation",
        span_id="span",
        operation="lookup",
        operands=(OPERAND,),
        value="0.05",
        score=0.9,
    )
    reject = filled(Reject, reject_id="no", stage="qa_pairs", parent_id="other", reason="no proof")
    spans = masked_span("span", "5¢", "masked"), masked_span("other", "2017", None)
    lake.add(context, pair, case, *spans, derivation, reject, suite="faith")
    start = TEXT.index(QUOTE)
    items = (item("1", 0, start), item("7", start, THIRD), item("2", THIRD, len(TEXT)))
    lake.change(lake.only(Document), items=items)
    lake.change(lake.only(FilingTable), item="7", cells=(("", "2017"), ("Revenue", "5¢")))
    lake.add(Prefix(prefix_id="panel", text="Vote.", n_tokens=2), suite="faith")
    for model in ("one", "two", "three"):
        add_vote(lake, model)


def add_vote(lake: HandmadeLake, model: str) -> None:
    """Have a model vote that the figure which is asked for can be restored."""
    name = f"vote of {model}"
    call = {"operation": "answerability", "subject_id": "span", "model": model}
    request = replace(lake.only(Request, request_id="first"), request_id=name, **call)
    response = replace(lake.only(Response, request_id="first"), request_id=name)
    voted = {"vote_id": name, "span_id": "span", "model": model, "request_id": name}
    vote = filled(Vote, **voted, is_answerable=True, is_reached=True, mask_type="A")
    request = replace(request, prefix_id="panel", key=f"key of {name}")
    lake.add(request, response, vote, suite="faith")


def masked_span(span_id: str, text: str, qa_pair_id: str | None) -> MaskedSpan:
    """One figure of the sentence; what is asked for is money, and what is not, a count."""
    start = QUOTE.index(text)
    return filled(
        MaskedSpan,
        span_id=span_id,
        qa_pair_id=qa_pair_id,
        document_id="document",
        context_id="tables",
        sentence=QUOTE,
        post_sentence="It rose.",
        start_char=start,
        end_char=start + len(text),
        sentence_start_char=TEXT.index(QUOTE),
        masked_text=text,
        truth=text,
        unit="money" if qa_pair_id else "count",
        mask_type="A" if qa_pair_id else None,
    )
