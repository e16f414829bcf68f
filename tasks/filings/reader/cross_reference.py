"""Find the Items of a filing by its table of contents or index, if it has no headings.

A row of a table of contents names one page at most. If the places that its rows link to, or the
headings that they repeat, ascend, each Item runs from its place to the next.

A row of such an index reads "Item 2. Properties | Pages 14, 66-67". Its Item is one span for each
run of pages that a line of the row names without a gap. Spans of different Items may overlap, as
printed.

- A run starts at the heading with the Item's title or leading words, if that is on its first page
  or on the page before (a part's title page). Without such a heading, the longest range starts at
  the place that the row links to. Other runs start with their first page.
- On its last page, a run ends where the section of another Item starts.

An Item without pages ("None", or incorporated from a proxy statement) is its row of the index.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_headings import SHORT_LINE, Heading
from tasks.filings.reader.item_listings import Listing, ListingRow
from tasks.filings.reader.item_titles import content_words, leads_title
from tasks.text.passages import joined

_RANGE = re.compile(
    r"(?<![\w.$§-])(?P<first>\d{1,3})(?:\s*[-–—]\s*(?P<last>\d{1,3}))?(?![\w(%]|-[A-Z]|\.\d)"
)

Pages = tuple[int, int]


def listed_headings(
    listings: Sequence[Listing], blocks: Sequence[Block], starts: Sequence[int]
) -> list[Heading]:
    """Return the unnumbered headings that a table of contents lists; [] if it is an index.

    A row's place is where it links to, else the next block that is its title and no more.
    """
    headings: list[Heading] = []
    contents = max(listings, key=len)
    body = _Body(blocks, starts, contents)
    for row in contents:
        pages = page_ranges(row.rest)
        places = {starts[block] for block in body.targets(row)}
        if len(places) > 1 or len(pages) > 1 or any(first < last for first, last in pages):
            return []
        before = headings[-1].start_char if headings else -1
        title = content_words(row.heading.titles[0])
        same = (
            starts[block]
            for block in body.after()
            if starts[block] > before
            and len(blocks[block].text) <= SHORT_LINE
            and content_words(blocks[block].text) == title != ()
        )
        place = next(chain(places, same), None)
        if place is None:
            continue
        if place < before:
            return []
        items, titles = row.heading.items, row.heading.titles
        if place == before:  # "Items 10 to 14" under one heading
            items, titles = headings[-1].items + items, headings.pop().titles + titles
        headings.append(
            replace(row.heading, items=items, titles=titles, start_char=place, end_char=place)
        )
    n_placed = sum(len(heading.items) for heading in headings)
    return headings if n_placed * 4 >= len(contents) * 3 else []


def read_index(
    listings: Sequence[Listing], blocks: Sequence[Block], starts: Sequence[int], text: str
) -> list[Item]:
    """Return the spans of the Items of the most complete index: their pages, or their rows."""
    index = max(
        listings,
        key=lambda listing: (sum(bool(page_ranges(row.rest)) for row in listing), len(listing)),
    )
    body = _Body(blocks, starts, index)
    offset = body.page_offset(index)
    places = [body.runs_of(row, offset) if offset is not None else [] for row in index]
    sections = [run.section_char for runs in places for run in runs if run.section_char is not None]
    index_start = index[0].heading.start_char
    items = []
    for row, runs in zip(index, places, strict=True):
        paragraph_end = text.find("\n\n", row.heading.end_char, row.end_char)
        spans = [(run.start_char, run.end_before(sections)) for run in runs] or [
            (row.heading.start_char, paragraph_end if paragraph_end > 0 else row.end_char)
        ]
        for start, end in spans:
            if start < index_start:
                end = min(end, index_start)
            items += [
                Item(item=item, title=title, start_char=start, end_char=end)
                for item, title in zip(row.heading.items, row.heading.titles, strict=True)
            ]
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


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run of pages of one Item."""

    start_char: int
    end_char: int
    last_page_char: int  # where the last page starts
    section_char: int | None  # where the Item's own section starts in it

    def end_before(self, sections: Iterable[int]) -> int:
        """Return the end, or where another Item's section starts on the last page."""
        begin = max(self.last_page_char, self.start_char + 1)
        others = (place for place in sections if place >= begin and place != self.section_char)
        return min([self.end_char, *others])


