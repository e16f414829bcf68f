"""A snippet as a document: tables are tables, and all else is text."""

from __future__ import annotations

from tasks.suites.tablequest.answer import document_of
from tasks.suites.tablequest.snippets import write_snippet

TABLE = (
    '<table><tr><th rowspan="2">A &amp; B</th><th colspan="2">2023</th></tr>'
    "<tr><th>Q1</th><th>Q2</th></tr><tr><td>&lt;b&gt;</td><td>1</td><td></td></tr></table>"
)


def body_of(*blocks: str) -> list[str]:
    return document_of(write_snippet(blocks)).partition("</style>\n")[2].split("\n")


def test_a_table_stays_as_it_is_and_each_cell_has_its_own_direction() -> None:
    (shown,) = body_of(TABLE)
    assert shown.replace(' dir="auto"', "") == TABLE
    assert shown.count(' dir="auto"') == TABLE.count("<td") + TABLE.count("<th")


def test_a_paragraph_is_text_whatever_it_imitates() -> None:
    imitations = (
        "Sales < costs & <b>debt</b>",
        "<table><tr><td><script>alert(1)</script></td></tr></table>",
        '<table><tr><td onclick="alert(1)">1</td></tr></table>',
        "<table><tr><td>1</td></tr></table><img src=x><table></table>",
        '<table style="display:none"><tr><td>1</td></tr></table>',
        "<table><tr><td>1</th></tr></table>",
    )
    for text in imitations:
        (shown,) = body_of(text)
        inside = shown.removeprefix('<p dir="auto">').removesuffix("</p>")
        assert "<" not in inside
        assert "&lt;" in inside
