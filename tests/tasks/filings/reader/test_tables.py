"""Data tables: the cells a reader sees, from HTML and from aligned text."""

from __future__ import annotations

import re
import time

import pytest

from tasks.filings.reader.blocks import Block, table_text
from tasks.filings.reader.cells import is_figure
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


@pytest.mark.parametrize(
    "value", ["30 days", "1,234 shares", "12 months", "4.5 hours", "$1.2M", "($450K)", "€1.2 B"]
)
def test_a_table_of_counts_or_short_amounts_alone_is_a_table(value: str) -> None:
    table = html_table(cells("|2022|2021"), *[cells(f"{n}|{value}|{value}") for n in "NS"])
    assert table.cells == (("", "2022", "2021"), ("N", value, value), ("S", value, value))


UNITS = """CHF {}|₩{}|{} percent|{} MW|PLN {}|{} PLN|RMB {}|NIS {}|Rs. {}|U.S.${}|HK${}|(EUR {})
{} €|{} EUR|AED{}|{} Mcf|{} basis points|{} acres|{} euros|₹{}|C${}|{} bps|£{}|{} million|{} tons"""


@pytest.mark.parametrize("unit", re.split(r"[|\n]", UNITS))
def test_figures_have_any_unit_of_the_one_list(unit: str) -> None:
    rows = [("North", "1,234", "1,100"), ("South", "55", "44")]
    table = html_table(
        cells("|2022|2021"),
        *(cells(f"{name}|{unit.format(a)}|{unit.format(b)}") for name, a, b in rows),
    )
    assert table.cells is not None
    assert table.cells[1:] == tuple((n, unit.format(a), unit.format(b)) for n, a, b in rows)
    drawn = f"{'':20}{'2022':>20}{'2021':>20}\n" + "\n".join(
        f"{name:20}{unit.format(a):>20}{unit.format(b):>20}" for name, a, b in rows
    )
    (block,) = read_plain(drawn)
    assert block.cells is not None
    assert [row[0] for row in block.cells] == ["", "North", "South"]


@pytest.mark.parametrize(("before", "after"), [("CHF", ""), ("", "€"), ("", "MW"), ("NIS", "")])
def test_a_unit_in_a_cell_of_its_own_joins_its_figure(before: str, after: str) -> None:
    row = "|".join(part for figure in ("5", "6") for part in (before, figure, after) if part)
    head = "||2022||2021" if before else "|2022||2021|"
    table = html_table(cells(head), cells(f"North|{row}"), cells(f"South|{row}"))
    joined = [f"{before} {figure} {after}".strip() for figure in ("5", "6")]
    assert table.cells is not None
    assert table.cells[1] == ("North", *joined)


@pytest.mark.parametrize("word", ["90 days", "10-K", "3M", "10K", "5 stores", "2022 MW of"])
def test_no_other_word_makes_a_figure(word: str) -> None:
    assert not is_figure(word)


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


def test_tall_cell_is_in_each_of_its_rows_and_once_in_the_text() -> None:
    table = html_table(
        "<td rowspan=2>East</td><td>Sales</td><td>$5</td><td>$4</td>",
        "<td>Costs</td><td>3</td><td>2</td>",
        "<td>West</td><td>Sales</td><td>3</td><td>2</td>",
    )
    assert table.cells == (
        ("East", "Sales", "$5", "$4"),
        ("East", "Costs", "3", "2"),
        ("West", "Sales", "3", "2"),
    )
    assert table.text == "East | Sales | $5 | $4\n| Costs | 3 | 2\nWest | Sales | 3 | 2"


def test_a_table_of_hardly_anything_but_spans_stays_text_and_takes_little_time() -> None:
    row = "<tr>" + "<td rowspan=99 colspan=99>1,234</td>" * 5
    start = time.process_time()
    blocks = read_html("<table>" + row * 3_000)
    assert time.process_time() - start < 5
    assert [block.kind for block in blocks] == ["text"] * 3_000


def test_empty_cell_inside_a_row_keeps_its_place_in_the_text() -> None:
    assert table_text(
        (("Paid clicks", "", "43%", "54%"), ("", "", "", "1"), ("Total", "2", "", ""))
    ) == ("Paid clicks | | 43% | 54%\n| | | 1\nTotal | 2")