class _Body:
    """A filing's blocks outside its index, by page and by the Items whose titles they are."""

    def __init__(self, blocks: Sequence[Block], starts: Sequence[int], index: Listing) -> None:
        self.blocks, self.starts = blocks, starts
        self.pages = [block.page for block in blocks]
        first, last = self._blocks_of(index[0])[0], self._blocks_of(index[-1])[-1]
        self._index = range(first, last + 1)
        self._anchors: Mapping[str, int] = {
            anchor: position for position, block in enumerate(blocks) for anchor in block.anchors
        }

    @cached_property
    def _short(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return the blocks that may be titles, with their words."""
        return [
            (position, content_words(block.text))
            for position, block in enumerate(self.blocks)
            if position not in self._index
            and block.kind == "text"
            and len(block.text) <= 130
            and not block.links
        ]

    def runs_of(self, row: ListingRow, offset: int) -> list[PageRun]:
        """Return the runs of pages that a row of the index names and the text has.

        Ranges that only touch remain apart. `offset` is printed page number minus page breaks.
        """
        ranges = [run for line in row.rest.split("\n") for run in joined(page_ranges(line), gap=1)]
        own = self._section(row, ranges, offset)
        page = self.pages[own] + offset if own is not None else -1
        runs = []
        for first, last in joined(ranges, gap=0):
            start = self._start_of_page(first - offset)
            end = self._start_of(bisect_right(self.pages, last - offset))
            section = self.starts[own] if own is not None and first - 1 <= page <= last else None
            if section is not None and page <= first:
                start = section
            if start < end:  # the text has these pages
                runs.append(PageRun(start, end, self._start_of_page(last - offset), section))
        return runs

    def _section(self, row: ListingRow, ranges: Sequence[Pages], offset: int) -> int | None:
        """Return the block where an Item's own section starts, if a heading or link says so."""
        for block in self.titled(row.heading.items):
            page = self.pages[block] + offset
            if any(first - 1 <= page <= last for first, last in ranges):
                return block
        longest = max(ranges, key=lambda pages: pages[1] - pages[0], default=(0, 0))[0]
        on_page = (block for block in self.targets(row) if self.pages[block] == longest - offset)
        return next(on_page, None)

    def titled(self, items: tuple[str, ...]) -> list[int]:
        """Return the blocks that are the title of an Item or its leading words."""
        return [
            position
            for position, words in self._short
            if any(leads_title(item, words) for item in items)
        ]

    def _start_of_page(self, page: int) -> int:
        return self._start_of(bisect_left(self.pages, page))

    def _start_of(self, block: int) -> int:
        if block < len(self.starts):
            return self.starts[block]
        return self.starts[-1] + len(self.blocks[-1].text)

    def page_offset(self, index: Listing) -> int | None:
        """Return printed page number minus page breaks, by majority of links and titles.

        Return None if nothing in the index leads to a place in this text.
        """
        votes: Counter[int] = Counter()
        for row in index:
            firsts = {first for first, _ in page_ranges(row.rest)}
            places = [*self.targets(row), *self.titled(row.heading.items)]
            votes.update(first - self.pages[place] for first in firsts for place in places)
        return min(votes, key=lambda offset: (-votes[offset], offset)) if votes else None

    def _blocks_of(self, row: ListingRow) -> range:
        """Return the blocks that a row of the index covers."""
        start = row.heading.start_char
        first = bisect_right(self.starts, start) - 1
        return range(first, bisect_right(self.starts, max(row.end_char - 1, start)))

    def after(self) -> range:
        """Return the blocks after the index."""
        return range(self._index.stop, len(self.blocks))

    def targets(self, row: ListingRow) -> list[int]:
        """Return the blocks that the row's links lead to, in order of the links."""
        links = [link for block in self._blocks_of(row) for link in self.blocks[block].links]
        return [self._anchors[link] for link in links if link in self._anchors]
