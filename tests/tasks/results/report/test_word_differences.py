"""Differences between two wordings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.results.report.cases import word_differences


def marked(old: str, new: str) -> str:
    marks = {"kept": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(marks[kind].format(text) for kind, text in word_differences(old, new))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("What was revenue?", "What was revenu?", "What was [-revenue-]{+revenu+}?"),
        ("What was the revenue?", "revenue", "[-What was the -]revenue[-?-]"),
        (
            "cash of $1,234.5 million",
            "cash of $1,284.5 million",
            "cash of $[-1,234.5-]{+1,284.5+} million",
        ),
    ],
)
def test_compares_word_by_word(old: str, new: str, shown: str) -> None:
    assert marked(old, new) == shown


TEXTS = st.text(alphabet="ab1 .,\n", max_size=40)


@given(TEXTS, TEXTS)
def test_pieces_contain_both_wordings(old: str, new: str) -> None:
    pieces = word_differences(old, new)
    assert "".join(text for kind, text in pieces if kind != "added") == old
    assert "".join(text for kind, text in pieces if kind != "removed") == new
    assert all(text for _, text in pieces)
