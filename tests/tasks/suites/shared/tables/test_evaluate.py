"""Operations of stored derivations, evaluated without the search."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tasks.suites.shared.tables.evaluate import OPERATIONS, evaluate


@pytest.mark.parametrize(
    ("operation", "values", "expected"),
    [
        ("lookup", ["60922"], "60922"),
        ("difference", ["120", "150"], "-30"),
        ("percent_change", ["120", "150"], "-20"),
        ("percent_change", ["-120", "-150"], "20"),
        ("point_difference", ["72.7", "56.9"], "15.8"),
        ("basis_points", ["4.5", "4.25"], "25"),
        ("share", ["30", "120"], "25"),
        ("average", ["10", "20"], "15"),
        ("sum", ["1", "2", "3"], "6"),
        ("difference_of_sums", ["10", "20", "5", "15"], "10"),
        ("percent_change_of_sums", ["10", "20", "5", "15"], "50"),
    ],
)
def test_each_operation_computes_its_value(
    operation: str, values: list[str], expected: str
) -> None:
    assert evaluate(operation, [Decimal(value) for value in values]) == Decimal(expected)


def test_unknown_operation_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no operation 'guess'.*lookup"):
        evaluate("guess", [Decimal(1)])


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_refuses_wrong_operands(operation: str) -> None:
    with pytest.raises(ValueError, match=f"{operation} takes"):
        evaluate(operation, [])


def test_division_by_zero_names_the_operation() -> None:
    with pytest.raises(ZeroDivisionError, match="share of 5, 0"):
        evaluate("share", [Decimal(5), Decimal(0)])
