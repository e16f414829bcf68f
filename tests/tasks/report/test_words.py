"""Names in a row, and shares in as many digits as they need."""

from __future__ import annotations

import pytest

from tasks.report.words import listed, share


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_names_are_listed(names: list[str], said: str) -> None:
    assert listed(names) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "1.00"),
        (0.0, "0.00"),
        (0.434, "0.43"),
        (284 / 285, "0.996"),
        (1 / 285, "0.004"),
        (9_999 / 10_000, "0.9999"),
    ],
)
def test_nearly_all_is_not_all_and_hardly_any_is_not_none(value: float, said: str) -> None:
    assert share(value) == said
