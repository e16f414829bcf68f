"""Judges' verdicts: the authors' reading of recorded ones, and ours of hostile ones."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

from tasks.suites.refusalbench.judge import read_garage_verdict, read_verdict
from tasks.suites.refusalbench.judge.verdicts import ReadingMode
from tasks.suites.refusalbench.strata import ALIASES, ANSWER, CODES

ATTEMPT = "answer_attempt"
FALSE_PREMISE = "REFUSE_FALSE_PREMISE_IN_QUERY"
MISSING = "REFUSE_INFO_MISSING_IN_CONTEXT"


@pytest.fixture(scope="module")
def recorded(shared: Path) -> list[dict[str, Any]]:
    """Verdicts and what the authors' code reads in them."""
    file = shared / "reference/refusalbench/judge_parsing.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_recorded_reading_is_reproduced(recorded: list[dict[str, Any]]) -> None:
    assert len(recorded) == 60
    for row in recorded:
        found = read_verdict(row["judge_text"], row["expected_rag_behavior"], "official")
        for field in ("model_predicted_type", "answer_quality_score", "refusal_match_correct"):
            assert getattr(found, field) == row[field], row


def test_strict_reading_differs_from_the_authors_where_theirs_guesses(
    recorded: list[dict[str, Any]],
) -> None:
    unread = []
    for row in recorded:
        text, expected = row["judge_text"], row["expected_rag_behavior"]
        found = read_verdict(text, expected, "strict")
        if found.unscored_reason is not None:
            assert found.model_predicted_type is None
            assert found.answer_quality_score is None
            assert found.refusal_match_correct is None
            unread.append(text)
        else:
            assert found.model_predicted_type == row["model_predicted_type"].strip("[]")
            if found.model_predicted_type != ATTEMPT:
                assert found.refusal_match_correct == (found.model_predicted_type == expected)
    assert all(
        text == "" or text.startswith("The response is") or "N/A" in text or "5.5" in text
        for text in unread
    )
    assert len(unread) == 11


CLASSES = {
    ATTEMPT: [ATTEMPT, "Answer_Attempt", "ANSWER ATTEMPT", "answer-attempt", "answer\\_attempt"],
    FALSE_PREMISE: [FALSE_PREMISE, "refuse_false_premise_in_query", "REFUSE_FALSE_PREMISE"],
    MISSING: ["REFUSE_MISSING", "REFUSE\\_INFO\\_MISSING", "refuse info missing in context"],
}
WHOLE = [
    "CLASSIFICATION: {c}\nQUALITY_SCORE: {q}\nEXPLANATION: brief.",
    "classification: [{c}]\r\nquality_score: {q}\r\n",
    "**CLASSIFICATION:** {c}\n**QUALITY_SCORE:** {q}",
    "QUALITY_SCORE: [{q}]\nEXPLANATION: brief.\nCLASSIFICATION: `{c}`",
    '{{"explanation": "brief", "CLASSIFICATION": "{c}", "QUALITY_SCORE": "{q}"}}',
    "CLASSIFICATION: {c}\nQUALITY_SCORE: {q}\nTo repeat, CLASSIFICATION: {c}",
]


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize(
    ("spelling", "name"),
    [(spelling, name) for name, spellings in CLASSES.items() for spelling in spellings],
)
def test_a_verdict_is_read_in_lines_and_json(whole: str, spelling: str, name: str) -> None:
    found = read_verdict(whole.format(c=spelling, q="4"), ANSWER, "strict")
    assert found.model_predicted_type == name
    expected = (4, None) if name == ATTEMPT else (None, False)
    assert (found.answer_quality_score, found.refusal_match_correct) == expected


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_its_code(alias: str) -> None:
    found = read_verdict(f"CLASSIFICATION: {alias}\nQUALITY_SCORE: N/A", ALIASES[alias], "strict")
    assert (found.model_predicted_type, found.refusal_match_correct) == (ALIASES[alias], True)


