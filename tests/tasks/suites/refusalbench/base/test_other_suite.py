"""Pairs of another suite: their citations' passages, and only answers that these state."""

from __future__ import annotations

from typing import Any

from tasks.core.rows import Citation, Context, Document, QAPair, Reject
from tasks.suites.refusalbench.base.questions import (
    LONG_ANSWER,
    NO_DOCUMENT,
    NOT_STATED,
    build_questions,
)
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.suites.shared.contexts import context_of
from tests.base_questions import filings_of, inputs_of

FILINGS = filings_of()
SALES = "Customers outside the United States accounted for 39.3% of net sales in 2018."
LONG = "It rose from 38.1% in 2017 to 39.3% in 2018."
QUERY = "What share of net sales did customers outside the United States have in 2018?"


def document_with(text: str) -> Document:
    return next(document for _, document in FILINGS if text in document.text)


def cite(quote: str, document: Document) -> Citation:
    at = document.text.index(quote)
    return Citation(start_char=at, end_char=at + len(quote), quote=quote)


def pair(number: int, answer: str, *quotes: str, query: str = QUERY, **fields: Any) -> QAPair:
    document = document_with(SALES)
    citations = tuple(cite(quote, document) for quote in quotes)
    known = {
        "qa_pair_id": f"pair {number}",
        "context_id": context().context_id,
        "query": query,
        "answer": answer,
        "task": "qa",
        "citations": citations,
    }
    return QAPair(**(known | fields))


def context() -> Context:
    return context_of("snippet", "shown as HTML", document_with(SALES), encoding="cl100k_base")


def built(*pairs: QAPair, **options: Any) -> list[Any]:
    inputs = inputs_of(*pairs, context(), parts=FILINGS, base="other", **options)
    return list(build_questions(inputs))


def test_a_sentence_answer_is_asked_for_its_only_new_figure() -> None:
    (row,) = built(pair(1, SALES, SALES), settings=("single",))
    assert isinstance(row, BaseQuestion)
    assert (row.source, row.source_id) == ("other", "pair 1")
    assert row.query.startswith("According to the annual report of Brackwater")
    assert row.query.endswith(f", w{QUERY[1:]}")
    assert (row.answers, row.answer_kind) == (("39.3%",), "percent")
    assert SALES in row.passages[0].text
    assert row.passages[0].text.startswith("[Brackwater")


def test_other_pairs_are_rejects_with_their_reason() -> None:
    elsewhere = pair(5, "39.3%", SALES, context_id="unknown")
    rows = built(
        pair(1, "39.3%"),
        pair(2, LONG, SALES),
        pair(3, "44.5%", SALES),
        pair(4, "because the company sells through many distributors abroad", SALES),
        elsewhere,
    )
    assert {(row.parent_id, row.reason) for row in rows if isinstance(row, Reject)} == {
        ("pair 1", NOT_STATED),
        ("pair 2", LONG_ANSWER),
        ("pair 3", NOT_STATED),
        ("pair 4", NOT_STATED),
        ("pair 5", NO_DOCUMENT),
    }
    # ten passages may have a long answer
    questions = [row for row in rows if isinstance(row, BaseQuestion)]
    assert {(row.setting, row.source_id) for row in questions} == {("multi", "pair 2")}
