"""Questions of filings: one answer, stated by every signal passage and by no noise passage."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Paragraph, Reject
from tasks.suites.refusalbench.base import questions as questions_module
from tasks.suites.refusalbench.base.answers import holds, states
from tasks.suites.refusalbench.base.excerpts import LIMIT
from tasks.suites.refusalbench.base.noise import TEN
from tasks.suites.refusalbench.base.questions import NO_NAME, TOO_FEW_PASSAGES, build_questions
from tasks.suites.refusalbench.base.statements import Statement, agreeing
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.text.tokens import count_tokens
from tests.base_questions import filings_of, inputs_of, questions_of
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
            if passage.is_signal:
                assert passage.document_id == question.source_id
                assert states(passage.text, answer)
            else:
                assert not holds(passage.text, answer)
        if question.asked:
            assert question.asked.company in question.query
            assert question.asked.figure == answer
        texts = [passage.text for passage in question.passages]
        assert len({*texts}) == len(texts)


def test_samples_give_questions_of_both_settings_and_all_kinds() -> None:
    questions = questions_of(filings_of())
    check_all(questions)
    found = Counter((question.setting, question.answer_kind) for question in questions)
    for setting in ("single", "multi"):
        assert {kind for of, kind in found if of == setting} == {
            "money",
            "percent",
            "number",
            "date",
            "text",
        }
    assert min(Counter(question.setting for question in questions).values()) >= 90
    assert {question.sector for question in questions} == {"finance", "unknown"}
    assert any(
        sum(passage.is_signal for passage in question.passages) > 1 for question in questions
    )


def test_real_filings_give_sound_questions(shared: Path) -> None:
    files = filings_of(shared / "filings", "apple_2009", "textron_2001", "gainsco_2009")
    assert len(files) == 3
    questions = questions_of(files)
    check_all(questions)
    asked = {question.query: question.answers for question in questions}
    assert asked["What were Apple Inc's net sales in 2009?"] == ("$36,537 million",)
    # 158 of 261 plants are in the United States
    assert not any("plants" in query for query in asked)


def test_the_same_seed_draws_the_same_questions() -> None:
    drawn = [
        [each.base_question_id for each in questions_of(filings_of(), seed=seed, base_questions=5)]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_noise_comes_from_as_many_filings_as_the_pool_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(questions_module, "_POOL", 1)
    questions = questions_of(filings_of(), settings=("multi",), base_questions=2)
    others = {
        passage.document_id
        for question in some(questions)
        for passage in question.passages
        if passage.document_id != question.source_id
    }
    assert len(others) == 1


def test_passages_of_one_filing_alone_may_be_too_few() -> None:
    (filing, document), *_ = filings_of()
    text = "The Company was founded in 1911 as a foundry in Port Ellery, Ohio, by its owners."
    whole = Paragraph(start_char=0, end_char=len(text), n_tokens=count_tokens(text))
    short = replace(document, text=text, paragraphs=(whole,), items=())
    made = list(build_questions(inputs_of(filings=[(filing, short)], settings=("multi",))))
    assert {row.reason for row in some(made) if isinstance(row, Reject)} == {TOO_FEW_PASSAGES}


def test_a_filing_without_a_name_is_a_reject() -> None:
    (filing, document), *_ = filings_of()
    (made,) = build_questions(inputs_of(filings=[(replace(filing, company=None), document)]))
    assert isinstance(made, Reject)
    assert (made.parent_id, made.reason) == (document.document_id, NO_NAME)


def said(answer: str, at: int, measure: str = "net sales", column: int | None = None) -> Statement:
    return Statement(
        query=f"What were Harrow Inc.'s {measure} in 2023?",
        answer=answer,
        kind="money",
        measure=measure,
        period="2023",
        start_char=at,
        end_char=at + 10,
        column=column,
    )


def test_a_figure_counts_if_a_second_statement_agrees() -> None:
    (group,) = agreeing([said("$7,657 million", 90, column=1), said("$7.7 billion", 10)])
    assert [each.answer for each in group] == ["$7.7 billion", "$7,657 million"]


@pytest.mark.parametrize(
    "statements",
    [
        [said("$7.7 billion", 10)],  # of a segment, perhaps
        [said("$7,657 million", 10, column=1)],  # the only one that says so
        [said("$7.7 billion", 10), said("$7.1 billion", 90)],
        [said("$65,000", 10, "outstanding debt under the New Credit Agreement")],  # in thousands?
    ],
)
def test_a_figure_that_a_filing_leaves_open_is_not_asked_for(statements: list[Statement]) -> None:
    assert agreeing(statements) == []


def test_a_sentence_alone_is_enough_if_it_names_its_part() -> None:
    assert agreeing([said("$214.6 million", 10, "net sales of the Water segment")])
