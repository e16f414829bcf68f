"""Pairs of hidden figures are conserved, answerable and repeatable."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tasks.core.rows import Context, QAPair, Reject
from tasks.filings.reader.filing import ParsedFiling
from tasks.inference.operation import Call, ParseError
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.questions.masked import NO_PROOF, NOT_DRAWN, REPEATED, write
from tasks.suites.faith.questions.masked_spans import STATED_BESIDE, STATED_TWICE
from tasks.suites.faith.questions.panel import (
    NOT_REACHED,
    PANEL_DISAGREES,
    PANEL_SAYS_NO,
    VOTE_NOT_READ,
    parse,
)
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.tables.sheets import read_sheets
from tests.masked_filing import masked_filing
from tests.scripted import Scripted
from tests.some import some

GAP = re.compile(r"\[(\d+)[],]")


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


def entry(number: object, verdict: str, answer: str = "no", scenario: str = "D") -> dict[str, Any]:
    """What a model says of one figure."""
    words = {"number": number, "reasoning": "so", "answer": answer}
    return words | {"scenario": scenario, "verdict": verdict}


def panel(*verdicts: str | None, answer: str = "23%", scenarios: str = "CDD") -> list[Scripted]:
    """Models that reply the same of every figure: a verdict, something unreadable, or nothing."""

    def saying(call: Call, verdict: str | None, scenario: str) -> str | None:
        if verdict in (None, "nonsense"):
            return verdict
        numbers = GAP.findall(call.inputs()["passages"])
        return json.dumps({"figures": [entry(n, verdict, answer, scenario) for n in numbers]})

    return [
        Scripted(
            lambda call, verdict=verdict, scenario=scenario: saying(call, verdict, scenario),
            model=f"model-{place}",
        )
        for place, (verdict, scenario) in enumerate(zip(verdicts, scenarios, strict=False))
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
    (proof,) = (row for row in of(rows, Derivation) if row.span_id == span.span_id)
    assert pair.answer == span.truth == "$3,900 thousand"
    assert (pair.task, span.mask_type) == ("mask", "A")
    assert (proof.operation, proof.operands[0].text) == ("lookup", "$3,900")
    assert pair.traits == {"scenario": "direct lookup", "unit": "money"}


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


def test_a_sentence_that_stands_twice_is_asked_once():
    sentence = "Net sales were $4,100 thousand in 2023, compared with $3,900 thousand in 2022."
    rows = written(masked_filing(("Gross profit increased by $30 thousand in 2023.", sentence)))
    assert_conserved(rows)
    assert [reject.reason for reject in of(rows, Reject)].count(REPEATED) == 2


def test_a_panel_that_agrees_and_restores_a_figure_says_its_scenario():
    agreed = written(masked_filing(), panel=panel("answerable", "answerable", "answerable"))
    assert_conserved(agreed)
    (pair,) = of(agreed, QAPair)  # the others are not reached, although one is proved
    (span,) = (span for span in of(agreed, MaskedSpan) if span.qa_pair_id == pair.qa_pair_id)
    assert (span.masked_text, span.mask_type) == ("23%", "D")  # two of three say so
    assert pair.traits == {"scenario": "multivariate", "unit": "percent"}
    votes = [vote for vote in of(agreed, Vote) if vote.span_id == span.span_id]
    assert [(vote.model, vote.answer, vote.is_reached, vote.mask_type) for vote in votes] == [
        (f"model-{place}", "23%", True, letter) for place, letter in enumerate("CDD")
    ]
    reasons = {r.parent_id: r.reason for r in of(agreed, Reject)}
    asked = {vote.span_id for vote in of(agreed, Vote)}
    assert {reasons.get(span_id) for span_id in asked} == {None, NOT_REACHED}
    assert len({vote.request_id for vote in of(agreed, Vote)}) == 3  # one call a model


def test_a_panel_sees_no_figure_that_it_is_asked_for():
    voters = panel("answerable", "answerable", "answerable")
    rows = written(masked_filing(), panel=voters)
    asked = {vote.span_id for vote in of(rows, Vote)}
    ((call,),) = voters[0].asked
    prompt = call.inputs()["passages"]
    assert "[1] in 2023, compared with [2] in 2022.\nCustomers in Canada took [3, a per" in prompt
    hidden = [span.masked_text for span in of(rows, MaskedSpan) if span.span_id in asked]
    assert len(hidden) == 5
    assert not any(figure in prompt for figure in hidden)


@pytest.mark.parametrize(
    ("first", "last", "answer", "reason"),
    [
        ("answerable", "unanswerable", "23%", PANEL_DISAGREES),
        ("answerable", "nonsense", "23%", VOTE_NOT_READ),
        ("nonsense", "nonsense", "23%", VOTE_NOT_READ),
        ("unanswerable", "nonsense", "23%", PANEL_SAYS_NO),
        ("answerable", "answerable", "24%", NOT_REACHED),
    ],
)
def test_a_divided_or_wrong_panel_vouches_for_nothing(first, last, answer, reason):
    divided = written(masked_filing(), panel=panel(first, first, last, answer=answer))
    assert_conserved(divided)
    reject = next(reject for reject in of(divided, Reject) if reject.detail.startswith("23%"))
    assert reject.reason == reason
    votes = [vote for vote in of(divided, Vote) if vote.model == "model-2"]
    assert votes
    for vote in votes:
        is_unread = vote.unread_reason is not None
        assert (vote.is_answerable is None) == is_unread == (last == "nonsense")


def test_an_entry_without_a_verdict_or_an_answerable_one_s_letter_is_left_out():
    entries = [entry(1, "answerable"), entry("4", "unanswerable", scenario="none")]
    others = [entry(2, "perhaps"), entry(3, "answerable", scenario="E")]
    assert [*parse(f"Sure: {json.dumps({'figures': [*others, *entries]})}")] == [1, 4]
    with pytest.raises(ParseError, match="no entry"):
        parse(json.dumps({"figures": others}))


def test_refuses_a_panel_of_one_or_two():
    with pytest.raises(ValueError, match="3 models or more, not 2"):
        written(masked_filing(), panel=panel("answerable", "answerable"))


@pytest.mark.parametrize("pairs", [0.5, 1, 2, 100])
def test_filings_take_turns_until_there_are_enough(pairs: float, real_filings) -> None:
    few = [each for each in real_filings if each.filing.source_uri.startswith(("carbo", "nvidia"))]
    every, drawn = written(*few), written(*few, pairs=pairs)
    assert_conserved(drawn)
    assert written(*few, pairs=pairs) == drawn
    able = {pair.qa_pair_id for pair in of(every, QAPair)}
    assert len(of(drawn, QAPair)) == min(2 * pairs, len(able))
    assert {pair.qa_pair_id for pair in of(drawn, QAPair)} <= able
    n_contexts = len({pair.context_id for pair in of(drawn, QAPair)})
    assert n_contexts == min(2, len(of(drawn, QAPair)))
    assert NOT_DRAWN in {reject.reason for reject in of(drawn, Reject)} or pairs == 100


def test_pairs_of_real_filings_are_kept_or_rejected_and_the_same_each_time(real_filings):
    few = [each for each in real_filings if each.filing.source_uri.startswith(("carbo", "nvidia"))]
    rows = written(*few)
    assert_conserved(rows)
    assert len(of(rows, QAPair)) >= 30
    assert {span.unit for span in of(rows, MaskedSpan) if span.qa_pair_id} >= {"money", "percent"}
    assert set(written(few[1])) < set(rows)