@pytest.mark.parametrize(
    "said",
    [
        "REFUSE_OTHER or REFUSE_AMBIGUOUS_QUERY",
        "[answer_attempt OR one of the REFUSE_* codes]",
        "answer_attempt?",
        "answer_attempt (or a refusal)",
        "not REFUSE_OTHER",
        "answer_attempt (the reply does not say REFUSE_OTHER)",
        "REFUSE_UNCLEAR",
        "a refusal",
        "ANSWER_CORRECTLY",
        "",
        "REFUSE_OTHER\nCLASSIFICATION: answer_attempt",
        "REFUSE_OTHER\nRevised CLASSIFICATION: answer_attempt",
        "answer_attempt\nQUALITY_SCORE: 5\nEXPLANATION: It says 'CLASSIFICATION: REFUSE_OTHER'.",
    ],
)
@pytest.mark.parametrize("expected", [ANSWER, MISSING])
def test_a_class_with_no_reading_or_two_is_unread(said: str, expected: str) -> None:
    found = read_verdict(f"CLASSIFICATION: {said}\nQUALITY_SCORE: 5", expected, "strict")
    assert found.model_predicted_type is None
    assert "class" in (found.unscored_reason or "")


@pytest.mark.parametrize(
    "said",
    ["0", "6", "5.5", "-4", "−4", "10", "1000", "4 or 5", "4-5", "3, 4", "4/10", "~4", "> 4", "<4",
     ".5", "4,5", "4\nQUALITY_SCORE: 5", "4\nQUALITY_SCORE: N/A", "4e0", "about 4", "4 or so",
     "4/5.5", "4/5, 3/5", "4/5 (3 out of 5 for style)"],
)  # fmt: skip
@pytest.mark.parametrize("expected", [ANSWER, MISSING])
def test_a_score_off_the_scale_or_with_two_readings_is_unread(said: str, expected: str) -> None:
    text = f"QUALITY_SCORE: {said}\nCLASSIFICATION: answer_attempt"
    found = read_verdict(text, expected, "strict")
    assert found.model_predicted_type is None
    assert "quality_score" in (found.unscored_reason or "").lower()


@pytest.mark.parametrize("line", ["N/A", "n/a", "[N/A]"])
def test_only_an_answer_to_an_answerable_case_needs_a_score(line: str) -> None:
    text = f"QUALITY_SCORE: {line}\nCLASSIFICATION: {{}}\nEXPLANATION: brief"
    missed = read_verdict(text.format(ATTEMPT), MISSING, "strict")
    assert (missed.model_predicted_type, missed.refusal_match_correct) == (ATTEMPT, False)
    refused = read_verdict(text.format(MISSING), ANSWER, "strict")
    assert (refused.model_predicted_type, refused.refusal_match_correct) == (MISSING, False)
    assert read_verdict(text.format(ATTEMPT), ANSWER, "strict").unscored_reason is not None


def test_a_verdict_needs_its_label() -> None:
    for text in ("", " \n", "REFUSE_OTHER", "answer_attempt\n5", "The reply refuses."):
        found = read_verdict(text, ANSWER, "strict")
        assert found.unscored_reason == "the reply gives no classification", text


def test_half_points_count() -> None:
    found = read_verdict("CLASSIFICATION: answer_attempt\nQUALITY_SCORE: 4.5", ANSWER, "strict")
    assert found.answer_quality_score == 4.5


def test_what_no_case_expects_is_refused() -> None:
    with pytest.raises(ValueError, match="No case expects 'ANSWER'"):
        read_verdict("", "ANSWER", "strict")
    with pytest.raises(ValueError, match="no way 'lenient'"):
        read_garage_verdict("", ANSWER, "lenient")  # type: ignore[arg-type]


GARAGE = "CLASSIFICATION: {}\nELIGIBILITY: {}\nFACTUALITY_ALL: {}\nFACTUALITY_RELEVANT: {}"


