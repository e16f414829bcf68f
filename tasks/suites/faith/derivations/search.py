"""The search for derivations: cells that give a figure, and that its passage names.

Every cell has one plain score: how alike its name and the passage are (the cosine of their words,
weighed by how rare they are), times how well its year and the operation fit. An expression has the
lowest score of its cells. A figure is proved if an expression gives it, and if so few other values
are named as well that chance would hardly give its digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tasks.core.ids import stable_id
from tasks.quantities.figures import Figure
from tasks.quantities.units import packaged_units
from tasks.suites.faith.derivations.expressions import (
    Expression,
    is_ratio,
    list_expressions,
    rounds_to,
)
from tasks.suites.faith.derivations.passage import FigurePassage, read_passage
from tasks.suites.faith.derivations.tables import ShownTables
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet

# Both chosen in sight of twenty filings (see the README).
LEAST_SCORE = 0.2
MOST_BY_CHANCE = 0.05


def prove(passage: FigurePassage, truth: Figure, sheets: Sequence[Sheet]) -> list[Expression]:
    """Find the derivations of a figure, those of one cell first; [] if nothing proves it.

    Raises:
        ValueError: the sentence has no mask.
    """
    if not _have_currency(truth, sheets):
        return []
    is_in_points = truth.measure == "percentage point"
    expressions = rank(passage, sheets, truth.unit, is_in_points=is_in_points)
    proofs = [
        expression
        for expression in expressions
        if expression.score >= LEAST_SCORE
        and rounds_to(expression.value, truth.value, truth.decimals)
    ]
    if not proofs:
        return []
    last_digit = Decimal(1).scaleb(-truth.decimals)
    named_as_well = {
        (abs(expression.value) / last_digit).to_integral_value(ROUND_HALF_UP)
        for expression in expressions
        if expression.score >= proofs[0].score
    }
    is_proved = len(named_as_well) * chance(truth) <= MOST_BY_CHANCE
    return sorted(proofs, key=lambda proof: len(proof.operands)) if is_proved else []


def derivation_rows(span_id: str, proofs: Sequence[Expression]) -> Iterator[Derivation]:
    """Make the row of a masked span's best proof, if there is one."""
    for proof in proofs[:1]:
        yield Derivation(
            derivation_id=stable_id("derivation", span_id),
            span_id=span_id,
            operation=proof.operation,
            operands=tuple(
                Operand(
                    table_index=cell.table_index,
                    row=cell.row,
                    column=cell.column,
                    text=cell.text,
                    value=f"{cell.value:f}",
                )
                for cell in proof.operands
            ),
            value=f"{proof.value:f}",
            score=round(proof.score, 6),
        )


def rank(
    passage: FigurePassage, sheets: Sequence[Sheet], unit: str | None, *, is_in_points: bool
) -> list[Expression]:
    """List what could stand in the figure's place, the best score first.

    What the passage states elsewhere is left out: no figure is hidden that it states twice.

    Args:
        unit: the figure's; if unknown, percent, bps, or None for any other.
        is_in_points: whether it says percentage points.

    Raises:
        ValueError: the sentence has no mask.
    """
    reading, tables = read_passage(passage), tables_of(tuple(sheets))
    elsewhere = [figure for figure in reading.figures if is_ratio(figure.unit) == is_ratio(unit)]
    expressions = [
        expression
        for expression in list_expressions(reading, tables, unit, is_in_points=is_in_points)
        if not any(
            rounds_to(expression.value, figure.value, figure.decimals) for figure in elsewhere
        )
    ]
    return sorted(expressions, key=lambda expression: -expression.score)


def chance(figure: Figure) -> float:
    """Return how probable a figure's digits are by chance, by Benford's law."""
    return math.log10(1 + 1 / max(1, int(abs(figure.value.scaleb(figure.decimals)))))


def _have_currency(truth: Figure, sheets: Sequence[Sheet]) -> bool:
    """Check whether the tables have the figure's currency; dollars need no sign."""
    if truth.currency in (None, "USD"):
        return True
    group = packaged_units().groups[truth.currency]
    names = (*group.symbols, *group.aliases)
    texts = [cell for sheet in sheets for row in ((sheet.pre_text,), *sheet.cells) for cell in row]
    return any(name in text for text in texts for name in names)


@lru_cache(maxsize=4)
def tables_of(sheets: tuple[Sheet, ...]) -> ShownTables:
    """Index a context's tables, once."""
    return ShownTables(sheets)
