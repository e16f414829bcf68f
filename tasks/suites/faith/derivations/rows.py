"""Proofs as rows of the lake."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tasks.core.ids import stable_id
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand

# Many cells may give a figure; this many proofs are kept, the best score first.
MOST_KEPT = 5


def derivation_rows(span_id: str, proofs: Sequence[Expression]) -> list[Derivation]:
    """Make rows of a masked span's best proofs, the first at place 0."""
    return [
        Derivation(
            derivation_id=stable_id("derivation", span_id, place),
            span_id=span_id,
            place=place,
            operation=proof.operation,
            operands=tuple(
                Operand(
                    table_index=cell.table_index,
                    row=cell.row,
                    column=cell.column,
                    text=cell.text,
                    value=_plain(cell.value),
                )
                for cell in proof.operands
            ),
            value=_plain(proof.value),
            score=round(proof.score, 6),
        )
        for place, proof in enumerate(proofs[:MOST_KEPT])
    ]


def _plain(value: Decimal) -> str:
    return f"{value:f}"
