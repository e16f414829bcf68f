"""Proofs as rows of the lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.core.ids import stable_id
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand


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
