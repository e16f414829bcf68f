"""What a browser raises is the mark of a note, and what it does not show is no text."""

from __future__ import annotations

import pytest

from tasks.filings.reader.html_blocks import read_html

SHEET = """<style type="text/css"><!-- /* c */
.sup, td.s {vertical-align: super} .tiny{font-size:6pt}
#t{font-size:50%} #h, span#H2{display:none} #v{visibility:hidden} div#p{display:none}
.h{display:none} span.v{visibility:hidden} @media print {.p{display:none}} p{font-size:10pt} -->
</style>"""


def text(inside: str) -> str:
    blocks = read_html(f"<html>{SHEET}<body><p>{inside}</p></body></html>")
    return " / ".join(block.text for block in blocks)


@pytest.mark.parametrize(
    "mark",
    [
        '<span style="vertical-align:3pt">1</span>',
        '<font style="position: relative; bottom: 0.4em">1</font>',
        '<span style="font:6pt Arial">1</span>',
        '<span class="sup">1</span>',
    ],
)
def test_a_raised_or_much_smaller_digit_behind_text_is_a_mark(mark: str) -> None:
    assert text(f"by 16% in 2022{mark}. Neither") == "by 16% in 2022(1). Neither"
    siblings = f'<span style="font-size:10pt">3.8 million</span>{mark}<span> hours</span>'
    assert text(siblings) == "3.8 million(1) hours"


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
