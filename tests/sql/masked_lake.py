"""FAITH's rows over the filing of `tests.sql.sound_lake`.

One figure is asked for, with its proof and votes; one is not.
"""

from __future__ import annotations

import json
from dataclasses import replace

from tasks.core.rows import (
    Case,
    Citation,
    Context,
    Document,
    FilingTable,
    Item,
    Prefix,
    QAPair,
    Reject,
    Request,
    Response,
)
from tasks.suites.faith.masking import traits_of
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.tables.operand import Operand
from tests.sql.sound_lake import QUOTE, TEXT, only


def add_masked(lake) -> None:
    """Add two figures of one sentence.

    `5¢` is a pair, found in the table and by a panel of three; `2017` is a reject.
    """
    context = Context(
        context_id="tables",
        document_ids=("document",),
        kind="tables",
        text="### Table 0: \n,2017\nRevenue,5¢",
        n_tokens=5,
        encoding="cl100k_base",
        start_char=0,
        details=json.dumps({"table_ids": ["table"]}),
    )
    cited = Citation(
        start_char=TEXT.index(QUOTE), end_char=TEXT.index(QUOTE) + len(QUOTE), quote=QUOTE
    )
    pair = QAPair(
        qa_pair_id="masked",
        context_id="tables",
        query=f"{QUOTE.replace('5¢', '[MASK]')}\nIt rose.",
        answer="5¢",
        task="mask",
        citations=(cited,),
        citation_text=QUOTE,
        traits=traits_of("direct lookup", "A", "money", n_tables=1),
    )
    case = Case(
        case_id="masked.baseline",
        qa_pair_id="masked",
        suite="faith",
        variant="baseline",
        query=pair.query,
        context_id="tables",
        target="5¢",
        is_answerable=True,
    )
    derivation = Derivation(
        derivation_id="derivation",
        span_id="span",
        place=0,
        operation="lookup",
        scenario="direct lookup",
        operands=(Operand(table_index=0, row=1, column=1, text="5¢", value="0.05"),),
        value="0.05",
        score=0.9,
    )
    reject = Reject(
        reject_id="no", stage="qa_pairs", parent_id="other", reason="no proof", detail="2017"
    )
    lake.add(
        context,
        pair,
        case,
        masked_span("span", "5¢", "masked"),
        masked_span("other", "2017", None),
        suite="faith",
    )
    lake.add(derivation, reject, suite="faith")
    document = only(lake, Document)
    start, end = TEXT.index(QUOTE), TEXT.index("Item 2")
    items = tuple(
        Item(item=name, title="", start_char=start_char, end_char=end_char)
        for name, start_char, end_char in (
            ("1", 0, start),
            ("7", start, end),
            ("2", end, len(TEXT)),
        )
    )
    lake.swap(document, replace(document, items=items))
    table = only(lake, FilingTable)
    lake.swap(table, replace(table, item="7", cells=(("", "2017"), ("Revenue", "5¢"))))
    lake.add(Prefix(prefix_id="panel", text="Vote.", n_tokens=2), suite="faith")
    (request,) = (row for row in lake.of(Request) if row.request_id == "first")
    (response,) = (row for row in lake.of(Response) if row.request_id == "first")
    for model in ("one", "two", "three"):
        name = f"vote of {model}"
        asked = {
            "operation": "answerability",
            "subject_id": "span",
            "model": model,
            "prefix_id": "panel",
        }
        lake.add(replace(request, request_id=name, key=f"key of {name}", **asked), suite="faith")
        lake.add(replace(response, request_id=name), vote(model), suite="faith")


def vote(model: str) -> Vote:
    """A model's vote that the figure which is asked for can be restored."""
    return Vote(
        vote_id=f"vote of {model}",
        span_id="span",
        model=model,
        is_answerable=True,
        unread_reason=None,
        rationale=None,
        request_id=f"vote of {model}",
    )


def masked_span(span_id: str, text: str, qa_pair_id: str | None) -> MaskedSpan:
    """One figure of the sentence; what is asked for is money, and what is not, a count."""
    start = QUOTE.index(text)
    return MaskedSpan(
        span_id=span_id,
        qa_pair_id=qa_pair_id,
        document_id="document",
        context_id="tables",
        sentence=QUOTE,
        pre_sentence="",
        post_sentence="It rose.",
        start_char=start,
        end_char=start + len(text),
        sentence_start_char=TEXT.index(QUOTE),
        masked_text=text,
        truth=text,
        unit="money" if qa_pair_id else "count",
        mask_type="A" if qa_pair_id else None,
        uid=None,
    )
