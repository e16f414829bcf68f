"""Evaluation of arithmetic expressions over named cells: `(A - B) / B * 100`.

Only names, numbers, + - * / and brackets are read, over a syntax tree: nothing is ever executed.
The values may be of any type with these four operations, such as `Decimal` or a quantity.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from typing import Any, TypeVar

Value = TypeVar("Value")

_MOST_CHARS, _MOST_PARTS = 400, 120  # a longer one is no calculation for a question
_PRECISION = 40

_SIGNS = str.maketrans("−–—×·∙÷∕⁄[]{}", "---***///()()")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = r"(?![\d.]{26})(?:\d+(?:\.\d*)?|\.\d+)(?!\w)"
# possessive: else a sentence would take hours
_PLAIN = re.compile(rf"(?:[-+*/()\s]|{_NUMBER}|{_NAME.pattern})++")
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_KNOWN = (ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.USub, ast.UAdd, *_OPERATORS)


class ExpressionError(ValueError):
    """An expression that cannot be computed; the message says why."""


def names_in(expression: str) -> frozenset[str]:
    """List the names that an expression reads.

    Raises:
        ExpressionError: it is not an expression of names, numbers, + - * / and brackets.
    """
    tree, _ = _parsed(expression)
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def renamed(expression: str, names: Mapping[str, str]) -> str:
    """Write an expression with other names, plain signs and no thousands separators.

    Raises:
        ExpressionError: it is no expression, or reads a name that has no other.
    """
    if strange := sorted(names_in(expression) - names.keys()):
        raise ExpressionError(f"nothing is named {strange[0]}")
    return _NAME.sub(lambda name: names[name[0]], _parsed(expression)[1])


def evaluate_expression(
    expression: str, values: Mapping[str, Value], literal: Callable[[Decimal], Value]
) -> Value:
    """Compute an expression from the values of its names.

    Args:
        literal: makes a value of a number that the expression states.

    Raises:
        ExpressionError: it cannot be read, a name has no value, it divides by zero, or what it
            does cannot be done with such values (their `ValueError`).
    """
    tree, text = _parsed(expression)

    def compute(node: ast.expr) -> Value:
        match node:
            case ast.Name():
                if node.id not in values:
                    raise ExpressionError(f"nothing is named {node.id}")
                return values[node.id]
            case ast.Constant():
                return literal(Decimal(ast.get_source_segment(text, node) or ""))
            case ast.UnaryOp(operand=operand):
                value = compute(operand)
                return -value if isinstance(node.op, ast.USub) else value  # type: ignore[operator]
            case ast.BinOp(left=left, right=right):
                operate: Callable[..., Value] = _OPERATORS[type(node.op)]
                return operate(compute(left), compute(right))
        raise AssertionError(node)  # `_parsed` has refused it

    with localcontext() as context:
        context.prec = _PRECISION
        try:
            return compute(tree)
        except ArithmeticError as error:
            raise ExpressionError("it divides by zero, or a number is too large") from error
        except ValueError as error:
            raise ExpressionError(str(error)) from error


def _parsed(expression: str) -> tuple[ast.expr, str]:
    """Parse an expression; return its tree, and the text that the tree is of."""
    text = _THOUSANDS.sub("", " ".join(expression.split()).translate(_SIGNS))
    if not text:
        raise ExpressionError("there is no expression")
    if len(text) > _MOST_CHARS:
        raise ExpressionError(f"the expression has more than {_MOST_CHARS} characters")
    strange = ExpressionError(
        f"the expression has more than names, numbers, + - * / and brackets: {text}"
    )
    if not _PLAIN.fullmatch(text):
        raise strange
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(f"this is not an expression: {text}") from error
    nodes = list(ast.walk(tree))
    if len(nodes) > _MOST_PARTS:
        raise ExpressionError(f"the expression has more than {_MOST_PARTS} parts")
    for node in nodes:
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if not is_number and not isinstance(node, _KNOWN):  # None, True and False are no numbers
            raise strange
    return tree, text
