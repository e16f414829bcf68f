"""Expressions over named cells are computed exactly, or refused; nothing is executed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.suites.shared.tables.expressions import ExpressionError, evaluate_expression

VALUES = {"A": Decimal("394328"), "B": Decimal("365817"), "C": Decimal("0.1"), "net": Decimal(3)}


def value_of(expression: str) -> Decimal:
    return evaluate_expression(expression, VALUES, Decimal)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("A - B", "28511"),
        ("C + C + C", "0.3"),
        ("-(A - B) × 2", "-57022"),
        ("A ÷ 2", "197164"),
        ("[A - B] / 1", "28511"),
        ("A - 365,817", "28511"),
        ("net * 2.", "6"),
        ("A\n- B", "28511"),
    ],
)
def test_expressions_are_exact(expression: str, value: str) -> None:
    assert value_of(expression) == Decimal(value)


@pytest.mark.parametrize(
    "expression",
    [
        "", " ", "A -", "A B", "A(B)", "A.real", "A ** 9", "A // B", "A % B", "A if B else C",
        "A, B", "[A, B][0]", "A = 5", "A := 5", "lambda: A", "__import__('os')", "'A' + 'B'",
        "A & B", "~A", "not A", "A < B", "1e999999", "0x10", "1_000", "2j", "None", "True",
        "A / 0", "A / (B - B)", "D - A", "2A", "A" * 9 + "!", "(" * 200 + "A" + ")" * 200,
        "+".join(["A"] * 199), "9" * 26, "A\x00B", "Ａ; B",
    ],
)  # fmt: skip
def test_anything_else_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        value_of(expression)


@pytest.mark.parametrize(
    "piece", ["-", "(", "A*", "9", "-A", "((A))*", "the change of sales, in percent; "]
)
def test_a_long_expression_takes_no_long_time(piece: str) -> None:
    start = process_time()
    with pytest.raises(ExpressionError):
        value_of(piece * 100_000)
    with pytest.raises(ExpressionError):
        value_of(piece * 10 + "!")
    assert process_time() - start < 1


@st.composite
def sums(draw: st.DrawFn) -> tuple[str, Fraction]:
    """An expression of whole numbers, and its value as Python's fractions give it."""
    number = st.integers(min_value=1, max_value=99)
    text, value = str(first := draw(number)), Fraction(first)
    for _ in range(draw(st.integers(min_value=0, max_value=6))):
        sign, other = draw(st.sampled_from("+-*/")), draw(number)
        text = f"({text}) {sign} {other}"
        apply: Any = {"+": value.__add__, "-": value.__sub__, "*": value.__mul__}.get(
            sign, value.__truediv__
        )
        value = apply(other)
    return text, value


@given(sums())
def test_values_are_those_of_fractions(drawn: tuple[str, Fraction]) -> None:
    text, value = drawn
    assert abs(Fraction(value_of(text)) - value) <= abs(value) / 10**30
