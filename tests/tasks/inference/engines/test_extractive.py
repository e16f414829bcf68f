"""The weightless engine sees only the prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tasks.core.rows import Sampling
from tasks.inference import prompts
from tasks.inference.client import ask
from tasks.inference.engines import load_engine
from tasks.inference.engines.extractive import Rule
from tasks.inference.operation import Operation, ParseError, Question
from tasks.models.catalogue import find_model

TEMPLATE = "Count the words.\n\n[Start]\n{{ text }}\n[End]\n=====\nOf {{ who }}:\n"


@dataclass(frozen=True)
class Inputs:
    text: str
    who: str


def count_words(inputs: Inputs) -> str:
    return f"{inputs.who} {len(inputs.text.split())}"


COUNT_WORDS = Rule(count_words)


def read_count(text: str) -> int:
    try:
        return int(text.split()[-1])
    except ValueError as wrong:
        raise ParseError("no count at the end of the reply") from wrong


@pytest.fixture(autouse=True)
def _template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "read_template", lambda name: TEMPLATE)


def operation(max_tokens: int = 50, may_be_cut: bool = False) -> Operation[Inputs, int]:
    return Operation(
        name="count",
        template="test/count",
        inputs=Inputs,
        parse=read_count,
        sampling=Sampling(temperature=0.0, max_tokens=max_tokens),
        may_be_cut=may_be_cut,
    )


def questions(n: int) -> list[Question[Inputs]]:
    return [
        Question(f"s{number}", Inputs("a b " * (number % 7), f"reader {number}"))
        for number in range(n)
    ]


def engine(asked: Operation, rule: Rule = COUNT_WORDS, model: str = "extractive"):
    return load_engine(find_model(model), {asked.name: asked}, {asked.name: rule})


def test_the_bold_baseline_plays_bold_rules_where_there_are_any_under_its_own_name() -> None:
    asked = operation()
    bold = replace(COUNT_WORDS, bold=lambda inputs: "always 7")
    for rule, value in ((bold, 7), (COUNT_WORDS, 2)):
        (reply,) = ask(engine(asked, rule, "extractive-bold"), asked, questions(2)[1:])
        assert (reply.value, reply.request.model) == (value, "extractive-bold")
    assert [reply.value for reply in ask(engine(asked, bold), asked, questions(2)[1:])] == [2]