@pytest.mark.parametrize(
    ("open_line", "close_line"), [("<div>", "</div>"), ("<p>", "</p>"), ("", "<br>")]
)
def test_stacked_cells_are_rows(open_line: str, close_line: str) -> None:
    def stack(*lines: str) -> str:
        return "".join(f"{open_line}{line or '&nbsp;'}{close_line}" for line in lines)

    labels = stack("Current assets:", "Cash", "Inventories", "Other:", "Prepaid rent")
    table = html_table(
        "<td></td><td>2003</td><td>2002</td>",
        f"<td>{labels}</td><td>{stack('', '$ 5,123', '3,200', '', '12')}</td>"
        f"<td>{stack('', '$ 4,123', '2,200', '', '10')}</td>",
    )
    assert table.cells == (
        ("", "2003", "2002"),
        ("Current assets:", "", ""),
        ("Cash", "$5,123", "$4,123"),
        ("Inventories", "3,200", "2,200"),
        ("Other:", "", ""),
        ("Prepaid rent", "12", "10"),
    )


def test_stacks_of_different_heights_stay_cells() -> None:
    table = html_table(
        cells("|December 31,<br>2003|December 31,<br>2002"),
        cells("Cash and<br>short-term<br>investments|5<br>3|4<br>2"),
        cells("Debt|5|4"),
        cells("Equity|3|2"),
    )
    assert table.cells == (
        ("", "December 31, 2003", "December 31, 2002"),
        ("Cash and short-term investments", "5 3", "4 2"),
        ("Debt", "5", "4"),
        ("Equity", "3", "2"),
    )


def test_fraction_is_one_figure() -> None:
    table = html_table(
        cells("High|14<sup>1</sup>/<sub>2</sub>|9 3/4|53&frac12;"), cells("Low|2-13/16|7 1/8|-0-")
    )
    assert table.cells == (("High", "14 1/2", "9 3/4", "53½"), ("Low", "2-13/16", "7 1/8", "-0-"))


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("Earnings per common and common equivalent", "share", True),
        ("Income taxes, net of", "Federal benefit", True),
        ("Shares outstanding", "(in thousands)", True),
        ("Total stockholders’", "Equity", True),
        ("Balance at December", "31, 2003", True),
        ("Assets:", "cash", False),
        ("Revenues", "Product sales", False),
        ("Revenues", "(a) Product sales", False),
        ("LIABILITIES AND STOCKHOLDERS’ EQUITY", "Notes payable", False),
    ],
)
def test_joins_a_label_only_with_its_own_rest(first: str, second: str, whole: bool) -> None:
    rows = [cells(f"{first}||"), cells(f"{second}|5|4"), cells("Total|9|8")]
    read = html_table(*rows).cells
    assert read is not None
    assert ((f"{first} {second}", "5", "4") in read) == whole
    assert ((second, "5", "4") in read) != whole


def test_label_that_goes_on_below_its_figures_is_joined() -> None:
    table = html_table(
        cells("|1995|1994"),
        cells("Balance sheets at June 30, 1995 and|22|21"),
        cells("June 30, 1994||"),
        cells("Year ended June 30,|1995|1994"),
        cells("Statements of income||"),
        cells("Parent|23|24"),
    )
    assert table.cells is not None
    labels = [row[0] for row in table.cells]
    assert labels[1] == "Balance sheets at June 30, 1995 and June 30, 1994"
    assert labels[2:] == ["Year ended June 30,", "Statements of income", "Parent"]


@pytest.mark.parametrize(
    ("heading", "rows"),
    [
        ("Years Ended December 31,", ("1999", "1998", "1997")),
        ("Fiscal years ending June 30,", ("2000", "Thereafter")),
        ("Loans maturing in", ("2000", "Thereafter")),
        ("Revenue from", ("United States", "Canada")),
        ("Cash flows used in", ("Financing", "Other activities")),
        ("Earnings", ("Per basic share", "Total")),
        ("Assets", ("cash", "Total")),
    ],
)
def test_a_heading_is_not_joined_to_the_first_row_below(heading: str, rows: list[str]) -> None:
    table = html_table(
        cells("|Amount|Share"), cells(f"{heading}||"), *(cells(f"{row}|$1,200|10") for row in rows)
    )
    assert table.cells is not None
    assert [row[0] for row in table.cells] == ["", heading, *rows]


@pytest.mark.parametrize(
    ("row", "heading"),
    [
        ("Balance at January 1,", "Comprehensive income"),
        ("Income taxes, including", "Segment data"),
        ("Common stock (par $1; authorized", "Preferred stock"),
    ],
)
def test_a_row_with_figures_does_not_take_the_heading_below(row: str, heading: str) -> None:
    table = html_table(cells(f"{row}|5|4"), cells(f"{heading}||"), cells("Series A|9|8"))
    assert table.cells is not None
    assert [row[0] for row in table.cells] == [row, heading, "Series A"]


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
