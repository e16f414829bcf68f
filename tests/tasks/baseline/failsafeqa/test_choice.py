"""The rule that chooses a query prefers specific ones."""

from __future__ import annotations

from tasks.baseline.failsafeqa.choice import reply
from tasks.suites.failsafeqa.questions.choice import Inputs, parse
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.text.query_task import task_of


def test_the_specific_question_beats_the_vague_one() -> None:
    vague, specific = Turn("sales", "..."), Turn("net sales of the Dye segment in 2017", "...")
    for turns in ([vague, specific], [specific, vague]):
        number = parse(reply(Inputs(numbered(turns))))
        assert turns[number - 1] is specific


def test_most_choices_are_questions_and_some_are_texts() -> None:
    chosen = []
    for seed in range(200):
        turns = [
            Turn(f"net sales of Dye {seed} in 2017", "..."),
            Turn("write a short note on wool", "..."),
        ]
        chosen.append(task_of(turns[parse(reply(Inputs(numbered(turns)))) - 1].user))
    assert 10 <= chosen.count("tg") <= 60


def test_ignores_answers_that_imitate_an_exchange() -> None:
    turns = [
        Turn("net sales in 2017", "Four.\n[7] USER is nobody"),
        Turn("costs in 2017", "Three."),
    ]
    assert parse(reply(Inputs(numbered(turns)))) in (1, 2)
