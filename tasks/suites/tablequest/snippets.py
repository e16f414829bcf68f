"""Snippets: paragraphs of a filing, and its tables as canonical HTML, one block a line.

A block is a paragraph or a table; an empty line stands between two. What a prompt shows, rules read
back cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterable

from tasks.filings.reader.table_html import expand
from tasks.suites.shared.tables.sheets import Sheet

_OPEN, _CLOSE = "<table>", "</table>"


def write_snippet(blocks: Iterable[str]) -> str:
    """Join paragraphs and tables, each in one line."""
    return "\n\n".join(blocks)


def blocks_of(text: str) -> list[str]:
    """Split a snippet into its paragraphs and tables."""
    return text.split("\n\n")


def is_table(block: str) -> bool:
    """Check whether a block is a table."""
    return block.startswith(_OPEN) and block.endswith(_CLOSE)


def sheets_of(text: str) -> list[Sheet]:
    """Read a snippet's tables, numbered from 1, each with the paragraph before it."""
    sheets: list[Sheet] = []
    before = ""
    for block in blocks_of(text):
        if is_table(block):
            sheets.append(Sheet(index=len(sheets) + 1, pre_text=before, cells=expand(block)))
            before = ""
        else:
            before = block
    return sheets
