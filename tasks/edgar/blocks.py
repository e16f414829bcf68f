"""The blocks that a filing's readable text is made of, in reading order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One paragraph of a filing, or one data table; it becomes one paragraph of the document's text."""

    text: str
    kind: Literal["text", "table"] = "text"
    is_bold: bool = False  # all of it emphasised: bold, underlined or a heading tag; False in text filings
    anchors: tuple[str, ...] = ()  # id= and name= values at or just before this block
    links: tuple[str, ...] = ()  # targets ("#x") of the internal links inside it
    page: int = 0  # page breaks passed before it
    cells: Cells | None = None  # of a data table
    html: str | None = None  # of a data table in an HTML filing, attributes removed
