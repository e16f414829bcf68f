"""No text becomes a formula, and each reads back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.text.spreadsheet import defused, restored


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://evil.example")',
        "+1",
        "-1",
        "@SUM(A1)",
        "\tx",
        "'=quoted",
        "'tis",
        "=cmd|' /C calc'!A0",
    ],
)
def test_no_cell_starts_a_formula_and_each_reads_back(text) -> None:
    assert defused(text)[0] == "'"
    assert restored(defused(text)) == text


@given(st.text())
def test_any_text_reads_back(text) -> None:
    assert restored(defused(text)) == text
    assert not defused(text).startswith(("=", "+", "-", "@"))
