"""Data tables: the cells a reader sees, from HTML and from aligned text."""

from __future__ import annotations

import pytest

from tasks.filings.reader.blocks import Block, table_text
from tasks.filings.reader.filing import table_html
from tasks.filings.reader.html_blocks import read_html
from tasks.filings.reader.plain_blocks import read_plain
from tasks.filings.reader.scale import table_scale
from tasks.quantities.scales import scale_in


def html_table(*rows: str) -> Block:
    source = "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    (block,) = read_html(source)
    assert block.kind == "table"
    return block


def cells(line: str) -> str:
    return "".join(f"<td>{cell.strip()}</td>" for cell in line.split("|"))


def test_signs_and_brackets_join_their_number() -> None:
    table = html_table(
        cells("| |2023| | |2022|"),
        cells("Revenue|$|1,234| |$|987|"),
        cells("Loss| |(12|)| |(3|)"),
        cells("Margin| |4.5|%| |(1.2|)%"),
    )
    assert table.cells == (
        ("", "2023", "2022"),
        ("Revenue", "$1,234", "$987"),
        ("Loss", "(12)", "(3)"),
        ("Margin", "4.5%", "(1.2)%"),
    )
    assert (
        table.text
        == "| 2023 | 2022\nRevenue | $1,234 | $987\nLoss | (12) | (3)\nMargin | 4.5% | (1.2)%"
    )


def test_heading_over_columns_is_in_each_cell_and_once_in_the_text() -> None:
    table = html_table(
        "<td></td><td colspan=5>Year Ended December 31,</td>",
        "<td></td><td colspan=2>2023</td><td></td><td colspan=2>2022</td>",
        cells("Sales|$|5| |$|4"),
        cells("Costs| |3| | |2"),
    )
    assert table.cells is not None
    assert table.cells[0] == ("", "Year Ended December 31,", "Year Ended December 31,")
    assert table.cells[1] == ("", "2023", "2022")
    assert table.text.split("\n")[0] == "| Year Ended December 31,"


def test_note_beside_a_number_joins_it_but_a_negative_column_does_not() -> None:
    noted = html_table(cells("Shares|100|(1)|40"), cells("Options|20|(2)|30"))
    assert noted.cells == (("Shares", "100(1)", "40"), ("Options", "20(2)", "30"))
    negative = html_table(cells("Other, net|237|(48)|107"), cells("Interest|866|267|29"))
    assert negative.cells == (
        ("Other, net", "237", "(48)", "107"),
        ("Interest", "866", "267", "29"),
    )


def test_rows_below_a_tall_cell_keep_their_columns() -> None:
    table = html_table(
        "<td rowspan=2>Region</td><td>2023</td><td>2022</td>",
        "<td>$5</td><td>$4</td>",
        "<td>East</td><td>3</td><td>2</td>",
    )
    assert table.cells == (("Region", "2023", "2022"), ("", "$5", "$4"), ("East", "3", "2"))


def test_empty_cell_inside_a_row_keeps_its_place_in_the_text() -> None:
    assert table_text(
        (("Paid clicks", "", "43%", "54%"), ("", "", "", "1"), ("Total", "2", "", ""))
    ) == ("Paid clicks | | 43% | 54%\n| | | 1\nTotal | 2")


def test_html_of_a_table_has_no_attributes() -> None:
    table = html_table(
        '<td style="x" width=3>R&amp;D</td><td align="right">5</td>', cells("Sales|7")
    )
    assert table.cells is not None
    assert table_html(table.cells) == (
        "<table><tr><td>R&amp;D</td><td>5</td></tr><tr><td>Sales</td><td>7</td></tr></table>"
    )


DRAWN = """
<TABLE>
<CAPTION>
                                     Years Ended December 31
                                      (dollars in millions)
                                    -------------------------
                                       1993            1992
                                       ----            ----
<S>                                 <C>             <C>
Sales.............................   $ 91,568        $84,407
Net income/(loss).................     (2,529)            -
Return on sales. . . . . . . . . .        3.2%          4.0%
                                     ========        =======
</TABLE>
"""


def test_drawn_table_has_cells_by_column_and_keeps_its_lines() -> None:
    (table,) = read_plain(DRAWN)
    assert table.kind == "table"
    assert table.cells is not None
    assert table.cells[-3:] == (
        ("Sales", "$91,568", "$84,407"),
        ("Net income/(loss)", "(2,529)", "-"),
        ("Return on sales", "3.2%", "4.0%"),
    )
    assert ("", "1993", "1992") in table.cells
    assert "Sales.............................   $ 91,568        $84,407" in table.text.split("\n")
    assert "<" not in table.text
    assert "\n\n" not in table.text


def test_table_drawn_without_marks_is_found_between_paragraphs() -> None:
    source = """
The following table shows the backlog of the company at the end of each of the last two years.

                                1998         1997
     Aircraft                  $2,345       $1,999
     Fastening                    120          110
     Total                     $2,465       $2,109

The backlog grew because of orders from governments, which are paid over several years.
"""
    kinds = [(block.kind, block.text.split("\n")[0]) for block in read_plain(source)]
    assert [kind for kind, _ in kinds] == ["text", "table", "text"]


def test_words_in_columns_are_not_a_data_table() -> None:
    source = (
        "<TABLE>\n<S>                       <C>\nDelaware                  None\n"
        "Maryland                  Some\n</TABLE>"
    )
    assert [block.kind for block in read_plain(source)] == ["text"]


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("(in thousands)", "thousands"),
        ("(In Millions, Except Per Share Amounts)", "millions"),
        ("Dollars in millions", "millions"),
        ("($ in millions)", "millions"),
        ("(Dollar amounts in thousands)", "thousands"),
        ("(millions of dollars)", "millions"),
        ("(Millions)", "millions"),
        ("(U.S. dollars in billions)", "billions"),
        ("$000's omitted", "thousands"),
        ("(000's)", "thousands"),
        ("(amounts in $000)", "thousands"),
        ("expressed in U.S. thousands", "thousands"),
        ("revenue of $1,000 was paid", None),
        ("a million reasons", None),
        ("Year ended December 31,", None),
    ],
)
def test_reads_every_spelling_of_a_scale(text: str, scale: str | None) -> None:
    assert scale_in(text) == scale


def test_scale_comes_from_headings_then_from_the_text_before() -> None:
    body = (("Sales", "5", "4"), ("Costs", "3", "2"))
    assert (
        table_scale((("", "(in thousands)", "(in thousands)"), *body), ["(in millions)"])
        == "thousands"
    )
    assert table_scale((("(In millions)", "2023", "2022"), *body), []) == "millions"
    assert table_scale(body, ["Revenues by region (in millions):"]) == "millions"
    assert table_scale(body, ["Revenues", "(in thousands)"]) == "thousands"
    assert table_scale(body, ["Revenues", "x" * 300 + " (in thousands)"]) is None
    assert (
        table_scale(
            (("Month", "Shares (in thousands)", "Price per share"), *body), ["(in millions)"]
        )
        is None
    )


def test_text_between_cells_after_a_lone_sign_breaks_nothing() -> None:
    source = (
        "<table><tr><td>Sales</td><td>5</td></tr><tr><td>Costs</td><td>3</td></tr>"
        "<tr><td></td><td></td><td>$</td>stray</tr></table>"
    )
    (block,) = read_html(source)
    assert block.cells is not None
    assert "stray" in block.text
