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


@pytest.mark.parametrize(
    "source",
    [
        "<p><b>Item 1. Business</b></p>",
        (
            '<div><span style="font-weight:700">Item 1.</span> '
            '<font style="font-weight:bold">Business</font></div>'
        ),
        "<table><tr><td><b>Item 1.</b></td><td><b>Business</b></td></tr></table>",
    ],
)
def test_fully_emphasised_block_is_bold(source: str) -> None:
    (block,) = read_html(source)
    assert (block.text, block.is_bold) == ("Item 1. Business", True)


def test_keeps_anchors_that_a_link_points_to() -> None:
    source = (
        '<p><a href="#item1">Item 1</a> <a href="http://x/#y">web</a></p>'
        '<a name="item1"></a><p id="unused">Item 1. Business</p>'
    )
    index, heading = read_html(source)
    assert index.links == ("#item1",)
    assert heading.anchors == ("#item1",)


@pytest.mark.parametrize(
    "edge",
    [
        '<hr style="page-break-after:always">',
        "<page>",
        "<!-- Field: Page; Sequence: 2 -->",
    ],
)
def test_page_breaks_are_counted(edge: str) -> None:
    assert [block.page for block in read_html(f"<p>one</p>{edge}<p>two</p>")] == [0, 1]


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


def test_thousands_of_unclosed_hidden_tags_cost_no_more_than_one() -> None:
    source = '<p style="display:none"><b>x</b> word ' * 20_000
    assert len(read_html(source)) == 1
