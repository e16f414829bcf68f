"""Replies of a panel's models, readable and unreadable."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.inference.prompts import fill
from tasks.suites.faith.questions.answerability import parse
from tasks.suites.shared.tables.sheets import Sheet, write_sheets

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
    ("reply", "is_answerable"),
    [
        ('{"reasoning": " Row 1. ", "verdict": "answerable"}', True),
        ('I think.\n```json\n{"reasoning": "", "verdict": "Unanswerable"}\n```', False),
        ("Verdict: unanswerable.", False),
    ],
)
def test_reads_replies_with_text_around_them(reply, is_answerable):
    assert parse(reply) is is_answerable


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Unanswerable.",
        '{"verdict": "perhaps"}',
        '{"verdict": "unanswerable"}\nNo:\n{"verdict": "answerable"}',
        "[" * 1200,
    ],
)
def test_other_replies_are_unreadable(reply):
    with pytest.raises(ParseError, match="verdict"):
        parse(reply)


def test_passages_on_one_context_share_their_prompts_head():
    one, other = (
        fill("faith/answerability", {"tables": TABLES, "passage": passage})
        for passage in ("Sales were <SPAN>5%</SPAN> up.", "Profit was <SPAN>$2</SPAN>.")
    )
    assert one.prefix == other.prefix
    assert TABLES in one.prefix
    assert one.suffix != other.suffix
