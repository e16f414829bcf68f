"""Assign the headings of a drawn table to the columns below them.

A rule below a heading shows how wide it is. Without one, a heading belongs to the columns that it
stands above. A heading that may belong to one column or to another gets none: a figure without its
year is better than one under a wrong year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tasks.filings.reader.cells import PlacedCell
from tasks.quantities.text_tables import YEAR

Interval = tuple[int, int]  # first character and the one after the last; or first and last column
Head = tuple[PlacedCell, Interval | None]  # a heading and the columns that it is above

_ONLY_YEAR = re.compile(r"(?:19|20)\d\d(?:\(\w{1,2}\)|\{[\d,]+\}|\*{1,3}|\w/)?")
_WORD = re.compile(r"\S+")
_TO_YEAR = re.compile(r"\S.*?\b(?:19|20)\d\d\b")
_CENTRED = 3  # characters from the middle


def is_year(cell: PlacedCell) -> bool:
    """Whether a cell is only a year, with the mark of a note or not."""
    return cell.text[:2] in ("19", "20") and bool(_ONLY_YEAR.fullmatch(cell.text))


def has_year(cell: PlacedCell) -> bool:
    """Whether a cell names a year."""
    return bool(YEAR.search(cell.text))


def columns_over(cell: PlacedCell, columns: Sequence[Interval]) -> list[int]:
    """Return the columns that a cell is above or below."""
    return [index for index, column in enumerate(columns) if _overlaps(cell, column)]


def parted(
    heads: Sequence[PlacedCell], line: str, rule: Sequence[Interval], columns: Sequence[Interval]
) -> list[PlacedCell]:
    """Part headings that touch each other, at the gaps of the rule right below or after years."""
    parts: list[PlacedCell] = []
    for head in heads:
        over = [part for part in rule if _overlaps(head, part)]
        if len(over) > 1:
            words = _parts(head, line, _WORD)
            by_part = [[word for word in words if _overlaps(word, part)] for part in over]
            if sum(map(len, by_part)) == len(words) and all(by_part):
                for own in by_part:
                    text = " ".join(word.text for word in own)
                    parts.append(PlacedCell(own[0].start, own[-1].end, text, head.is_figure))
                continue
        years = _parts(head, line, _TO_YEAR) if " " in head.text else [head]
        is_alike = len(years) > 1 and len({YEAR.sub("", year.text) for year in years}) == 1
        is_of_columns = is_alike and len(years) == len(columns_over(head, columns))
        parts += years if is_of_columns else [head]
    return parts


def above_columns(
    heads: Sequence[PlacedCell],
    columns: Sequence[Interval],
    rule: Sequence[Interval],
    below: Sequence[Head],
) -> list[Interval | None]:
    """Return the first and the last column of each heading of a row, or None if it is unsure.

    `rule` is the next one below the row, and `below` the headings of the next row.
    """
    if len(heads) > 1 and len(heads) == len(columns) and all(map(has_year, heads)):
        return [(index, index) for index in range(len(heads))]
    wide = [_widened(head, heads, rule) for head in heads]
    if wide == heads and below:
        if spans := _stacked(heads, columns, below) or _groups(heads, below):
            return spans
        if len(heads) == 1:
            n_below = sum(_overlaps(heads[0], (lower.start, lower.end)) for lower, _ in below)
            is_centred = n_below != 1 and _is_centred(heads[0], (columns[0][0], columns[-1][1]))
            return [(0, len(columns) - 1) if is_centred else None]
    places = [columns_over(head, columns) for head in wide]
    for (left, over), (right, beside) in pairwise(zip(wide, places, strict=True)):
        if over and beside and over[-1] == beside[0]:  # the one that is less above it leaves it
            is_right = distance(left, columns[over[-1]]) > distance(right, columns[over[-1]])
            if len(over) > 1 and (is_right or len(beside) == 1):
                over.pop()
            elif len(beside) > 1:
                del beside[0]
            elif has_year(left) and has_year(right):
                over.clear()
                beside.clear()
    return [(over[0], over[-1]) if over else None for over in places]


def _parts(head: PlacedCell, line: str, pattern: re.Pattern[str]) -> list[PlacedCell]:
    """Return what a pattern finds of a heading in its line, or the heading."""
    parts = list(pattern.finditer(line, head.start, head.end))
    if len(parts) < 2 or " ".join(" ".join(part[0] for part in parts).split()) != head.text:
        return [head]  # its text is not as drawn
    return [PlacedCell(*part.span(), " ".join(part[0].split()), head.is_figure) for part in parts]


def _overlaps(cell: PlacedCell, interval: Interval) -> bool:
    return cell.start < interval[1] and cell.end > interval[0]


def _widened(head: PlacedCell, heads: Sequence[PlacedCell], rule: Sequence[Interval]) -> PlacedCell:
    """Return a heading as wide as its part of the rule, if that part has no other heading."""
    over = [part for part in rule if _overlaps(head, part)]
    if len(over) != 1 or sum(_overlaps(other, over[0]) for other in heads) > 1:
        return head
    start, end = over[0]
    return PlacedCell(min(head.start, start), max(head.end, end), head.text, head.is_figure)


def _stacked(
    heads: Sequence[PlacedCell], columns: Sequence[Interval], below: Sequence[Head]
) -> list[Interval | None]:
    """Return the columns of headings that go on in the row below, each in one heading."""
    spans: list[Interval | None] = []
    for head in heads:
        lower = [(cell, span) for cell, span in below if _overlaps(head, (cell.start, cell.end))]
        cell, span = lower[0] if len(lower) == 1 else (head, None)
        if span is None:
            return []
        known = {*range(span[0], span[1] + 1), *columns_over(cell, columns)}
        if not known.issuperset(columns_over(head, columns)):
            return []
        spans.append(span)
    return spans if len(set(spans)) == len(spans) else []


def _groups(heads: Sequence[PlacedCell], below: Sequence[Head]) -> list[Interval | None]:
    """Return the columns of headings above a row that repeats below each, or above years."""
    if len(heads) == 1:
        below = [(head, span) for head, span in below if is_year(head)]
    texts = [head.text for head, _ in below]
    size, rest = divmod(len(below), len(heads))
    if rest or size < 2 or texts != texts[:size] * len(heads):
        return []
    groups: list[Interval | None] = []
    for index, head in enumerate(heads):
        (first, start), *_, (final, end) = below[index * size : (index + 1) * size]
        if start is None or end is None or not _is_centred(head, (first.start, final.end)):
            return []
        groups.append((start[0], end[1]))
    return groups


def _is_centred(head: PlacedCell, interval: Interval) -> bool:
    return abs(head.start + head.end - sum(interval)) <= 2 * _CENTRED


def distance(head: PlacedCell, column: Interval) -> float:
    """Return the distance of a heading from a column; less than none the more they overlap."""
    overlap = min(head.end, column[1]) - max(head.start, column[0])
    return -overlap if overlap < 0 else -overlap / 100
