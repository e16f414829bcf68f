"""An answer is in a text if its value or its words are."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.generation.changes import holds


@pytest.mark.parametrize(
    ("text", "answer", "is_held"),
    [
        ("Sales were $7.7 billion.", "$7.7 billion", True),
        ("Sales were $7,700 million.", "$7.7 billion", True),
        ("(In millions) | 2021\nSales | 7,700", "$7,700 million", True),
        ("Sales rose by 7.7%.", "$7.7 billion", False),
        ("Sales were $7.7 million.", "$7.7 billion", False),
        ("We moved to Salem,\nOregon in 2019.", "Salem, Oregon", True),
        ("We moved to Oregon in 2019.", "Salem, Oregon", False),
    ],
)
def test_holds_a_value_whatever_its_scale(text: str, answer: str, is_held: bool) -> None:
    assert holds(text, answer) is is_held
