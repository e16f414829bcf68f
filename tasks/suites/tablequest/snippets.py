"""Snippets: paragraphs of a filing, and its tables, as blocks with an empty line between two.

A context has its tables as canonical HTML, each in one line; a prompt may have them in Markdown or
CSV, a line a row. What a prompt shows, rules read back cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tasks.filings.reader.table_html import expand
from tasks.suites.shared.tables.sheets import Sheet, cells_of, csv_rows, markdown_rows
from tasks.suites.tablequest.options import TableFormat

_OPEN, _CLOSE = "<table>", "</table>"


def write_snippet(blocks: Iterable[str]) -> str:
    """Join paragraphs and tables, each in one line."""
    return "\n\n".join(blocks)


def blocks_of(text: str) -> list[str]:
    """Split a snippet into its paragraphs and tables."""
    return text.split("\n\n")


def is_table(block: str) -> bool:
    """Check whether a block is a table, in any format; a paragraph is one line."""
    return "\n" in block or (block.startswith(_OPEN) and block.endswith(_CLOSE))


def sheets_of(text: str) -> list[Sheet]:
    """Read a snippet's tables, numbered from 1, each with the last paragraph before it."""
    sheets: list[Sheet] = []
    before = ""
    for block in blocks_of(text):
        if is_table(block):
            cells = cells_of(block.split("\n")) if "\n" in block else expand(block)
            sheets.append(Sheet(index=len(sheets) + 1, pre_text=before, cells=cells))
        else:
            before = block
    return sheets


@lru_cache(8)  # the cases of a snippet share it
def in_format(text: str, table_format: TableFormat) -> str:
    """Rewrite a snippet with its tables in another format.

    A cell that spans others stands in each place of Markdown and CSV. These need two rows or more.
    """
    if table_format == "html":
        return text
    rows = markdown_rows if table_format == "markdown" else csv_rows
    return write_snippet(
        rows(expand(block)) if is_table(block) else block for block in blocks_of(text)
    )
