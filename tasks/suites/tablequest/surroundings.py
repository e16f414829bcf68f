"""A filing's paragraphs and tables as a snippet shows them, and which text belongs to a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.core.rows import Document, FilingTable
from tasks.filings.reader.cells import is_enumerator
from tasks.filings.reader.scale import table_scale
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.snippets import is_table, write_snippet

# Most paragraphs between two tables of a snippet, before its first one, and after its last one:
# the number that gives 1.8 tables a snippet, as the paper has.
_NEAR = 6
_WORDS_OF_HEADING = 12
_MOST_HEADINGS = 2  # over a table: the title of its section, and its own
# Start of a note to the table above: (1), (a), *
_NOTE = re.compile(r"\(\w{1,2}\)|[*†‡]")
_NUMBERED = re.compile(r"(?:item|note|schedule)\s+\w{1,3}\s*[.:—–-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A paragraph of a document: its text in one line, or its table.

    Neither is there for what a snippet never shows: a layout of columns, or a rejected table.
    """

    start: int
    end: int
    text: str = ""
    table: FilingTable | None = None
    opens_item: bool = False
    is_note: bool = False  # to the table above

    @property
    def is_short(self) -> bool:
        """Whether it has as few words as a heading."""
        return 0 < len(self.text.split()) <= _WORDS_OF_HEADING

    @property
    def is_heading(self) -> bool:
        """Whether it reads as a heading."""
        ends_sentence = self.text.endswith((".", ":", ";", ","))
        is_title = self.is_short and not ends_sentence and not self.text.startswith("(")
        return is_title or (self.opens_item and bool(self.text))

    @property
    def html(self) -> str:
        """Its table as canonical HTML."""
        assert self.table is not None
        return self.table.html or table_html(self.table.cells, {})


ShownBlocks = Sequence[ShownBlock]


def read_blocks(
    document: Document, tables: set[int], table_at: Mapping[int, FilingTable]
) -> ShownBlocks:
    """Return a document's paragraphs, each as what a snippet shows of it.

    Args:
        tables: where its tables start.
        asked: those that a snippet shows, by where they start.
    """
    blocks: list[ShownBlock] = []
    opens_item = {item.start_char for item in document.items}
    for paragraph in document.paragraphs:
        start, end = paragraph.start_char, paragraph.end_char
        text = "" if start in tables else prose(document.text[start:end])
        is_below = bool(blocks) and (not blocks[-1].text or blocks[-1].is_note)
        is_note = is_below and bool(_NOTE.match(text))
        blocks.append(
            ShownBlock(start, end, text, table_at.get(start), start in opens_item, is_note)
        )
    return blocks


def written(blocks: ShownBlocks) -> str:
    """Write blocks as a snippet."""
    return write_snippet(block.text if block.table is None else block.html for block in blocks)


def hides_scale(table: FilingTable, words: str) -> bool:
    """Tell whether neither a table nor the paragraph before it states the table's scale.

    Amounts in ones need no statement.
    """
    scale = table_scale(table.cells, [words])
    return table.scale not in (None, scale) and (table.scale != "ones" or scale is not None)


def is_near(blocks: ShownBlocks, first: int, second: int) -> bool:
    """Check whether two tables are of one Item, with few paragraphs and no columns between.

    Beside a table in millions, amounts in ones that say nothing of it would be taken for millions.
    """
    table, other = blocks[first].table, blocks[second].table
    between = blocks[first + 1 : second]
    return (
        table is not None
        and other is not None
        and table.item == other.item
        and (table.scale == other.scale or "ones" not in (table.scale, other.scale))
        and len(between) <= _NEAR
        and all(block.text for block in between)
    )


def start_before(blocks: ShownBlocks, first: int) -> int:
    """Return where the text before a table begins: at its headings, or else its lead-in."""
    start = first
    n_headings = 0
    while start and first - start < _NEAR and blocks[start - 1].text:
        block = blocks[start - 1]
        if block.is_note or n_headings == _MOST_HEADINGS or (n_headings and not block.is_heading):
            break
        n_headings += block.is_heading
        start -= 1
    is_of_table_above = start and (not blocks[start - 1].text or blocks[start - 1].is_note)
    if is_of_table_above and not n_headings:
        return max(start, first - 1)
    return start


def end_after(blocks: ShownBlocks, last: int) -> int:
    """Return the end of the text after a table: the next heading, or what leads in to a table."""
    end = last + 1
    most = min(end + _NEAR, len(blocks))
    while end < most and blocks[end].text and not blocks[end].is_heading:
        end += 1
    leads_in = end < len(blocks) and not blocks[end].text
    while end > last + 1 and not blocks[end - 1].is_note and (leads_in or blocks[end - 1].is_short):
        end -= 1
        leads_in = False
    return end


def prose(text: str) -> str:
    """Return a paragraph in one line, or "" if it shows columns; its number may be one."""
    words = []
    for line in text.split("\n"):
        first, *rest = line.split(" | ")
        if len(rest) > 1 or (rest and not (is_enumerator(first) or _NUMBERED.fullmatch(first))):
            return ""
        words += line.replace(" | ", " ").split()
    prose = " ".join(words)
    return "" if is_table(prose) else prose
