"""Questions of filings: one answer, stated by every signal passage and by no noise passage."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tasks.core.rows import Reject
from tasks.inference.client import Client
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.base.excerpts import HEAD, LIMIT, passages_of
from tasks.suites.refusalbench.base.noise import TEN
from tasks.suites.refusalbench.base.questions import (
    NOT_STATED,
    NOTHING_ASKED,
    SEVERAL,
    UNREAD,
    build_questions,
    parse_facts,
)
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.text.tokens import count_tokens
from tests.base_questions import filings_of, inputs_of, questions_of
from tests.scripted import Scripted
from tests.some import some


def check_all(questions: list[BaseQuestion]) -> None:
    ids = [question.base_question_id for question in questions]
    assert len({*ids}) == len(ids)
    for question in some(questions):
        assert len(question.passages) == {"single": 1, "multi": TEN}[question.setting]
        (answer,) = question.answers
        assert 1 <= sum(passage.is_signal for passage in question.passages) <= 5
        for passage in question.passages:
            assert count_tokens(passage.text) <= LIMIT
            assert holds(passage.text, answer) == passage.is_signal
            assert passage.document_id == question.source_id or not passage.is_signal
        texts = [passage.text for passage in question.passages]
        assert len({*texts}) == len(texts)


def test_facts_of_the_samples_give_questions_of_both_settings() -> None:
    questions = questions_of(filings_of())
    check_all(questions)
    for setting in ("single", "multi"):
        of = [question for question in questions if question.setting == setting]
        assert len(of) >= 55
        assert {"money", "percent"} <= {question.answer_kind for question in of}
    documents = {p.document_id for q in questions for p in q.passages if q.setting == "multi"}
    assert len(documents) == 3


def test_facts_of_real_filings_are_figures_of_their_cells(shared: Path) -> None:
    files = filings_of(shared / "filings", "apple_2009", "nvidia", "norfolk")
    questions = questions_of(files)
    check_all(questions)
    asked = {question.query: question.answers for question in questions}
    assert len(asked) >= 55


def test_the_order_of_filings_changes_no_question() -> None:
    there, back = questions_of(filings_of()), questions_of(filings_of()[::-1])
    assert {row.base_question_id for row in some(there)} == {row.base_question_id for row in back}


def test_passages_cover_a_filing_and_stand_under_its_head() -> None:
    for filing, document in some(filings_of()):
        passages = some(passages_of(filing, document))
        bodies = [HEAD.sub("", passage.text, count=1) for passage in passages]
        assert all(body != passage.text for body, passage in zip(bodies, passages, strict=True))
        words = {word for body in bodies for word in body.split()}
        missing = {*document.text.split()} - words
        assert len(missing) <= 0.01 * len(words)


def reasons_of(reply: str, **options: Any) -> list[str]:
    writer = Client(Scripted(lambda call: reply, model="w", identity="w"), part=None)
    inputs = inputs_of(parts=filings_of()[:1], engines={"base_writer": [writer]}, **options)
    return [row.reason for row in build_questions(inputs) if isinstance(row, Reject)]


def test_what_the_writer_cannot_state_is_a_reject() -> None:
    fact = {"query": "What was it?", "answer": "$98,765 million"}
    assert {*reasons_of("so be it")} == {UNREAD}
    assert {*reasons_of('{"questions": []}')} == {NOTHING_ASKED}
    assert {*reasons_of(json.dumps({"questions": [fact]}))} == {NOT_STATED}
    assert parse_facts(json.dumps({"questions": [fact]})) == (tuple(fact.values()),)


def test_a_question_with_several_answers_is_a_reject() -> None:
    """Each passage is asked for the last figure that it has."""

    def reply(call: Any) -> str:
        figures = re.findall(r"\d[\d,.]+\d", call.inputs()["passage"])
        questions = [{"query": "Which figure?", "answer": figure} for figure in figures[-1:]]
        return json.dumps({"questions": questions})

    writer = Client(Scripted(reply, model="w", identity="w"), part=None)
    inputs = inputs_of(parts=filings_of()[:1], engines={"base_writer": [writer]})
    reasons = {row.reason for row in build_questions(inputs) if isinstance(row, Reject)}
    assert reasons == {SEVERAL}
