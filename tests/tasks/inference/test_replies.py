"""Replies of models, half of them real, are read as a careful person reads them, or refused."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.inference.operation import Operation, Question, read_reply, render
from tasks.inference.replies import ParseError, answer_of, read_value, split_thoughts
from tasks.suites.registry import SUITES, load_suite
from tests.scripted import response_to

REPLIES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("replies.toml").read_text(encoding="utf-8")
)["replies"]
OPERATIONS = {
    name: operation
    for suite in SUITES
    for name, operation in load_suite(suite).operations.items()
    if operation not in load_suite(suite).answers
}
# answers of models under test are read by the tests of their suites
ASKED = [each for each in REPLIES if each["operation"] in OPERATIONS]


def reading_of(operation: Operation[Any, Any], reply: dict[str, Any]) -> Any:
    """Read a reply as a step does; plain values, None if it is unreadable."""
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})
    (call,) = render(operation, "m", [Question("s", inputs)])
    reason = "length" if reply.get("cut") else "stop"
    response = response_to(call, reply["reply"], finish_reason=reason)
    return plain(read_reply(operation, call.request, response).value)


def plain(value: Any, is_inner: bool = False) -> Any:
    """Return a value as TOML writes it; an inner None is `none`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: plain(each, True) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, True) for each in value]
    return "none" if value is None and is_inner else value


def is_same(found: Any, right: Any) -> bool:
    """Compare a reading; of a value with fields only those that are written down."""
    if isinstance(found, dict) and not isinstance(right, dict):
        return right in (found.get("value"), list(found.values()))
    if isinstance(found, dict):
        return all(is_same(found[name], each) for name, each in right.items())
    if isinstance(found, list) and isinstance(right, list):
        return len(found) == len(right) and all(map(is_same, found, right))
    return bool(found == right)


@pytest.mark.parametrize("reply", ASKED, ids=lambda each: f"{each['operation']}, {each['style']}")
def test_a_reply_is_read_as_a_careful_person_reads_it(reply: dict[str, Any]) -> None:
    found = reading_of(OPERATIONS[reply["operation"]], reply)
    assert is_same(found, reply.get("reads"))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("It depends.", "gives no verdict"),
        ("Verdict: yes\nVerdict: no", "more than one verdict"),
        ('{"verdict": "perhaps"}', "the verdict is none of yes, no"),
    ],
)
def test_a_reply_without_one_option_says_why(reply: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        read_value(reply, "verdict", {"yes": True, "no": False})


ANSWER = "Net sales were $4."
THOUGHTS = {
    "tag": "<think>\nHm.\n</think>\n",
    "tag opened by the prompt": "Hm.</think>",
    "plural": "<thoughts>Hm.</thoughts>",
    "Seed": "<seed:think>Hm.</seed:think>",
    "Seed, opened by the prompt": "Hm.\n</seed:think>",
    "LongCat": "<longcat_think>\nHm.\n</longcat_think>\n",
    "Magistral": "[THINK]Hm.[/THINK]",
    "Kimi": "◁think▷Hm.◁/think▷",
    "Kimi, opened by the prompt": "Hm.\n◁/think▷\n",
    "Gemma": "<|channel>thought\nHm.\n<channel|>",
    "Command": "<|START_THINKING|>Hm.<|END_THINKING|>",
    "reasoning": "<reasoning>\nHm.\n</reasoning>\n",
    "Reasoning": "<Reasoning>Hm.</Reasoning>",
    "Command, before a response": "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>",
    "channels": "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final"
    "<|message|>",
    "channels without an end": "<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>",
    "channels without marks": "analysisHm.assistantfinal",
}


@pytest.mark.parametrize("form", THOUGHTS)
def test_thoughts_in_any_marks_are_no_part_of_an_answer(form: str) -> None:
    answer, thoughts = split_thoughts(THOUGHTS[form] + ANSWER)
    assert answer == ANSWER
    assert (thoughts or "").startswith("Hm.")


@pytest.mark.parametrize(
    "opened", ["<think>", "<seed:think>", "◁think▷", "<reasoning>", "<|channel>thought\n"]
)
def test_thoughts_that_a_limit_cuts_leave_no_answer(opened: str) -> None:
    assert split_thoughts(f"{opened}Hm. So it is") == ("", "Hm. So it is")


@pytest.mark.parametrize(
    "text",
    [
        "The tag `<think>` opens thoughts.",
        "The end is called `</reasoning>` there.",
        "<answer>5</answer><reasoning>because.</reasoning>",
        '{"reasoning": "It fell.", "answer": "4"}',
        "Analysis of sales: they rose.",
        "analysis shows that sales rose",
        "The distribution channel> is not final.",
    ],
)
def test_an_answer_that_names_such_marks_stays_whole(text: str) -> None:
    assert split_thoughts(text) == (text, None)


@pytest.mark.parametrize("piece", ["* ", "[[4]] ", "```\n", " \n", "[[", "{", "here is ", '": "'])
def test_a_long_reply_takes_no_long_time(piece: str) -> None:
    reply = {"reply": piece * (16_000 // len(piece))}
    start = process_time()
    for operation in OPERATIONS.values():
        reading_of(operation, reply)
    assert process_time() - start < 0.5 * len(OPERATIONS)


def test_a_reply_of_nothing_says_so() -> None:
    for reply in ("", " \n", "<think>\nHm.\n</think>"):
        with pytest.raises(ParseError, match="thoughts" if "Hm" in reply else "empty"):
            answer_of(reply)
