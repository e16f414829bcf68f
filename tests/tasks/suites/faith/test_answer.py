"""Restoring a masked figure: its prompt, its parser, and a reader that cannot peek."""

from __future__ import annotations

import dataclasses

import pytest

from tasks.inference import prompts
from tasks.inference.operation import ParseError
from tasks.suites.faith.answer import (
    BASIS_POINTS,
    NEITHER,
    OPERATION,
    PERCENTAGE,
    POINTS,
    MaskedInputs,
    Restored,
    form_of,
    parse,
)

TABLES = "### Table 0: Sales (in millions):\n,2023,2022\nPump sales,$426.4,$380.2\n"
PASSAGE = "Pump sales were [MASK] in 2023."


def test_the_tables_are_in_the_prefix_and_the_passage_behind_them() -> None:
    inputs = MaskedInputs(TABLES, NEITHER, PASSAGE)
    prompt = prompts.fill(OPERATION.template, dataclasses.asdict(inputs))
    assert [part in prompt.prefix for part in (TABLES, NEITHER, PASSAGE)] == [True, False, False]
    assert [part in prompt.suffix for part in (NEITHER, PASSAGE)] == [True, True]


@pytest.mark.parametrize(
    ("truth", "form"),
    [
        ("126%", PERCENTAGE),
        ("50 basis points", BASIS_POINTS),
        ("one percentage point", POINTS),
        ("$60.9 billion", NEITHER),
        ("no number at all", NEITHER),
    ],
)
def test_of_the_truth_only_its_form_is_said(truth: str, form: str) -> None:
    assert form_of(truth) == form


@pytest.mark.parametrize(
    "reply",
    [
        (
            '{"answer": "$5 million", "scenario": "B", '
            '"necessary_metrics": "sales", "reference": ["T1"]}'
        ),
        'Here it is:\n```json\n{"results": {"answer": " $5 million ", "scenario": "B", '
        '"necessary_metrics": ["sales"], "reference": ["T1"]}}\n```\nDone {as asked}.',
        '{"thoughts": 1} {"results": {"answer": "$5 million", "scenario": " B ", '
        '"necessary_metrics": ["sales"], "reference": ["T1"]}}',
    ],
)
def test_a_reply_is_read_as_models_write_it(reply: str) -> None:
    restored = parse(reply)
    assert (restored.answer, restored.scenario) == ("$5 million", "B")


@pytest.mark.parametrize(
    "steps",
    [
        "1. Table 0, row Pump sales: 426.4 in 2023.\n2. No calculation {is needed}.",
        'First try: {"results": {"answer": "$380.2 million", "scenario": "A"}}. No, that is 2022.',
    ],
)
def test_steps_are_no_part_of_the_answer(steps: str) -> None:
    reply = f'{steps}\n\n```json\n{{"results": {{"answer": "$426.4 million"}}}}\n```'
    assert parse(reply) == Restored("$426.4 million", None)
    with pytest.raises(ParseError, match="no JSON object"):
        parse(steps.partition("{")[0])


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ('{"results": {"scenario": "A"}}', "no JSON object"),
        ('{"results": {"answer": ""}}', "empty"),
        ("{" * 100_000, "no JSON object"),
        ('{"answer": NaN}', "no finite number"),
    ],
)
def test_a_reply_without_an_answer_says_what_is_wrong(reply: str, problem: str) -> None:
    with pytest.raises(ParseError, match=problem):
        parse(reply)
