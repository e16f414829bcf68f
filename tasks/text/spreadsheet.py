"""Escape texts in CSV cells, so that no spreadsheet runs them as formulas.

A spreadsheet runs a cell that begins with = + - @. We put an apostrophe in front, which marks text.
A cell that begins with an apostrophe gets another, so that every cell reads back.
"""

from __future__ import annotations

_FORMULA = tuple("=+-@\t\r'")


def defused(text: str) -> str:
    """Escape a text as a cell that no spreadsheet runs."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def restored(cell: str) -> str:
    """Return the text of a cell that `defused` may have escaped."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell
