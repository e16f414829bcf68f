"""The rows of a filing that an answer's cells stand in, as spans of its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tasks.core.rows import Citation, Document, FilingTable
from tasks.suites.shared.tables.operand import Operand


def cite_rows(
    operands: Iterable[Operand], document: Document, tables: Mapping[int, FilingTable]
) -> tuple[Citation, ...]:
    """Quote the document's lines with the cells, in their order; () if one is not found.

    A line is found if it is the only one of the table's span with the row's label and the cell.

    Args:
        tables: number of a table in the snippet, from 1 -> the filing's table.
    """
    found: dict[int, Citation] = {}
    for operand in operands:
        table = tables.get(operand.table_index)
        lines = [] if table is None else list(_lines_with(operand, document, table))
        if len(lines) != 1:
            return ()
        found[lines[0].start_char] = lines[0]
    return tuple(found[start] for start in sorted(found))


def _lines_with(operand: Operand, document: Document, table: FilingTable) -> Iterator[Citation]:
    if operand.row >= len(table.cells):
        return
    label = table.cells[operand.row][0]
    start = table.start_char
    for line in document.text[table.start_char : table.end_char].split("\n"):
        if label in line and operand.text in line:
            yield Citation(start_char=start, end_char=start + len(line), quote=line)
        start += len(line) + 1
