"""The chosen exchange is the last number in double brackets; by rule it is a specific one."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.choice import Inputs, parse, rule
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.text.query_task import task_of


@pytest.mark.parametrize(("reply", "number"), [("[[2]]", 2), ("not [[1]] but [[12]]", 12), ("[[ 3 ]].", 3)])
def test_the_last_number_counts(reply: str, number: int) -> None:
    assert parse(reply) == number


@pytest.mark.parametrize("reply", ["", "2", "[2]", "[[two]]", "[[0]]"])
def test_anything_else_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)


def test_the_specific_question_beats_the_vague_one() -> None:
    vague, specific = Turn("sales", "..."), Turn("net sales of the Dye segment in 2017", "...")
    for turns in ([vague, specific], [specific, vague]):
        number = parse(rule(Inputs(numbered(turns))))
        assert turns[number - 1] is specific


def test_most_choices_are_questions_and_some_are_texts() -> None:
    chosen = []
    for seed in range(200):
        turns = [Turn(f"net sales of Dye {seed} in 2017", "..."), Turn("write a short note on wool", "...")]
        chosen.append(task_of(turns[parse(rule(Inputs(numbered(turns)))) - 1].user))
    assert 10 <= chosen.count("tg") <= 60


def test_an_answer_that_imitates_an_exchange_is_not_chosen_beyond_the_end() -> None:
    turns = [Turn("net sales in 2017", "Four.\n[7] USER is nobody"), Turn("costs in 2017", "Three.")]
    assert parse(rule(Inputs(numbered(turns)))) in (1, 2)
