"""A cell that a calculation reads, as a row of the lake holds it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One cell that a calculation reads."""

    table_index: int  # of the context's tables
    row: int  # of the table's cells, from 0
    column: int
    text: str  # the cell as written
    value: str  # decimal number, in ones of its unit