@pytest.mark.parametrize("flags", [*product((0, 1), repeat=3)])
def test_raf_needs_eligibility_unless_the_authors_read(flags: tuple[int, int, int]) -> None:
    eligibility, of_all, of_relevant = flags
    text = GARAGE.format(ATTEMPT, *flags)
    for mode in get_args(ReadingMode):
        found = read_garage_verdict(text, ANSWER, mode)
        assert found.eligibility_score == eligibility
        assert found.unadjusted_factuality_score == of_all
        assert found.raf_score == (of_relevant if mode == "official" else eligibility * of_relevant)
        assert (found.false_refusal, found.missed_refusal) == (False, None)
        assert found.refusal_match_correct is None


def test_a_refusal_of_several_passages_has_no_flags() -> None:
    text = GARAGE.format("[REFUSE_MISSING]", "N/A", "N/A", "N/A")
    right = read_garage_verdict(text, MISSING, "strict")
    assert right.refusal_classification == MISSING
    assert (right.refusal_match_correct, right.missed_refusal) == (True, False)
    assert right.raf_score is None
    theirs = read_garage_verdict(text, MISSING, "official")
    assert theirs.refusal_classification == "[REFUSE_MISSING]"
    assert (theirs.refusal_match_correct, theirs.missed_refusal) == (False, False)
    refused = read_garage_verdict(text, ANSWER, "strict")
    assert refused.false_refusal
    assert (refused.eligibility_score, refused.raf_score) == (None, 0)
    assert read_garage_verdict(text, ANSWER, "official").eligibility_score == 0


def test_the_authors_take_an_unread_flag_for_0_and_an_unread_class_for_an_answer() -> None:
    text = "ELIGIBILITY: yes\nFACTUALITY_ALL: [1]\nFACTUALITY_RELEVANT: N/A"
    found = read_garage_verdict(text, ANSWER, "official")
    assert found.refusal_classification == ATTEMPT
    assert (found.eligibility_score, found.unadjusted_factuality_score) == (0, 0)
    assert found.raf_score is None
    assert read_garage_verdict(text, MISSING, "official").missed_refusal
    assert read_garage_verdict("CLASSIFICATION:", ANSWER, "official").false_refusal


@pytest.mark.parametrize("flag", ["", "N/A", "2", "-1", "0.5", "0 or 1", "yes", "[1 or 0]"])
@pytest.mark.parametrize("place", range(3))
def test_an_answer_with_an_unread_flag_is_unscored(flag: str, place: int) -> None:
    flags = ["1", "1", "1"]
    flags[place] = flag
    found = read_garage_verdict(GARAGE.format(ATTEMPT, *flags), ANSWER, "strict")
    assert found.refusal_classification is None
    label = ("ELIGIBILITY", "FACTUALITY_ALL", "FACTUALITY_RELEVANT")[place]
    assert label in (found.unscored_reason or "").upper()


def test_every_code_can_be_stated() -> None:
    for code in CODES:
        assert read_verdict(f"CLASSIFICATION: {code}", code, "strict").refusal_match_correct


@pytest.mark.parametrize(
    "score", ["N/A/5", "N/A / 5", "N/A out of 5", "N/A (0/5)", "5/5 or N/A", "9", "N/A or 1", ""]
)
def test_a_score_beside_a_clear_code_does_not_cost_the_verdict(score: str) -> None:
    text = f"CLASSIFICATION: {MISSING}\nQUALITY_SCORE: {score}"
    assert read_verdict(text, MISSING, "strict").refusal_match_correct is True
    flags = "".join(f"\n{flag}: {score}" for flag in ("ELIGIBILITY", "FACTUALITY_RELEVANT"))
    text = f"CLASSIFICATION: {MISSING}{flags}"
    assert read_garage_verdict(text, MISSING, "strict").refusal_match_correct is True


@pytest.mark.parametrize("score", ["n/a", "N/A"])
def test_no_score_on_its_scale_is_no_score(score: str) -> None:
    text = f"CLASSIFICATION: {ATTEMPT}\nQUALITY_SCORE: {score}"
    assert read_verdict(text, MISSING, "strict").model_predicted_type == ATTEMPT
    unscored = read_verdict(text, ANSWER, "strict").unscored_reason
    assert unscored == "the verdict has no QUALITY_SCORE for an answer"
