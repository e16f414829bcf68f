"""HTML to paragraphs: traps of thirty years of filings, one small case each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.filings.reader.html_blocks import read_html


def texts(source: str) -> list[str]:
    return [block.text for block in read_html(source)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p><b>Item</b>\n<b>1.</b></p>", "Item 1."),
        ("<p>the company&#146;s &#147;plan&#148;</p>", "the company’s “plan”"),
        ("<p>\ufeffForm 10\u2011K</p>", "Form 10-K"),
        ("<p>profit < 5 and > 3</p>", "profit < 5 and > 3"),
        ("<p>sales<sup>1</sup> were 12<sup>(2)</sup></p>", "sales(1) were 12(2)"),
        ("<p>Yes <font face='Wingdings'>þ</font> No <font>¨</font></p>", "Yes ☑ No ☐"),
    ],
)
def test_paragraph_reads_as_a_browser_shows_it(source: str, text: str) -> None:
    assert texts(source) == [text]


@given(st.lists(st.sampled_from([
    "<p>", "</p>", "<b>", "</b>", "<td>", "</td>", "<tr>", "<table>", "</table>", "<div>", "</div>",
    "<br>", "&nbsp;", " ", "word", "12", "<sup>", "</sup>", "<td colspan=3 rowspan=2>", "</font>",
]), max_size=40))  # fmt: skip
def test_loses_and_moves_no_word_despite_bad_nesting(pieces: list[str]) -> None:
    numbered = [
        f"{piece}{index}" if piece in ("word", "12") else piece
        for index, piece in enumerate(pieces)
    ]
    words = [piece for piece in numbered if piece.startswith(("word", "12"))]
    read = "".join(block.text for block in read_html("".join(numbered)))
    for word in words:
        assert word in read
    assert "<" not in read


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ('<td style="visibility:hidden">9</td><td>5</td>', ("Sales", "", "5")),
        ('<td style="display:none">9</td><td>5</td><td>6</td>', ("Sales", "5", "6")),
        ('<td><span style="font-size:6pt">5</span></td><td>6</td>', ("Sales", "5", "6")),
    ],
)
def test_cells_are_as_a_browser_shows_them(row: str, cells: tuple[str, ...]) -> None:
    table = f"<tr><td>Sales</td>{row}</tr><tr><td>Clay</td><td>7</td><td>8</td></tr>"
    (block,) = read_html(f"<html><body><table>{table}</table></body></html>")
    assert block.cells == (cells, ("Clay", "7", "8"))


def test_a_style_sheet_of_any_shape_takes_little_time() -> None:
    for piece in ("<style>", "/*", "@{", "{", "}", ".a{", "<style>@media x{"):
        assert read_html(f"<html><style>{piece * 20_000}</style><p>5</p>")[-1].text.endswith("5")
