"""No text becomes a formula, and each reads back unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.text.visible import defused, restored


@given(st.sampled_from(["", "=", "+", "-", "@", "\t", "'", "'="]), st.text())
def test_no_cell_starts_a_formula_and_each_reads_back(start: str, rest: str) -> None:
    text = start + rest
    assert restored(defused(text)) == text
    assert not defused(text).startswith(("=", "+", "-", "@", "\t"))
