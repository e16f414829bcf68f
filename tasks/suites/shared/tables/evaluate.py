"""Evaluation of stored derivations, independent of the search that found them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

_PRECISION = 40


def _share(a: Decimal, b: Decimal) -> Decimal:
    return 100 * a / b


def _change(new: Decimal, old: Decimal) -> Decimal:
    return 100 * (new - old) / abs(old)


def _halves(values: Sequence[Decimal]) -> tuple[Decimal, Decimal]:
    half = len(values) // 2
    return sum(values[:half], Decimal(0)), sum(values[half:], Decimal(0))


# Operation -> fewest and most operands, and its value. Changes name the later figure first. Sums
# over two periods name the later period's figures first, then the earlier one's in the same order.
_OPERATIONS: dict[str, tuple[int, int, Callable[[Sequence[Decimal]], Decimal]]] = {
    "lookup": (1, 1, lambda v: v[0]),
    "difference": (2, 2, lambda v: v[0] - v[1]),
    "percent_change": (2, 2, lambda v: _change(v[0], v[1])),
    "point_difference": (2, 2, lambda v: v[0] - v[1]),
    "basis_points": (2, 2, lambda v: 100 * (v[0] - v[1])),
    "share": (2, 2, lambda v: _share(v[0], v[1])),
    "average": (2, 2, lambda v: (v[0] + v[1]) / 2),
    "sum": (2, 12, lambda v: sum(v, Decimal(0))),
    "difference_of_sums": (4, 12, lambda v: _halves(v)[0] - _halves(v)[1]),
    "percent_change_of_sums": (4, 12, lambda v: _change(*_halves(v))),
}
OPERATIONS = frozenset(_OPERATIONS)


def evaluate(operation: str, values: Sequence[Decimal]) -> Decimal:
    """Compute an operation's value, in percent or in the operands' unit.

    Shares and changes in percent are in percent.

    Raises:
        ValueError: there is no such operation, or it takes another number of operands.
        ZeroDivisionError: it divides by zero.
    """
    if operation not in _OPERATIONS:
        raise ValueError(f"no operation {operation!r}; there are {', '.join(sorted(OPERATIONS))}")
    fewest, most, apply = _OPERATIONS[operation]
    is_paired = operation.endswith("_of_sums")
    if not fewest <= len(values) <= most or (is_paired and len(values) % 2):
        raise ValueError(
            f"{operation} takes {fewest} to {most} operands{', in pairs' if is_paired else ''}, "
            f"not {len(values)}"
        )
    with localcontext() as context:
        context.prec = _PRECISION
        try:
            return apply(values)
        except ArithmeticError as error:
            raise ZeroDivisionError(
                f"{operation} of {', '.join(map(str, values))} divides by zero"
            ) from error
