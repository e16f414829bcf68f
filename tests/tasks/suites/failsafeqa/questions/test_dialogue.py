"""Conversations are read in any wrapping."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.dialogue import (
    Turn,
    default_examples,
    parse,
)
from tasks.text.query_task import task_of

TURN = '{"USER": "net sales?", "ASSISTANT": "Net sales were $4 million."}'
OTHER = '{"USER": "why", "ASSISTANT": "Prices rose."}'
BOTH = (Turn("net sales?", "Net sales were $4 million."), Turn("why", "Prices rose."))


@pytest.mark.parametrize(
    "reply",
    [
        f"{TURN}\n\n{OTHER}\n",
        f"```jsonl\n{TURN}\n```\n```\n{OTHER}\n```",
        f"[{TURN},\n{OTHER}]",
        f"{TURN},\n{OTHER},",
    ],
)
def test_json_lines_fences_arrays_and_blank_lines_are_read(reply: str) -> None:
    assert parse(reply) == BOTH


@pytest.mark.parametrize(
    "reply",
    ["", "```json\n```", "[]", "7", '{"USER": " ", "ASSISTANT": "x"}',
     '[{"USER": "a", "ASSISTANT": 7}]', '[{"USER": "a"'],
)  # fmt: skip
def test_a_reply_without_an_exchange_is_unreadable(reply: str) -> None:
    with pytest.raises(ParseError, match="no exchange"):
        parse(reply)


def test_the_projects_examples_are_a_conversation_with_questions_and_texts() -> None:
    turns = parse(default_examples())
    assert len(turns) >= 6
    assert {task_of(turn.user) for turn in turns} == {"qa", "tg"}
