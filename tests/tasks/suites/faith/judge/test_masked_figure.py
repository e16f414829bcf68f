"""FAITH's judge: one judgement per answer, in both ways of comparing, whatever the reply is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from tasks.core.rows import Judgement, QAPair
from tasks.suites.faith.answer import parse
from tasks.suites.faith.judge.masked_figure import (
    CUT_OFF,
    SIGN_OF_THE_SENTENCE,
    WITHOUT_ITS_SIGN,
    Mode,
    judge,
    written_figure,
)
from tasks.suites.faith.published import load
from tasks.suites.faith.rows import MaskedSpan
from tasks.suites.judge import Answered
from tests.answered import answered_case

PAIR = QAPair(
    qa_pair_id="pair",
    context_id="context",
    query="Sales fell in 2023.\nThe strong dollar decreased sales by [MASK] in total.\nCosts rose.",
    answer="3.5 percent",
    task="mask",
    citation_text="The strong dollar decreased\nsales by 3.5 percent in total.",
)


def answered(text: str | None, target: str = PAIR.answer, **response: object) -> Answered:
    return answered_case("faith", PAIR, text, judge="strict", response=response, target=target)


def judged(thing: Answered, mode: Mode = "strict") -> Judgement:
    (judgement,) = judge([replace(thing, judge=mode)], None, None, mode=mode)
    return judgement


def reply(answer: object, **more: object) -> str:
    return json.dumps({"results": {"answer": answer, **more}})


def test_what_the_reply_says_is_kept_beside_the_verdict() -> None:
    text = reply("0.035", scenario="B", necessary_metrics=["sales"])
    row = judged(answered(f"Sure:\n```json\n{text}\n```"))
    assert row.rationale == "the same figure"
    assert json.loads(row.details or "") == {
        "answer": "0.035",
        "scenario": "B",
        "value": "0.035",
        "decimals": 3,
        "expected": "3.5",
        "expected_decimals": 1,
        "is_written": True,
    }


@pytest.mark.parametrize(
    ("answer", "verdict", "rationale"),
    [
        ("3.5%", "correct", WITHOUT_ITS_SIGN),
        ("-3.5%", "correct", "the same text"),
        ("(3.5)%", "correct", "the same figure"),
        ("3.6%", "wrong", "another number"),
    ],
)
def test_a_truth_with_a_minus_is_right_with_it_and_as_the_prompt_asks_for_it(
    answer: str, verdict: str, rationale: str
) -> None:
    row = judged(answered(reply(answer), target="-3.5%"))
    assert (row.label, row.rationale) == (verdict, rationale)


def test_brackets_that_the_sentence_writes_need_not_be_answered() -> None:
    pair = replace(PAIR, citation_text=PAIR.citation_text.replace("3.5 percent", "(14)%"))
    thing = replace(answered(reply("14%"), target="(14)%"), pair=pair)
    assert judged(thing).rationale == WITHOUT_ITS_SIGN


def test_a_minus_that_neither_truth_nor_sentence_has_is_wrong() -> None:
    assert judged(answered(reply("-3.5%"))).rationale == "the opposite sign"
    pair = replace(PAIR, citation_text=PAIR.citation_text.replace("3.5 percent", "(3.5)%"))
    assert judged(replace(answered(reply("-3.5%")), pair=pair)).rationale == SIGN_OF_THE_SENTENCE


def test_the_authors_own_text_is_judged_as_it_was_measured(shared: Path) -> None:
    """Judge the 92 published sentences' figures by their labels; 13 labels state another number."""
    published = load(shared / "reference/faith/pilot_part.json")
    pairs = {pair.qa_pair_id: pair for pair in published[QAPair]}
    things = [
        replace(answered(reply(span.masked_text), target=span.truth), pair=pairs[span.qa_pair_id])
        for span in published[MaskedSpan]
        if span.qa_pair_id
    ]
    assert all(
        written_figure(thing.pair) == parse(thing.response.text or "").answer for thing in things
    )
    correct = {
        mode: sum(row.label == "correct" for row in judge(things, None, None, mode=mode))
        for mode in get_args(Mode)
    }
    assert (len(things), correct) == (92, {"strict": 79, "official": 91})


UNREADABLE: list[tuple[str | None, dict[str, object], str]] = [
    ('{"results": {"answer": "3.', {"finish_reason": "length"}, CUT_OFF),
    (reply(["3.5%"]), {}, "the answer is neither a text nor a number"),
    ("", {}, "the reply has no JSON object with an answer"),
]


@pytest.mark.parametrize("mode", get_args(Mode))
@pytest.mark.parametrize(("text", "response", "reason"), UNREADABLE)
def test_an_unreadable_reply_is_wrong_with_its_reason(
    text: str | None, response: dict[str, object], reason: str, mode: Mode
) -> None:
    row = judged(answered(text, **response), mode)
    assert (row.label, row.rationale, row.details, row.unscored_reason) == (
        "unreadable",
        reason,
        None,
        None,
    )


@pytest.mark.parametrize("mode", ["strict", "official"])
@pytest.mark.parametrize(
    "answer",
    [
        "1" * 1_000_000,
        "1e999999",
        "NaN",
        "\u202e5\u0000",
        "½⅔²",
        ", ".join(f"{tenth / 10}%" for tenth in range(1000)),
    ],
    ids=lambda answer: str(answer)[:12],
)
def test_a_hostile_answer_is_wrong_and_harms_nothing(answer: object, mode: Mode) -> None:
    assert judged(answered(reply(answer)), mode).label == "wrong"
