"""The rule that prefers the correct answer."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from tasks.suites.shared.judging import AnsweredPair
from tasks.suites.tablequest.judge.preference import judge

RIGHT, WRONG = (json.dumps({"answer": each}) for each in ("$13.2 million", "$2.3 million"))


def labels(answered, *replies: str | None, **case: str) -> list[str | None]:
    both = [answered(text, model=model, **case) for text, model in zip(replies, "ab", strict=True)]
    pairs = [AnsweredPair(first=first, second=second) for first, second in permutations(both)]
    return [row.label for row in judge(pairs, None, None)]


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ((RIGHT, WRONG), ["won", "lost"]),
        ((WRONG, RIGHT), ["lost", "won"]),
        ((RIGHT, RIGHT), ["tie", "tie"]),
        ((WRONG, ""), ["won", "lost"]),
        (("", RIGHT), ["lost", "won"]),
        (("", ""), ["tie", "tie"]),
        ((RIGHT, None), [None, None]),
    ],
)
def test_the_correct_answer_wins_in_both_orders(answered, replies, expected) -> None:
    assert labels(answered, *replies) == expected


@pytest.mark.parametrize("case", [{"level": "hard"}, {"target": "The Grand"}])
def test_what_no_rule_can_judge_is_a_tie(answered, case) -> None:
    assert labels(answered, RIGHT, WRONG, **case) == ["tie", "tie"]
