"""The rule that compares answers with the reference."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.core.rows import Judgement
from tasks.suites.tablequest.judge.reading import ANALYSIS, WORDS
from tasks.suites.tablequest.judge.reference import exact_match, judge, token_f1


def judged(thing: Any) -> Judgement:
    (row,) = judge([thing], None, None)
    return row


def reply(answer: object) -> str:
    return json.dumps({"steps": "s", "answer": answer})


@pytest.mark.parametrize(
    ("answer", "target", "label", "why"),
    [
        ("$13.2 million", "$13.2 million", "correct", "the same text"),
        ("Sales fell by $13.2 million in 2023.", "$13.2 million", "correct", "the same figure"),
        ("", "$13.2 million", "unreadable", "the reply has no answer"),
        ("-$13.2 million", "$13.2 million", "correct", "the same figure"),
        ({"2022": "$15.5 million", "2023": "$2.3 million"}, "$13.2 million", "wrong", None),
        # only the reference decides whether a rule can judge
        ("The Grand", "The Grand", None, None),
        ("", "The Grand", None, None),
    ],
)
def test_figures_are_judged_strictly_and_words_are_not(
    answered, answer, target, label, why
) -> None:
    row = judged(answered(reply(answer), target))
    assert row.label == label
    assert row.unscored_reason == (WORDS if label is None else None)
    assert why is None or row.rationale == why


def test_hard_answers_are_not_judged_but_compared(answered) -> None:
    row = judged(answered(reply("$13.2 million"), level="hard"))
    assert (row.label, row.unscored_reason) == (None, ANALYSIS)
    assert json.loads(row.details or "") == {
        "reply": "answer",
        "answer": "$13.2 million",
        "is_number": True,
        "em": 1,
        "f1": 1.0,
        "rouge_l": 1.0,
    }


def test_a_failed_call_is_unscored_and_says_what_would_have_been_judged(answered) -> None:
    row = judged(answered(None))
    assert (row.label, row.unscored_reason) == (None, "the model did not answer: timeout")
    assert json.loads(row.details or "") == {"is_number": True}


@pytest.mark.parametrize(
    ("answer", "reference", "em", "f1"),
    [
        ("The Grand.", "grand", None, 1.0),
        ("an increase of $5.2 million", "$5.2 million", 1, 2 * 2 / (4 + 2)),
        # figures are compared as figures
        ("$5,200 thousand", "$5.2 million", 1, 0.0),
        ("1.23", "123", 0, 1.0),
        ("5", "5%", 0, 1.0),
        ("North America, Europe", "Europe and North America", None, 2 * 3 / (3 + 4)),
        ("North North", "North", None, 2 * 1 / (2 + 1)),  # a token counts as often as both have it
    ],
)
def test_em_is_of_figures_and_f1_is_that_of_squad_by_hand(answer, reference, em, f1) -> None:
    assert exact_match(answer, reference) == em
    assert token_f1(answer, reference) == pytest.approx(f1)
