"""Replies of a panel's models, readable and unreadable."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.inference.prompts import fill
from tasks.suites.faith.questions.answerability import Opinion, parse
from tasks.suites.faith.sheets import Sheet, write_sheets

TABLES = write_sheets(
    [
        Sheet(
            index=0,
            pre_text="Results (in thousands)",
            cells=(
                ("", "2023", "2022"),
                ("Net sales", "$4,100", "$3,900"),
                ("Gross profit", "1,090", "1,060"),
            ),
        )
    ]
)


@pytest.mark.parametrize(
    ("reply", "opinion"),
    [
        ('{"reasoning": " Row 1. ", "verdict": "answerable"}', Opinion(True, "Row 1.")),
        (
            'I think.\n```json\n{"reasoning": "", "verdict": "Unanswerable"}\n```',
            Opinion(False, None),
        ),
        (
            '{"verdict": "unanswerable"} No: {"verdict": "answerable", "reasoning": 3}',
            Opinion(True, None),
        ),
    ],
)
def test_reads_replies_with_text_around_them(reply, opinion):
    assert parse(reply) == opinion


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("", "no JSON object with a verdict"),
        ("answerable", "no JSON object with a verdict"),
        ('{"verdict": "answerable"', "no JSON object with a verdict"),
        ('{"verdict": "perhaps"}', "neither answerable nor unanswerable"),
        ('{"verdict": ["answerable"]}', "neither answerable nor unanswerable"),
        ("[" * 1200, "no JSON object with a verdict"),
    ],
)
def test_unreadable_reply_gives_the_reason(reply, message):
    with pytest.raises(ParseError, match=message):
        parse(reply)


def test_passages_on_one_context_share_their_prompts_head():
    one, other = (
        fill("faith/answerability", {"tables": TABLES, "passage": passage})
        for passage in ("Sales were <SPAN>5%</SPAN> up.", "Profit was <SPAN>$2</SPAN>.")
    )
    assert one.prefix == other.prefix
    assert TABLES in one.prefix
    assert one.suffix != other.suffix
