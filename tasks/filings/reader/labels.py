"""Join the labels of a table that go on over several lines to the row with their figures.

A heading such as "Revenue from" above its first row looks alike. So we join two lines only if the
first is unfinished, if the second begins as no label does, or if the line was full, and not if the
second is one of several rows below a heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tasks.filings.reader.cells import NOTE, YEAR, PlacedCell, is_enumerator, kind_of

_BROKEN = r"\w-|['’]s|s['’]|\b(?:an?|(?i:and|or|the|net of))"  # no heading ends so
_CUT = re.compile(rf"(?:{_BROKEN})\Z")
_UNFINISHED = re.compile(
    rf"(?:{_BROKEN}|,|\b(?i:of|in|for|to|at|from|by|on|with|per|than|under"
    r"|before|after|including|excluding|ended|ending|January|February|March|April|June|July|August"
    r"|September|October|November|December))\Z"
)
_LONGEST_END = len(" September")
_SHORT = 24  # characters; among short labels, any heading fills the line
_GOES_ON = re.compile(
    r"(?!(?:[a-z]|[ivx]+)[.)/])[a-z]|\((?!(?:\w|[ivx]+|\d+)\))"
    r"|(?i:per|and|or|of|before)\b"
)


def join_labels(
    rows: Sequence[list[PlacedCell]], indents: Sequence[int] | None = None, width: int = 0
) -> list[list[PlacedCell]]:
    """Return rows with whole labels, without the rows that were only a part of one.

    If the lines are drawn, `indents` has the first character of each, and labels end at `width`.
    """
    margin = min(row[0].start for row in rows)
    has_bare = any(len(row) == 1 and row[0].start == margin for row in rows)
    is_tall = indents is None and any(cell.rowspan > 1 for row in rows for cell in row)
    if not has_bare or is_tall:
        return list(rows)  # cells over several rows keep their number of rows
    lines = [
        _Line(row, margin, indents[number] if indents else None) for number, row in enumerate(rows)
    ]
    joined: list[_Line] = []
    for number, line in enumerate(lines):
        before = joined[-1] if joined else None
        after = lines[number + 1 : number + 3]
        if before is not None and before.label and line.label:
            if before.is_bare:
                if line.continues(before, after, width):
                    line.label, line.indent = f"{before.label} {line.label}", before.indent
                    joined.pop()
            elif (
                line.is_bare
                and not line.label.endswith(":")
                and before.is_data
                and line.completes(before)
            ):  # the figures are on a label's first line
                before.label = f"{before.label} {line.label}"
                continue
        joined.append(line)
    return [line.labelled() for line in joined]


class _Line:
    """One row: its cells, and its label, which starts at `indent` if it is drawn."""

    def __init__(self, cells: list[PlacedCell], margin: int, indent: int | None) -> None:
        first = cells[0]
        self.cells = cells
        self.label = self.text = first.text if first.start == margin else ""
        self.is_bare = len(cells) == 1
        self.indent = self.start = indent

    @property
    def is_data(self) -> bool:
        return any(cell.is_figure and not YEAR.fullmatch(cell.text) for cell in self.cells)

    @property
    def is_open(self) -> bool:
        """Whether a bracket is open."""
        return "(" in self.label and self.label.count("(") > self.label.count(")")

    @property
    def is_unfinished(self) -> bool:
        label = self.label
        if label.endswith(")"):
            label = label.rpartition("(")[0].rstrip()
        return self.is_open or bool(_UNFINISHED.search(label[-_LONGEST_END:]))

    @property
    def is_cut(self) -> bool:
        """Whether the line ends as no heading does."""
        return self.is_open or bool(_CUT.search(self.label[-_LONGEST_END:]))

    def is_deeper(self, other: _Line) -> bool:
        return self.indent is not None and other.indent is not None and self.indent > other.indent

    def is_like(self, following: _Line) -> bool:
        """Whether the next row may be the next of a list, rather than a total or a new subject."""
        one, other = self.label, following.label
        return one[:1].isdigit() == other[:1].isdigit() and not other.lower().startswith("total")

    def completes(self, before: _Line) -> bool:
        """Whether this line, which has nothing else, ends the label of a row of figures."""
        if before.is_deeper(self):
            return False
        goes_on = self.label[0].isdigit() or bool(_GOES_ON.match(self.label))
        if before.is_open:
            return goes_on or ")" in self.label
        return before.is_unfinished and (goes_on or before.is_cut)

    def continues(self, before: _Line, after: Sequence[_Line], width: int) -> bool:
        """Whether the label goes on from the line before, which has nothing else."""
        if not self.label or before.label.endswith(":"):
            return False
        if kind_of(self.label) == NOTE:
            return True
        first_word = self.label.split(maxsplit=1)[0]
        if is_enumerator(first_word):
            return False
        goes_on = bool(_GOES_ON.match(self.label))
        was_full = before.start is not None and (
            before.start + len(before.text) + 1 + len(first_word) > width
        )
        if YEAR.match(self.label) and not self.is_bare and not before.is_cut:
            is_only = not (after and YEAR.match(after[0].label))
            ends_in_day = before.label.rstrip(",")[-1:].isdigit()
            return is_only and ends_in_day and "years" not in before.label.lower()
        is_unfinished = before.is_unfinished
        if after and not self.is_bare and bool(_GOES_ON.match(after[0].label)) == goes_on:
            is_level = after[0].indent == self.indent
            is_inside = is_level and self.is_deeper(before)
            has_rest = before.is_cut or (was_full and len(before.label) > _SHORT)
            is_listed = is_inside or (is_level and self.is_like(after[0]) and not has_rest)
            if not after[0].is_bare and (is_listed or (goes_on and not is_unfinished)):
                return False  # both are below a heading
            if is_inside and not is_unfinished:
                return False
        if is_unfinished or (goes_on and (self.indent is not None or " " in before.label)):
            return True  # no filer breaks a cell of HTML after one word
        is_heading = before.text[-1] in ")*" or before.text.isupper() > self.text.isupper()
        return was_full and self.is_deeper(before) and not is_heading

    def labelled(self) -> list[PlacedCell]:
        """Return the cells with the whole label."""
        if self.label != self.text:
            self.cells[0] = replace(self.cells[0], text=self.label)
        return self.cells
