"""Invented replies are read as a careful person reads them, or refused."""

from __future__ import annotations

import dataclasses
import tomllib
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.inference.client import ask
from tasks.inference.operation import Call, Operation, Question, read_reply, render
from tasks.inference.prompts import read_template
from tasks.inference.replies import (
    EMPTY,
    ONLY_REPEATS,
    ParseError,
    answer_of,
    first_tag,
    split_thoughts,
)
from tasks.suites.failsafeqa.questions.dialogue import Turn
from tasks.suites.failsafeqa.questions.rating import Rated
from tasks.suites.registry import SUITES, load_suite
from tests.scripted import Scripted, response_to


def corpus(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(
        Path(__file__).with_name(name).read_text(encoding="utf-8")
    )["replies"]
    return found


REPLIES = corpus("replies.toml")
# TableQuest's are read by its own tests
OF_TABLEQUEST = [
    each for part in ("build", "judge") for each in corpus(f"replies_tablequest_{part}.toml")
]
OF_REFUSALBENCH = corpus("replies_refusalbench.toml")  # read by its own tests, too
OPERATIONS = {
    name: operation
    for suite in SUITES
    for name, operation in load_suite(suite).operations.items()
    if operation not in load_suite(suite).answers
}


def reading_of(operation: Operation[Any, Any], reply: dict[str, Any]) -> Any:
    """Read a reply as a step does; plain values, None if it is unreadable."""
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})
    (call,) = render(operation, "m", [Question("s", inputs)])
    reason = "length" if reply.get("cut") else "stop"
    response = response_to(call, reply["reply"], finish_reason=reason)
    return plain(read_reply(operation, call.request, response).value)


def plain(value: Any) -> Any:
    match value:
        case Turn():
            return [value.user, value.assistant]
        case Rated():
            return value.value
        case tuple():
            return [plain(each) for each in value]
    return value


def test_every_operation_has_ten_styles_of_replies() -> None:
    styles = {
        (each["operation"], each["style"]) for each in (*REPLIES, *OF_TABLEQUEST, *OF_REFUSALBENCH)
    }
    counts = Counter(name.partition("_")[0] if name.startswith("judge") else name
                     for name, _ in styles)  # fmt: skip
    assert len(REPLIES) >= 150
    assert {operation for operation, _ in styles} == {
        name.partition("_by_")[0]
        for name in OPERATIONS  # a judge by other evidence reads alike
    }
    assert min(counts.values()) >= 10


def test_at_least_95_of_100_replies_are_read_right_and_none_wrong() -> None:
    wrong, refused = [], []
    for each in REPLIES:
        found, right = reading_of(OPERATIONS[each["operation"]], each), each.get("reads")
        if found != right:
            (refused if found is None else wrong).append((each["operation"], each["style"], found))
    assert not wrong, wrong
    assert len(refused) <= 0.05 * len(REPLIES), refused


@pytest.mark.parametrize(
    ("name", "first", "second", "reads"),
    [
        ("judge_answerable", "Rating: [[4]]\nRating: [[5]]", "Right.\nRating: [[4]]", 4),
        ("judge_answerable", "Verdict: 4/6\nRating: 5", "Rating: 5", 5),
        ("check_support", "Verdict: yes\nVerdict: no", "Verdict: yes", True),
        ("answerability", '{"verdict": "answerable"}\n{"verdict": "unanswerable"}',
         '{"verdict": "answerable"}', True),
    ],
)  # fmt: skip
def test_a_repair_may_repeat_a_line_of_the_first_reply(
    name: str, first: str, second: str, reads: Any
) -> None:
    operation = OPERATIONS[name]
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})

    def reply(call: Call) -> str:
        return second if call.request.repairs else first

    (read,) = ask(Scripted(reply, identity="m"), operation, [Question("s", inputs)])
    assert read.value == reads


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
    "attribute": '<think type="deep">Hm.</think>',
    "attribute in brackets": "[think lang=en]Hm.[/think]",
    "nested": "<think>Hm. <think>So</think> it is</think>",
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
    "text",
    [
        "<|channel|>final<|message|>Yes<|return|>",
        "<|START_RESPONSE|>Yes<|END_RESPONSE|>",
        "<think>Hm.</think>Yes<|eot_id|>\n",
        "Yes<|im_end|><|endoftext|>",
    ],
)
def test_special_tokens_around_an_answer_are_no_part_of_it(text: str) -> None:
    assert split_thoughts(text)[0] == "Yes"


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


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("<plan>\nFirst", "<plan>"),
        (" <|inner_prefix|>So", "<|inner_prefix|>"),
        ("[PLAN]So", "[PLAN]"),
        ("◁plan▷So", "◁plan▷"),
        ("[12, 14]", None),
        ("<3 per cent", None),
        ("Sales <b>rose</b>", None),
        ('["12"]', None),
    ],
)
def test_the_tag_that_begins_a_text(text: str, tag: str | None) -> None:
    assert first_tag(text) == tag


@pytest.mark.parametrize("piece", ["* ", "[[4]] ", "```\n", " \n", "[[", "{", "here is ", '": "'])
def test_a_long_reply_takes_no_long_time(piece: str) -> None:
    reply = {"reply": piece * (16_000 // len(piece))}
    start = process_time()
    for operation in OPERATIONS.values():
        reading_of(operation, reply)
    assert process_time() - start < 0.5 * len(OPERATIONS)


def test_a_reply_that_repeats_its_instructions_is_not_called_empty() -> None:
    template = "failsafeqa/rewriting"
    lines = [line for line in read_template(template).splitlines() if "{{" not in line]
    for reply, reason in ((max(lines, key=len), ONLY_REPEATS), (" \n", EMPTY)):
        with pytest.raises(ParseError, match=reason):
            answer_of(reply, template)
