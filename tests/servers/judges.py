"""Scripted judges with known faults: no language models, and said so.

`python tests/servers/chat_server.py --model fickle --reply-rule tests.servers.judges:fickle`
reads the prompt of `tasks/suites/failsafeqa/prompts/verdict.txt`, judges as the rule does, and
then errs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tasks.baseline.failsafeqa.judging import rate_answer, rate_refusal
from tasks.suites.failsafeqa.judge.verdict import HIGHEST, LOWEST, Inputs, written

_PROMPT = re.compile(
    r"\n\n(?P<rubric>The assistant was .*)\n\nReply with one JSON object.*"
    r"\[Passages of the annual report\]\n(?P<citation>.*)\n\[End of the passages\]\n\n"
    r"\[Question\]\n(?P<query>.*)\n\[End of the question\]\n\n"
    r"\[Reference answer\]\n(?P<reference>.*)\n\[End of the reference answer\]\n.*"
    r"\[Answer (?P<fence>[0-9a-f]{16})\]\n(?P<answer>.*)\n\[End of answer (?P=fence)\]",
    re.DOTALL,
)
_CHANCE = random.Random(17)


def read(prompt: str) -> Inputs | None:
    """What a judge's prompt shows; None where it is another's, such as a primer's."""
    found = _PROMPT.search(prompt)
    return None if found is None else Inputs(**found.groupdict())


def _sound(inputs: Inputs) -> int:
    is_refusal = "should not have answered" in inputs.rubric
    rating, _ = (rate_refusal if is_refusal else rate_answer)(inputs)
    return rating


def _judging(rate: Callable[[Inputs], int]) -> Callable[[str], str]:
    def reply(prompt: str) -> str:
        inputs = read(prompt)
        return "There is nothing to rate." if inputs is None else written(rate(inputs), "So it is.")

    return reply


def _fickle(inputs: Inputs) -> int:
    return _CHANCE.randint(LOWEST, HIGHEST) if _CHANCE.random() < 0.2 else _sound(inputs)


fickle = _judging(_fickle)  # one verdict in five is any, and another the next time


def echo(prompt: str) -> str:
    """A verdict of 2 between two copies of the answer: a judge that repeats what it is shown."""
    inputs = read(prompt)
    return "" if inputs is None else f"{inputs.answer}\nRating: 2\n{inputs.answer}"
