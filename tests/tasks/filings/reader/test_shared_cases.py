"""Small inputs that the reader once got wrong; the README beside them has the right values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tests.some import some
from tests.tasks.filings.reader.record import describe, read_files, recorded


def parsed(shared: Path, name: str) -> ParsedFiling:
    return parse_filing((shared / "cases" / name).read_bytes(), name)


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


def test_what_is_read_of_each_case_is_as_recorded(shared: Path) -> None:
    for name, filing in some(read_files(shared / "cases").items()):
        assert describe(name, filing) == recorded()[name]
