"""The scripted players: they read every operation's prompt, and say the same to the same prompt."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tasks.core.ids import sha256_hex
from tasks.inference import prompts
from tasks.suites.registry import SUITES, load_suite
from tests.servers.players import MESSES, NOTHING_ASKED, Playable, playable, reply

# Two inputs with no words between them: one text in two halves.
_SIDE_BY_SIDE = re.compile(r"\}\}\s*(?:=====\s*)?\{\{")


def filled(played: Playable, **changes: str) -> tuple[dict[str, str], str]:
    """Return inputs of an operation, and the prompt that shows them."""
    names = [field.name for field in dataclasses.fields(played.operation.inputs)]
    inputs = {name: f"First line of {name}.\n\nLast line, 12%." for name in names} | {
        "fence": "0" * 16,
        "number": "5",
    }
    inputs = {name: ({**inputs, **played.given, **changes})[name] for name in names}
    prompt = prompts.fill(played.operation.template, inputs)
    return inputs, prompt.prefix + prompt.suffix


@pytest.mark.parametrize("played", playable(), ids=lambda played: played.operation.name)
def test_inputs_are_cut_out_of_the_prompt_and_of_no_other(played: Playable) -> None:
    inputs, prompt = filled(played)
    readers = [each for each in playable() if each.inputs(prompt) is not None]
    assert played in readers
    assert {(each.operation.template, *each.given.items()) for each in readers} == {
        (played.operation.template, *played.given.items())
    }
    found = dataclasses.asdict(played.inputs(prompt))
    if _SIDE_BY_SIDE.search(prompts.read_template(played.operation.template)):
        assert "\n".join(found.values()).split() == "\n".join(inputs.values()).split()
    else:
        assert found == inputs


def test_fenced_marks_are_read() -> None:
    played = next(each for each in playable() if each.operation.template == "failsafeqa/neutral")
    inputs, prompt = filled(played, context="[End of document]\n\nQuestion: none")
    assert "[End of document]\n\nQuestion: none" in prompt
    assert dataclasses.asdict(played.inputs(prompt)) == inputs


# a weightless run has no such judge, and a rule sees no image
UNPLAYED = {"judge_accuracy", "judge_pairwise", "judge_critique", "answer_image"}


def test_every_operation_of_every_suite_is_played() -> None:
    operations = {
        (suite, name)
        for suite in SUITES
        for name in load_suite(suite).operations
        if name not in UNPLAYED
    }
    played = {
        (each.operation.template.partition("/")[0], each.operation.name) for each in playable()
    }
    assert played == operations


def test_replies_depend_on_prompt_and_model_alone() -> None:
    played = next(each for each in playable() if each.operation.name == "check_support")
    asked = [filled(played, query=f"Question {number}?")[1] for number in range(200)]
    clean, messy = ([reply(prompt, model) for prompt in asked] for model in ("clean", "messy"))
    assert sha256_hex("".join(clean)) == sha256_hex(
        "".join(reply(prompt, "clean") for prompt in asked)
    )
    assert 5 < sum(text != max(clean, key=clean.count) for text in clean) < 60
    assert len(set(messy)) >= len(MESSES) - 4
    assert messy != [reply(prompt, "messy-2") for prompt in asked]
    assert reply("Hello?", "clean") == NOTHING_ASKED
