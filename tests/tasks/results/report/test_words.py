"""Names in a row."""

from __future__ import annotations

import pytest

from tasks.results.report.words import listed


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_names_are_listed(names: list[str], said: str) -> None:
    assert listed(names) == said
