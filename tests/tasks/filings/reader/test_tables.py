"""Data tables: the cells a reader sees, from HTML and from aligned text."""

from __future__ import annotations

import time

import pytest

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.html_blocks import read_html


def html_table(*rows: str) -> Block:
    source = "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    (block,) = read_html(source)
    assert block.kind == "table"
    return block


def cells(line: str) -> str:
    return "".join(f"<td>{cell.strip()}</td>" for cell in line.split("|"))


def test_a_table_of_hardly_anything_but_spans_stays_text_and_takes_little_time() -> None:
    row = "<tr>" + "<td rowspan=99 colspan=99>1,234</td>" * 5
    start = time.process_time()
    blocks = read_html("<table>" + row * 3_000)
    assert time.process_time() - start < 5
    assert [block.kind for block in blocks] == ["text"] * 3_000


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("Earnings per common and common equivalent", "share", True),
        ("Balance at December", "31, 2003", True),
        ("LIABILITIES AND STOCKHOLDERS’ EQUITY", "Notes payable", False),
    ],
)
def test_joins_a_label_only_with_its_own_rest(first: str, second: str, whole: bool) -> None:
    rows = [cells(f"{first}||"), cells(f"{second}|5|4"), cells("Total|9|8")]
    read = html_table(*rows).cells
    assert read is not None
    assert ((f"{first} {second}", "5", "4") in read) == whole
    assert ((second, "5", "4") in read) != whole


def test_a_small_number_in_brackets_is_a_negative_if_one_of_its_column_has_a_sign() -> None:
    signed = html_table(cells("Treasury|$|3,343|$|(5)"), cells("Corporate||1,306||(3)")).cells
    assert signed == (("Treasury", "$3,343", "$(5)"), ("Corporate", "1,306", "(3)"))
    notes = html_table(cells("Treasury|$|3,343||(5)"), cells("Corporate||1,306||(3)")).cells
    assert notes == (("Treasury", "$3,343(5)"), ("Corporate", "1,306(3)"))
