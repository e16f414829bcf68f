"""Replies of models under test are read as they are; each has a class."""

from __future__ import annotations

import json

import pytest

from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer

# What models wrote in the paper's case 3 (appendix C.3), in shape: a nested answer, and no answer.
NESTED = {
    "steps": "First the difference, then its share of the first value.",
    "answer": {
        "change_in_fair_value": "-$13.2 million",
        "percentage_change_in_fair_value": "-85.16%",
    },
}
WITHOUT = {"2023": "$2.3 million", "2022": "$15.5 million", "Analysis": "The value fell."}


@pytest.mark.parametrize(
    ("reply", "kind", "answer"),
    [
        (
            json.dumps(NESTED),
            "answer",
            "change_in_fair_value: -$13.2 million; percentage_change_in_fair_value: -85.16%",
        ),
        (json.dumps(WITHOUT), "no answer", "$2.3 million; $15.5 million; The value fell."),
        ("", "empty", ""),
        ('{"steps": "Look it up.", "answer": ""}', "empty", ""),
        ("It fell by $13.2 million.", "no JSON", "It fell by $13.2 million."),
        # fences and talk
        ('```json\n{"steps": "s", "answer": "5%"}\n```\nHope this helps!', "answer", "5%"),
        ("{'steps': 'as Python', 'answer': '5%'}", "answer", "5%"),
        # several objects: the last one with an answer
        ('{"answer": "4%"}\nThat is wrong.\n{"answer": "5%"}', "answer", "5%"),
        # an object around the object, and an answer below steps, which is none
        ('{"response": {"steps": "s", "answer": 0.62}}', "answer", "0.62"),
        ('{"steps": [{"answer": "3"}], "result": "5"}', "no answer", "answer: 3; 5"),
        # other values
        ('{"answer": ["North", "South", null]}', "answer", "North; South"),
        # escapes that are no JSON, as in formulas
        (r'{"steps": "\( 2 \times 3 \) is 6\%", "answer": "6\%"}', "answer", r"6\%"),
        # cut off or broken: the whole text
        ('{"steps": "s", "answer": "$13', "no JSON", '{"steps": "s", "answer": "$13'),
    ],
)
def test_reads_the_answer_and_the_class(reply: str, kind: str, answer: str) -> None:
    assert read_answer(reply) == AnswerReading(kind, answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("reply", ['{"answer":' * 5_000, '{"answer":[' * 3_000 + "]}" * 3_000])
def test_a_reply_nested_too_deep_is_a_text(reply: str) -> None:
    assert read_answer(reply) == AnswerReading("no JSON", reply)
