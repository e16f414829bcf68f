"""Proofs as rows of the lake."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tasks.core.ids import canonical_json, stable_id
from tasks.suites.faith.derivations.search import Proof
from tasks.suites.faith.rows import Derivation
from tasks.suites.shared.tables.operand import Operand

# Many cells may give a figure; this many proofs are kept, the best evidence first.
MOST_KEPT = 5


def derivation_rows(span_id: str, proofs: Sequence[Proof]) -> list[Derivation]:
    """Make rows of a masked span's best proofs, the first at place 0."""
    return [_row(span_id, place, proof) for place, proof in enumerate(proofs[:MOST_KEPT])]


def _row(span_id: str, place: int, proof: Proof) -> Derivation:
    return Derivation(
        derivation_id=stable_id("derivation", span_id, place),
        span_id=span_id,
        place=place,
        operation=proof.operation,
        scenario=proof.scenario,
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
        evidence=round(proof.evidence, 6),
        named_by=canonical_json(list(proof.named_by)),
    )


def _plain(value: Decimal) -> str:
    return f"{value:f}"
