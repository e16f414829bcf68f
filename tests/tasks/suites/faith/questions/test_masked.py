"""Pairs of hidden figures are conserved, answerable and repeatable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tasks.core.ids import sha256_hex
from tasks.core.rows import Context, QAPair, Reject
from tasks.filings.reader.filing import ParsedFiling
from tasks.inference.operation import Call
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.questions.masked import (
    NO_PROOF,
    NOT_DRAWN,
    PANEL_DISAGREES,
    PANEL_SAYS_NO,
    VOTE_NOT_READ,
    write,
)
from tasks.suites.faith.questions.masked_spans import STATED_BESIDE, STATED_TWICE
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.tables.sheets import read_sheets
from tests.masked_filing import masked_filing
from tests.scripted import Scripted
from tests.some import some


def contexts_of(filings: Sequence[ParsedFiling]) -> list[Context]:
    rows = [
        show_tables(parsed.document, parsed.tables, encoding="cl100k_base") for parsed in filings
    ]
    return [row for row in rows if isinstance(row, Context)]


def written(*filings: ParsedFiling, **options: Any) -> list[Any]:
    contexts = contexts_of(filings)
    documents = {parsed.document.document_id: parsed.document for parsed in filings}
    return list(write(contexts, documents, **({"seed": 7, "pairs": None} | options)))


def of(rows: list[Any], kind: type) -> list[Any]:
    return [row for row in rows if isinstance(row, kind)]


def panel(*verdicts: str | None) -> list[Scripted]:
    """Models that reply the same to every span: a verdict, something unreadable, or nothing."""

    def saying(verdict: str | None) -> str | None:
        return (
            verdict
            if verdict in (None, "nonsense")
            else json.dumps({"reasoning": "so", "verdict": verdict})
        )

    return [
        Scripted(lambda call, verdict=verdict: saying(verdict), model=f"model-{place}")
        for place, verdict in enumerate(verdicts)
    ]


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    return written(masked_filing())


def assert_conserved(rows: list[Any]) -> None:
    """Check that every span is a pair's or a reject's, and everything else names one."""
    spans = {span.span_id: span for span in of(rows, MaskedSpan)}
    pairs = {pair.qa_pair_id for pair in of(rows, QAPair)}
    rejected = Counter(reject.parent_id for reject in of(rows, Reject))
    assert pairs == {span.qa_pair_id for span in spans.values()} - {None}
    assert rejected == Counter(span.span_id for span in spans.values() if span.qa_pair_id is None)
    assert {row.span_id for row in rows if isinstance(row, Derivation | Vote)} <= spans.keys()


def test_proved_figure_makes_a_pair_with_its_proof(rows):
    assert_conserved(rows)
    span = next(span for span in of(rows, MaskedSpan) if span.masked_text == "$3,900 thousand")
    pair = next(pair for pair in of(rows, QAPair) if pair.qa_pair_id == span.qa_pair_id)
    proof = next(
        row for row in of(rows, Derivation) if row.span_id == span.span_id and row.place == 0
    )
    assert pair.answer == span.truth == "$3,900 thousand"
    assert (pair.task, span.mask_type) == ("mask", "A")
    assert (proof.operation, proof.operands[0].text) == ("lookup", "$3,900")
    traits = {"scenario": proof.scenario, "mask_type": "A", "unit": "money", "tables": "1-5"}
    assert pair.traits == traits
    assert proof.scenario == "direct lookup"


def test_operands_are_cells_of_the_context_and_citations_quote_the_document(rows):
    parsed = masked_filing()
    (context,) = contexts_of([parsed])
    sheets = {sheet.index: sheet for sheet in read_sheets(context.text)}
    for derivation in some(of(rows, Derivation)):
        for operand in derivation.operands:
            assert sheets[operand.table_index].cells[operand.row][operand.column] == operand.text
    for pair in some(of(rows, QAPair)):
        (citation,) = pair.citations
        assert parsed.document.text[citation.start_char : citation.end_char] == citation.quote
        assert pair.citation_text == citation.quote


def test_rejects_other_figures_with_the_reason(rows):
    reasons = {reject.detail.partition(":")[0]: reject.reason for reject in of(rows, Reject)}
    assert reasons["23%"] == NO_PROOF
    assert reasons["26.6%"] == STATED_TWICE
    assert reasons["$617 thousand"] == STATED_BESIDE


def test_unanimous_panel_replaces_a_proof_and_every_vote_is_kept():
    agreed = written(masked_filing(), panel=panel("answerable", "answerable", "answerable"))
    assert_conserved(agreed)
    span = next(span for span in of(agreed, MaskedSpan) if span.masked_text == "23%")
    pair = next(pair for pair in of(agreed, QAPair) if pair.qa_pair_id == span.qa_pair_id)
    assert span.mask_type is None
    assert pair.traits == {"scenario": "no derivation", "unit": "percent", "tables": "1-5"}
    votes = [vote for vote in of(agreed, Vote) if vote.span_id == span.span_id]
    assert [(vote.model, vote.is_answerable, vote.rationale) for vote in votes] == [
        (f"model-{place}", True, '{"reasoning": "so", "verdict": "answerable"}')
        for place in range(3)
    ]
    # the panel is asked about what is proved, too, and not about what its words give away
    asked = {vote.span_id for vote in of(agreed, Vote)}
    proved = {row.span_id for row in of(agreed, Derivation)}
    given_away = {
        r.parent_id for r in of(agreed, Reject) if r.reason in (STATED_TWICE, STATED_BESIDE)
    }
    assert proved <= asked
    assert not given_away & asked


@pytest.mark.parametrize(
    ("first", "last", "reason"),
    [
        ("answerable", "unanswerable", PANEL_DISAGREES),
        ("answerable", "nonsense", VOTE_NOT_READ),
        ("nonsense", "nonsense", VOTE_NOT_READ),
        ("unanswerable", "nonsense", PANEL_SAYS_NO),
    ],
)
def test_divided_panel_replaces_no_proof(first, last, reason):
    divided = written(masked_filing(), panel=panel(first, first, last))
    assert_conserved(divided)
    reject = next(reject for reject in of(divided, Reject) if reject.detail.startswith("23%"))
    assert reject.reason == reason
    votes = [vote for vote in of(divided, Vote) if vote.model == "model-2"]
    assert votes
    for vote in votes:
        assert (
            (vote.is_answerable is None)
            == (vote.unread_reason is not None)
            == (last != "unanswerable")
        )


def test_refuses_a_panel_of_one_or_two():
    with pytest.raises(ValueError, match="3 models or more, not 2"):
        written(masked_filing(), panel=panel("answerable", "answerable"))


def is_restorable(call: Call) -> str:
    """Vote on a figure by a hash, one yes in two."""
    is_yes = int(sha256_hex(call.inputs()["passage"])[:8], 16) % 2
    return json.dumps({"reasoning": "so", "verdict": "answerable" if is_yes else "unanswerable"})


@pytest.mark.parametrize("pairs", [1, 2, 3, 100])
def test_a_panel_is_asked_in_drawn_order_until_there_are_enough(pairs: int) -> None:
    def voters() -> list[Scripted]:
        return [Scripted(is_restorable, model=f"model-{place}") for place in range(3)]

    every = written(masked_filing(), panel=voters())
    able = {pair.qa_pair_id for pair in of(every, QAPair)}
    drawn = written(masked_filing(), panel=voters(), pairs=pairs)
    assert_conserved(drawn)
    assert written(masked_filing(), panel=voters(), pairs=pairs) == drawn
    assert len(of(drawn, QAPair)) == min(pairs, len(able))
    assert {pair.qa_pair_id for pair in of(drawn, QAPair)} <= able
    asked = {vote.span_id for vote in of(drawn, Vote)}
    not_drawn = {r.parent_id for r in of(drawn, Reject) if r.reason == NOT_DRAWN}
    unasked = {vote.span_id for vote in of(every, Vote)} - asked
    assert unasked <= not_drawn
    assert bool(unasked) is (len(of(drawn, QAPair)) == pairs)
    assert {s.span_id for s in of(drawn, MaskedSpan) if s.qa_pair_id} <= asked


def test_pairs_of_real_filings_are_kept_or_rejected_and_the_same_each_time(real_filings):
    few = [each for each in real_filings if each.filing.source_uri.startswith(("carbo", "nvidia"))]
    rows = written(*few)
    assert_conserved(rows)
    assert len(of(rows, QAPair)) >= 30
    assert {span.unit for span in of(rows, MaskedSpan) if span.qa_pair_id} >= {"money", "percent"}
    assert set(written(few[1])) < set(rows)
