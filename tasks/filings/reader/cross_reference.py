"""Find the Items of a filing by its cross-reference index, if it has no headings.

A row of such an index reads "Item 1A. Risk Factors | Pages 48-62". Its Item starts at the first of:

1. the section heading with the Item's title or leading words, on a page that the row names or on
   the page before (a part's title page);
2. the start of the longest page range that the row names, or the place on it that the row links to.

It ends at the next Item, or after the last page that the row names without a gap. An Item without
pages ("None", or incorporated from a proxy statement) is its row of the index. In a text without
page breaks titles alone decide; those after the index go first.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_listings import Listing, Row
from tasks.filings.reader.item_titles import content_words, leads_title

_RANGE = re.compile(
    r"(?<![\w.$§-])(?P<first>\d{1,3})(?:\s*[-–—]\s*(?P<last>\d{1,3}))?(?![\w(%]|-[A-Z]|\.\d)"
)

Pages = tuple[int, int]


def read_index(
    listings: Sequence[Listing], blocks: Sequence[Block], starts: Sequence[int], text: str
) -> list[Item]:
    """Return the Items of the most complete index, in its order: sections, or the index's rows.

    Each spans its pages, with trailing whitespace. Items may overlap; see `set_apart`.
    """
    index = max(
        listings,
        key=lambda listing: (sum(bool(page_ranges(row.rest)) for row in listing), len(listing)),
    )
    body = _Body(blocks, starts, index)
    offset = body.page_offset(index)
    items = []
    for row in index:
        place = body.section(row, offset) if offset is not None else None
        paragraph_end = text.find("\n\n", row.heading.end_char, row.end_char)
        start, end = place or (
            row.heading.start_char,
            paragraph_end if paragraph_end > 0 else row.end_char,
        )
        if start < index[0].heading.start_char:
            end = min(end, index[0].heading.start_char)
        for item, title in zip(row.heading.items, row.heading.titles, strict=True):
            items.append(Item(item=item, title=title, start_char=start, end_char=end))
    return items


def page_ranges(rest: str) -> list[Pages]:
    """Return the page ranges after an Item's title in an index, in printed order.

    Examples:
        "Pages 3-9, 20" -> [(3, 9), (20, 20)]
        "None" or "Section 13(r) of the Act of 1934" -> []
    """
    ranges = []
    for match in _RANGE.finditer(rest):
        first = int(match["first"])
        last = int(match["last"] or first)
        if first and last >= first:
            ranges.append((first, last))
    return ranges


def _run_from(page: int, ranges: Sequence[Pages]) -> int:
    """Return the last page named without a gap from `page`; 21-42, 42-44, 45-47 is one run."""
    last = page
    for first, end in sorted(ranges):
        if first <= last + 1:
            last = max(last, end)
    return last


class _Body:
    """A filing's blocks outside its index, by page and by link target."""

    def __init__(self, blocks: Sequence[Block], starts: Sequence[int], index: Listing) -> None:
        self.blocks, self.starts = blocks, starts
        first, last = self._blocks_of(index[0])[0], self._blocks_of(index[-1])[-1]
        self._short = [
            (position, content_words(block.text))
            for position, block in enumerate(blocks)
            if not first <= position <= last
            and block.kind == "text"
            and len(block.text) <= 130
            and not block.links
        ]
        self._titled_blocks: dict[tuple[str, ...], list[int]] = {}
        self._index_end = last
        self.pages = [block.page for block in blocks]
        self.has_pages = self.pages[-1] > 0
        self.anchors: Mapping[str, int] = {
            anchor: position for position, block in enumerate(blocks) for anchor in block.anchors
        }

    def page_offset(self, index: Listing) -> int | None:
        """Return printed page number minus page breaks, by majority of links and titles.

        Return None if nothing in the index leads to a place in this text.
        """
        votes: Counter[int] = Counter()
        for row in index:
            firsts = {first for first, _ in page_ranges(row.rest)}
            targets = self._targets(row)
            places = [*targets, *self._titled(row)]
            votes.update(first - self.pages[place] for first in firsts for place in places)
        return min(votes, key=lambda offset: (-votes[offset], offset)) if votes else None

    def section(self, row: Row, offset: int) -> tuple[int, int] | None:
        """Return where an Item's section starts, and where its pages end."""
        ranges = page_ranges(row.rest)
        if not ranges:
            return None
        if not self.has_pages:
            after_index = [place for place in self._titled(row) if place > self._index_end]
            titled = after_index or self._titled(row)
            return (self.starts[titled[0]], self._end_of_page(0)) if titled else None
        for block in self._titled(row):
            page = self.pages[block] + offset
            if any(pages[0] - 1 <= page <= pages[1] for pages in ranges):
                return self.starts[block], self._end_of_page(_run_from(page, ranges) - offset)
        first, _ = max(ranges, key=lambda pages: pages[1] - pages[0])
        linked = [target for target in self._targets(row) if self.pages[target] == first - offset]
        block = linked[0] if linked else bisect_left(self.pages, first - offset)
        end = self._end_of_page(_run_from(first, ranges) - offset)
        if block == len(self.blocks) or end <= self.starts[block]:
            return None  # the text does not have these pages
        return self.starts[block], end

    def _blocks_of(self, row: Row) -> range:
        """Return the blocks that a row of the index covers."""
        start = row.heading.start_char
        first = bisect_right(self.starts, start) - 1
        return range(first, bisect_right(self.starts, max(row.end_char - 1, start)))

    def _targets(self, row: Row) -> list[int]:
        """Return the blocks that the row's links lead to, in order of the links."""
        links = [link for block in self._blocks_of(row) for link in self.blocks[block].links]
        return [self.anchors[link] for link in links if link in self.anchors]

    def _titled(self, row: Row) -> list[int]:
        """Return the blocks outside the index that are the Item's title or its leading words."""
        key = row.heading.items
        if key not in self._titled_blocks:
            self._titled_blocks[key] = [
                position
                for position, words in self._short
                if any(leads_title(item, words) for item in key)
            ]
        return self._titled_blocks[key]

    def _end_of_page(self, page: int) -> int:
        position = bisect_right(self.pages, page)
        return (
            self.starts[position]
            if position < len(self.starts)
            else self.starts[-1] + len(self.blocks[-1].text)
        )
