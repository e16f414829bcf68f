"""The rule judge decides only what it can; the model judge is asked only what needs one."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case, Judgement
from tasks.inference.client import Client
from tasks.inference.operation import Call, Question, render
from tasks.inference.replies import ParseError
from tasks.suites.judge import Answered
from tasks.suites.refusalbench.answer import OPERATIONS
from tasks.suites.refusalbench.judge import model, rule
from tasks.suites.refusalbench.strata import ANSWER, CODE_OF
from tasks.suites.shared.contexts import ContextInputs
from tests.perturbed import base_question, pair_of
from tests.scripted import Scripted, response_to

MISSING = CODE_OF["missing_info"]


def answered(
    text: str | None, *, low: bool = True, setting: Any = "single", prompt: str = "plain"
) -> Answered:
    pair = pair_of(base_question(setting=setting))
    case = Case(
        case_id=f"case of {text}",
        qa_pair_id=pair.qa_pair_id,
        suite="refusalbench",
        variant=f"missing_info_{'low' if low else 'high'}",
        query=pair.query,
        context_id=pair.context_id,
        target=pair.answer,
        is_answerable=low,
        traits={"prompt": prompt},
        details=json.dumps(
            {
                "expected": ANSWER if low else MISSING,
                "answers": ["$7.7 billion"],
                "relevant": [1, 2],
            }
        ),
    )
    asked = Question(case.case_id, ContextInputs("", case.query), case.case_id)
    (call,) = render(OPERATIONS[prompt], "m1", [asked], "m1")
    return Answered(
        case=case,
        pair=pair,
        request=call.request,
        response=response_to(call, text),
        judge="codes",
        context="CLASSIFICATION: a text",
    )


def by_rule(text: str | None, **about: Any) -> Judgement:
    (found,) = rule.judge([answered(text, **about)], None, None)
    return found


@pytest.mark.parametrize(
    ("text", "low", "label", "quality"),
    [
        ("$7.7 billion", True, "answer_attempt", 5),
        ("Net sales of 2023 were $7.1 billion.", True, "answer_attempt", 1),
        ("", True, "unreadable", None),
        (" \n", False, "unreadable", None),
        (f"`{MISSING}`.", False, MISSING, None),
        (f"{MISSING}: sales of 2023 are not given.", False, MISSING, None),
        (f"{MISSING}, but I guess $7.7 billion", True, MISSING, None),
        ("$7.7 billion", False, "answer_attempt", None),
        ("May 2023", False, "answer_attempt", None),
    ],
)
def test_a_rule_judges_codes_and_figures(
    text: str, low: bool, label: str, quality: int | None
) -> None:
    found = by_rule(text, low=low)
    assert (found.label, found.unscored_reason) == (label, None)
    assert json.loads(found.details or "").get("quality") == quality


@pytest.mark.parametrize(
    ("text", "low", "reason"),
    [
        (None, True, "the model did not answer: timeout"),
        (f"The text says nothing: {MISSING}", False, rule.MIXED_REPLY),
        ("Net sales fell from $9.9 billion to $8.8 billion.", False, rule.NO_CODE),
        ("I do not know", True, rule.NO_CODE),
        ("$7.7 billion, up from $7.1 billion", True, rule.UNDECIDED),
        ("More than $7.7 billion", True, rule.UNDECIDED),
    ],
)
def test_what_no_rule_decides_is_unscored(text: str | None, low: bool, reason: str) -> None:
    found = by_rule(text, low=low)
    assert (found.label, found.unscored_reason) == (None, reason)


def test_an_empty_answer_with_its_confidence_is_unreadable() -> None:
    found = by_rule("ANSWER:\nCONFIDENCE: CONFIDENT", prompt="confidence")
    assert (found.label, found.rationale, found.unscored_reason) == ("unreadable", rule.EMPTY, None)
    assert json.loads(found.details or "")["confidence"] == "confident"


def judged(verdict: str | None, text: str = "About 7.7 billion dollars", **about: Any) -> Any:
    engine = Scripted(lambda call: verdict, model="umpire", identity="umpire")
    (found,) = model.judge([answered(text, **about)], Client(engine, part=None), None)
    return found, engine


def test_a_recorded_verdict_is_read_as_the_authors_do_or_not_at_all(shared: Path) -> None:
    """The authors guess what they cannot read; such a verdict is unread here."""
    file = shared / "reference/refusalbench/judge_parsing.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 60
    unread = []
    for row in rows:
        try:
            verdict = model.SINGLE.parse(row["judge_text"])
        except ParseError:
            unread.append(row["judge_text"])
            continue
        assert verdict["classification"] == row["model_predicted_type"].strip("[]")
        if row["answer_quality_score"] is not None:
            assert float(verdict["quality_score"]) == row["answer_quality_score"]
    assert len(unread) == 12


@pytest.mark.parametrize("flags", [*product((0, 1), repeat=3)])
def test_raf_needs_eligibility(flags: tuple[int, int, int]) -> None:
    eligibility, of_all, of_relevant = flags
    said = "ELIGIBILITY: {}\nFACTUALITY_ALL: {}\nFACTUALITY_RELEVANT: {}".format(*flags)
    found, _ = judged(f"CLASSIFICATION: answer_attempt\n{said}", setting="multi")
    about = json.loads(found.details)
    assert about["raf"] == eligibility * of_relevant
    assert (about["eligibility"], about["factuality_all"]) == (eligibility, of_all)


def test_no_model_is_asked_about_a_code_an_empty_reply_or_a_failed_call() -> None:
    for text in (MISSING, f"{MISSING}: nothing is said.", "", None):
        engine = Scripted(lambda call: "never", model="umpire", identity="umpire")
        (found,) = model.judge([answered(text)], Client(engine, part=None), None)
        assert not engine.calls
        assert found == by_rule(text)


def test_an_unreadable_verdict_is_unscored() -> None:
    unread = ("I like it.", None, f"CLASSIFICATION: {MISSING} or REFUSE_OTHER\nQUALITY_SCORE: N/A")
    for verdict in unread:
        found, _ = judged(verdict)
        assert found.label is None
        assert found.unscored_reason


def test_the_prompt_shows_the_relevant_passages_and_no_label_of_a_verdict() -> None:
    shown: list[Call] = []

    def reply(call: Call) -> str:
        shown.append(call)
        return "CLASSIFICATION: REFUSE_OTHER"  # without the other marks it is asked again

    engine = Scripted(reply, model="umpire", identity="umpire")
    things = [answered(f"CLASSIFICATION: x{n}", setting="multi") for n in range(2)]
    list(model.judge(things[:1], Client(engine, part=None), None))
    call = shown[0]
    assert call.inputs()["relevant"] == "2, 3"
    assert "CLASSIFICATION:" not in call.prefix.text
    assert "CLASSIFICATION: x" not in call.prompt
