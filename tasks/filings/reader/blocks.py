"""Blocks: the paragraphs and tables of a filing's readable text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Cells = tuple[tuple[str, ...], ...]
Spans = dict[tuple[int, int], tuple[int, int]]  # row, column -> rowspan, colspan

_SHORTEST_WORD = 3  # letters


class BlockGrid(NamedTuple):
    """A table's cells by row and column, and those that span several rows or columns."""

    cells: Cells
    spans: Spans


@dataclass(slots=True, kw_only=True)  # not frozen: that makes creation twice as slow
class Block:
    """One paragraph or data table of a filing; becomes one paragraph of the document.

    Not changed once it is read.
    """

    text: str
    kind: Literal["text", "table"] = "text"
    is_bold: bool = False  # all bold, underlined or a heading tag; False in text filings
    anchors: tuple[str, ...] = ()  # "#x" of id= and name= at or just before it, if linked to
    links: tuple[str, ...] = ()  # targets ("#x") of the internal links in it
    page: int = 0  # number of page breaks before it
    cells: Cells | None = None  # grid of a data table
    spans: Spans = field(default_factory=dict)  # the cells that are in several places of it


def table_text(cells: Cells) -> str:
    """Return a table as text: one line per row, bars between cells, no trailing empty cells.

    A heading over all value columns is written once.
    """
    lines = []
    for row in cells:
        if not row[0]:
            values = [cell for cell in row[1:] if cell]
            if (
                len(values) > 1
                and len(set(values)) == 1
                and sum(map(str.isalpha, values[0])) >= _SHORTEST_WORD
            ):
                row = ("", values[0])
        end = len(row)
        while end and not row[end - 1]:
            end -= 1
        lines.append(" | ".join(row[:end]).replace("|  |", "| |").replace("|  |", "| |").lstrip())
    return "\n".join(line for line in lines if line)
