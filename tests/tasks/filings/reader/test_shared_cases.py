"""Small inputs that the reader once got wrong; the README beside them has the right values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tests.some import some
from tests.tasks.filings.reader.record import describe, read_files, recorded


def parsed(shared: Path, name: str) -> ParsedFiling:
    return parse_filing((shared / "cases" / name).read_bytes(), name)


@pytest.mark.parametrize("how", ["pt_align", "small_only", "text_top"])
def test_raised_marks_do_not_touch_figures(shared: Path, how: str) -> None:
    filing = parsed(shared, f"raised_{how}.htm")
    (table,) = filing.tables
    assert table.cells[1:3] == (("Sales", "1,234(1)", "1,111(2)"), ("Kiln gas(3)", "812", "799(4)"))
    assert "by 4.2%(1) in 2022(2) to $1.2 million(3)." in filing.document.text


def test_workiva_s_marks_do_not_touch_figures(shared: Path) -> None:
    filing = parsed(shared, "raised_figures.htm")
    (table,) = filing.tables
    assert table.cells[1] == ("Sales", "$1,234(1)", "$1,111(2)")
    assert "in 2021(1) to $1,234 thousand" in filing.document.text


@pytest.mark.parametrize(
    "how",
    [
        "css_class",
        "font_size_0",
        "hidden_attr",
        "ix_hidden_outside_header",
        "template",
        "visibility_hidden",
    ],
)
def test_hidden_text_is_no_text(shared: Path, how: str) -> None:
    (table,) = parsed(shared, f"hidden_{how}.htm").tables
    assert table.cells[1] == ("Sales", "1,234", "1,111")


@pytest.mark.parametrize(
    ("name", "cell", "scale"),
    [
        ("cur_before_CHF.htm", "CHF 1,234", "thousands"),
        ("cur_before_won.htm", "₩1,234", "thousands"),
        ("unit_after_eur_sign.htm", "1,234 €", "thousands"),
        ("unit_after_percent_word.htm", "1,234 percent", None),
        ("unit_after_MW.htm", "1,234 MW", None),
    ],
)
def test_figures_with_a_unit_make_a_table(
    shared: Path, name: str, cell: str, scale: str | None
) -> None:
    (table,) = parsed(shared, name).tables
    assert (len(table.cells), table.cells[1][1], table.scale) == (4, cell, scale)


def test_the_main_document_is_not_in_code(shared: Path) -> None:
    filing = parsed(shared, "uu_pdf_first.txt")
    assert filing.document.text.startswith("UNITED STATES")
    assert "begin 644" not in filing.document.text


def test_a_table_that_a_page_cuts_keeps_its_heads_and_scale(shared: Path) -> None:
    tables = parsed(shared, "page_broken_many.htm").tables
    assert len(tables) == 8
    for table in tables:
        assert table.cells[0][1:] == ("2022", "2021")
        assert [row[0] for row in table.cells[2:]] == ["Clay", "Gas", "Freight", "Net"]
        assert table.scale == "thousands"


def test_what_is_read_of_each_case_is_as_recorded(shared: Path) -> None:
    for name, filing in some(read_files(shared / "cases").items()):
        assert describe(name, filing) == recorded()[name]
