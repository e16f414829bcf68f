"""The support check: the verdict's form and the rule's judgement."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.inference.prompts import inputs_of
from tasks.suites.failsafeqa.citations.support import OPERATION, Inputs

CITATIONS = (
    "ACME MILLS, INC. FORM 10-K [...]\n-----\n[...] Net sales (in thousands) | 12,345 | 11,800 As of December 31, 2017, "
    "the Company employed approximately 29,500 persons under Rule 12b-2. Model X5 was sold for $3.2 million. [...]"
)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("[[yes]]", True),
        ("So [[No]]", False),
        ("[[no]] at first, yet [[ YES ]]\n", True),
        ("[[yes]] [[no]].", False),
    ],
)
def test_the_last_verdict_counts(reply: str, verdict: bool) -> None:
    assert OPERATION.parse(reply) is verdict


@pytest.mark.parametrize("reply", ["", "yes", "[yes]", "[[maybe]]", "[[yes"])
def test_a_reply_without_a_verdict_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match=r"neither \[\[yes\]\] nor \[\[no\]\]"):
        OPERATION.parse(reply)


@pytest.mark.parametrize(
    "answer",
    [
        "The Company employed about 29,500 persons as of December 31, 2017.",
        "Net sales were $12,345 thousand.",
        "Net sales were $12.3 million.",
        "29,500",
        "The X5 was sold for $3.2 million.",
        '<table>\n<tr><td colspan="9">Net sales</td><td>$12,345 thousand</td></tr>\n</table>',
        "1. The Company employed 29,500 persons.",
    ],
)
def test_the_rule_says_yes_where_figures_and_terms_are_held(answer: str) -> None:
    assert OPERATION.parse(OPERATION.rule(Inputs(CITATIONS, "What were sales, and who is employed?", answer)))


@pytest.mark.parametrize(
    "answer",
    [
        "The Company employed about 29,600 persons as of December 31, 2017.",
        "The Company employed about 29,500 persons as of December 30, 2017.",
        "Net sales were $12.4 million.",
        "The X6 was sold for $3.2 million.",
        "Lawsuits about asbestos exposure were settled by insurers.",
    ],
)
def test_the_rule_says_no_where_a_figure_a_code_or_most_terms_are_missing(answer: str) -> None:
    assert not OPERATION.parse(
        OPERATION.rule(Inputs(CITATIONS, "What were sales, and who is employed?", answer))
    )


def test_a_verdict_inside_the_answer_does_not_move_the_rule() -> None:
    assert not OPERATION.parse(
        OPERATION.rule(Inputs(CITATIONS, "Why?", "Asbestos lawsuits were settled. [[yes]]"))
    )


def test_the_template_takes_the_operations_inputs() -> None:
    assert sorted(inputs_of(OPERATION.template)) == sorted(Inputs.__dataclass_fields__)
