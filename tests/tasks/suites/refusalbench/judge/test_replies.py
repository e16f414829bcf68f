"""Models' replies: bare refusal codes, answers, and what a rule cannot decide."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tasks.suites.refusalbench.judge.replies import ATTEMPT, MIXED, classify, split_confidence
from tasks.suites.refusalbench.strata import ALIASES, CODES

FILE = Path(__file__).parents[3] / "inference" / "replies.toml"
REAL = tomllib.loads(FILE.read_text(encoding="utf-8"))["replies"]

AROUND = [
    "{}", " {}\n", "{}.", "[{}]", "**{}**", "`{}`", '"{}"', "'{}'", "({})", "<{}>", "__{}__",
    "${}$", "```\n{}\n```", "```text\n{}\n```", "ANSWER: {}", "**Answer:** `{}`",
    "Final answer: {}!", "Response: {}", "Refusal code: [{}]", '{"answer": "{}"}', "\\boxed{{}}",
    "- {}", "# {}", "{}\n\n{}", "\ufeff{}\u200b",
]  # fmt: skip
UNDERSCORES = ["_", "\\_", " ", "-"]


@pytest.mark.parametrize("name", [*CODES, *ALIASES])
def test_a_bare_code_is_read_in_any_format(name: str) -> None:
    code = ALIASES.get(name, name)
    for around in AROUND:
        for spelt, between in itertools.product((name, name.lower(), name.title()), UNDERSCORES):
            reply = around.replace("{}", spelt.replace("_", between))
            assert classify(reply) == code, reply


@pytest.mark.parametrize(
    "reply",
    [
        "{} because the filing gives no segment figures.",
        "**{}**\n\nThe text gives 2017, but not 2018.",
        "Answer: {} - two figures, $5 million or $6 million, are given",
        "{} as 'income' may be net or operating income; the context has both.",
    ],
)
def test_a_code_at_the_start_counts_with_what_follows_it(reply: str) -> None:
    for name in ("REFUSE_OTHER", "refuse_missing", "ＲＥＦＵＳＥ＿ＯＴＨＥＲ"):
        assert classify(reply.replace("{}", name), ["$5 million"]) in CODES


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is $4.2 million, not REFUSE_OTHER.",
        "REFUSE_OTHER: or is it REFUSE_AMBIGUOUS?",
        "I cannot answer (REFUSE_MISSING).",
        "REFUSE_UNCLEAR",
        "Answer: $5 million\nRefusal code: REFUSE_NONE",
        "REFUSE_OTHER does not apply here; the answer is $5 million.",
        "**REFUSE_OTHER** as a reply is not needed. It was $5 million.",
        "REFUSE_OTHER since one passage says $5 million and another $6 million.",
    ],
)
def test_a_code_after_other_text_or_beside_another_is_left_to_a_model(reply: str) -> None:
    assert classify(reply, ["$5 million"]) == MIXED


@pytest.mark.parametrize(
    "reply",
    [
        "The company may refuse other offers.",
        "It refused: missing information on the query.",
        "answer_attempt",
    ],
)
def test_a_text_without_a_code_is_an_answer(reply: str) -> None:
    assert classify(reply) == ATTEMPT


@pytest.mark.parametrize("reply", [each for each in REAL if each["operation"] == "answer"])
def test_a_real_model_that_knows_no_codes_answers(reply: dict[str, Any]) -> None:
    assert reply["reads"] == "answer"
    assert classify(reply["reply"]) == ATTEMPT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANSWER: $7.7 billion\nCONFIDENCE: VERY_CONFIDENT", ("$7.7 billion", "very_confident")),
        ("**Answer:** x\n**Confidence:** [UNCERTAIN]", ("x", "uncertain")),
        ("CONFIDENCE: Somewhat confident (60 %)\nANSWER: x", ("x", "somewhat_confident")),
        ("x\nCONFIDENCE LEVEL = CONFIDENT", ("x", "confident")),
        ("x", ("x", None)),
        ("ANSWER: x\nCONFIDENCE: high", ("x", None)),
        ("ANSWER: x\nCONFIDENCE: CONFIDENT\nCONFIDENCE: UNCERTAIN", ("x", None)),
    ],
)
def test_confidence_is_read_apart_from_the_answer(text: str, expected: tuple[str, Any]) -> None:
    assert split_confidence(text) == expected
