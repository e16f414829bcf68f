"""Texts as cells of a CSV that a spreadsheet may open: anybody's words, which must not run.

A spreadsheet takes a cell that begins with = + - @ for a formula. Such a cell gets an apostrophe in
front, which says that it is text; so does one that has an apostrophe of its own, so that each reads back.
"""

from __future__ import annotations

_FORMULA = tuple("=+-@\t\r'")


def defused(text: str) -> str:
    """A text as a cell that no spreadsheet runs."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def restored(cell: str) -> str:
    """The text of a cell that may have been defused."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell
