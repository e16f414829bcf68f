"""What a browser raises is the mark of a note, and what it does not show is no text."""

from __future__ import annotations

import pytest

from tasks.filings.reader.html_blocks import read_html


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
