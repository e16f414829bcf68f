"""Find runs of headings that only list Items: tables of contents and cross-reference indexes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_headings import Heading, line_end
from tasks.filings.reader.item_titles import item_order

_PAGE_AT_END = re.compile(
    r"(?:^|[\s|.…\-–])(?:pages?\s*)?[A-Z]?-?\(?(?:\d{1,3}|[ivx]{1,5})\)?[\s|.*]*$", re.IGNORECASE
)
LONGEST_ROW = 1_500  # characters, with the sub-headings that some tables of contents have
FEWEST_ROWS = 4


@dataclass(frozen=True, slots=True)
class ListingRow:
    """One Item's row of a listing: its heading, and the rest after the title."""

    heading: Heading
    rest: str
    end_char: int
    has_page: bool


Listing = tuple[ListingRow, ...]


def split_listings(
    headings: Sequence[Heading], blocks: Sequence[Block], starts: Sequence[int], text: str
) -> tuple[list[Heading], list[Listing]]:
    """Separate headings from the rows of tables of contents and indexes.

    A listing is a run of at least four ascending headings, with only page numbers, Parts and short
    sub-headings between them. Also, two fifths of the rows name a page or link to one, or most of
    its Items have another heading elsewhere.
    """
    rows = [_row(headings, index, blocks, starts, text) for index in range(len(headings))]
    runs: list[list[int]] = []
    for index, row in enumerate(rows):
        above = rows[index - 1] if index else None
        if row and above and item_order(above.heading.items[0]) < item_order(row.heading.items[0]):
            runs[-1].append(index)
        elif row:
            runs.append([index])
    listed: set[int] = set()
    listings = []
    for run in runs:
        members = [row for index in run if (row := rows[index])]
        if len(run) >= FEWEST_ROWS and _is_listing(members, run, headings):
            listings.append(tuple(members))
            listed.update(run)
    return [heading for index, heading in enumerate(headings) if index not in listed], listings


def _row(
    headings: Sequence[Heading],
    index: int,
    blocks: Sequence[Block],
    starts: Sequence[int],
    text: str,
) -> ListingRow | None:
    """Return a heading as a row of a listing, or None if text of its own follows."""
    heading = headings[index]
    paragraph_end = text.find("\n\n", heading.end_char)
    paragraph_end = len(text) if paragraph_end < 0 else paragraph_end
    is_last = index + 1 == len(headings)
    end = paragraph_end if is_last else headings[index + 1].start_char
    block = bisect_right(starts, heading.start_char) - 1
    is_linked = bool(blocks) and bool(blocks[block].links)
    is_long = end - heading.end_char > LONGEST_ROW
    lines = [] if is_long else _lines(text[heading.end_char : end])
    if is_long or any(len(line) > 160 for line in lines):
        end = line_end(text, heading.line_end)  # the last row of a listing: only its own line
        lines = _lines(text[heading.end_char : end])
        if not is_linked and not (lines and len(lines[0]) <= 160 and _PAGE_AT_END.search(lines[0])):
            return None
    paged = sum(1 for line in lines if _PAGE_AT_END.search(line))
    if len(lines) > 1 and not is_linked and paged * 2 < len(lines):
        return None
    return ListingRow(
        heading, text[heading.end_char : end], end, paged > 0 or (is_linked and not lines)
    )


def _lines(rest: str) -> list[str]:
    """Return the lines after a row's title that have a word."""
    return [line.strip() for line in rest.split("\n") if re.search(r"\w", line)]


def _is_listing(
    rows: Sequence[ListingRow], run: Sequence[int], headings: Sequence[Heading]
) -> bool:
    if sum(row.has_page for row in rows) * 5 >= len(rows) * 2:
        return True
    inside = set(run)
    elsewhere = {
        item
        for index, heading in enumerate(headings)
        if index not in inside
        for item in heading.items
    }
    items = [item for row in rows for item in row.heading.items]
    empty = sum(1 for row in rows if not re.search(r"\w", row.rest))
    return empty * 5 >= len(rows) * 3 and sum(item in elsewhere for item in items) * 2 >= len(items)
