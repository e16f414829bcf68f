"""Snippets with one table, and questions on their cells that are true by construction, or lies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, FilingTable
from tasks.filings.reader.scale import table_scale
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.tables.cells import Cell, read_grid
from tasks.suites.tablequest.questions.cells import NamedCell
from tasks.suites.tablequest.questions.rounds import WrittenQuestion
from tasks.suites.tablequest.snippets import sheets_of, write_snippet


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """Write cells as canonical HTML; the first row is the head."""
    return "".join(
        [
            "<table>",
            *(
                "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>"
                for place, row in enumerate(rows)
                for tag in ["td" if place else "th"]
            ),
            "</table>",
        ]
    )


def snippet_of(table: FilingTable, document: Document) -> Context:
    """Show a filing's table below the paragraph before it, which states its scale."""
    before = table.pre_text.replace("\n", " ")
    if table.scale not in (None, "ones") and table_scale(table.cells, [before]) != table.scale:
        before = f"{before} (in {table.scale})".lstrip()
    details = {"table_ids": [table.table_id], "company": None, "period_end": None, "spans": []}
    return context_of(
        "snippet",
        write_snippet([before or "Table", table.html or ""]),
        document,
        encoding="cl100k_base",
        details=canonical_json(details),
    )


@dataclass(frozen=True)
class Asked:
    """A question on one cell that is true by construction, and the cell."""

    written: WrittenQuestion
    cell: Cell


def asked_of(context: Context) -> Iterator[Asked]:
    """Ask for each number of a snippet's table; the answer is its text, with scale and unit."""
    (sheet,) = sheets_of(context.text)
    grid = read_grid(sheet)
    for cell in grid.cells.values():
        line, column = grid.rows[cell.row], grid.columns[cell.column].text
        if line.text and column:
            named = NamedCell("A", 1, line.text, column, cell.text)
            question = f"What was {', '.join(filter(None, (line.text, line.above, column)))}?"
            yield Asked(WrittenQuestion(question, said(cell), cells=(named,)), cell)


def said(cell: Cell) -> str:
    """Say what a cell states: its digits and sign as they stand there, with scale and unit."""
    digits = re.findall(r"[\d.,]*\d", cell.text)[0]
    sign = "-" if cell.value < 0 else ""
    if cell.unit == "percent":
        return f"{sign}{digits}{' basis points' if 'bp' in cell.text.lower() else '%'}"
    power = cell.value.adjusted() - Decimal(digits.replace(",", "")).adjusted() if cell.value else 0
    scale = {3: " thousand", 6: " million", 9: " billion"}.get(power, "")
    money = "$" if cell.unit in ("money", "rate") and "$" in cell.text else ""
    return f"{sign}{money}{digits}{scale}"
