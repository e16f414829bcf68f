"""The blocks that a filing's readable text is made of, in reading order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Cells = tuple[tuple[str, ...], ...]

_WORDS = re.compile(r"[A-Za-z]{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One paragraph of a filing, or one data table; it becomes one paragraph of the document's text."""

    text: str
    kind: Literal["text", "table"] = "text"
    is_bold: bool = False  # all of it emphasised: bold, underlined or a heading tag; False in text filings
    anchors: tuple[
        str, ...
    ] = ()  # "#x" of the id= and name= values at or just before this block that are linked to
    links: tuple[str, ...] = ()  # targets ("#x") of the internal links inside it
    page: int = 0  # page breaks passed before it
    cells: Cells | None = None  # of a data table


def table_text(cells: Cells) -> str:
    """A table as one paragraph: a line a row, cells between bars, trailing empty cells left out.

    A heading that stands over all the value columns is written once.
    """
    lines = []
    for row in cells:
        values = [cell for cell in row[1:] if cell]
        if not row[0] and len(values) > 1 and len(set(values)) == 1 and _WORDS.search(values[0]):
            row = (row[0], values[0])
        last = max((index for index, cell in enumerate(row) if cell), default=-1)
        lines.append(" | ".join(row[: last + 1]).replace("|  |", "| |").replace("|  |", "| |").lstrip())
    return "\n".join(line for line in lines if line)
