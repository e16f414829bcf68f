"""Parse HTML of any age into blocks.

We read HTML as a stream of texts and tags, not as a tree. Nothing here depends on a tree, filings
nest wrongly by the thousand, and building one costs more than all the rest of this room.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import lru_cache

from tasks.filings.reader.blocks import Block, table_text
from tasks.filings.reader.cells import SourceCell, is_data_table, is_enumerator, place, to_grid
from tasks.filings.reader.characters import clean
from tasks.filings.reader.html_tags import (
    BREAK_LINE,
    BREAK_PAGE,
    CLOSE_BLOCK,
    CLOSE_INLINE,
    CLOSE_TABLE,
    DEFAULT_SIZE,
    IF_BEHIND,
    OPEN_CELL,
    OPEN_INLINE,
    OPEN_ROW,
    OPEN_TABLE,
    RAISED,
    SKIP_CELLS,
    Styles,
    Tag,
    TagReader,
    after_hidden,
    read_styles,
    split_runs,
)
from tasks.filings.reader.labels import join_labels
from tasks.filings.reader.table_html import spread_down

_ENTITY = re.compile(
    r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)"
)  # as HTML 5 has it
_RAISED_TEXT = re.compile(
    r"\(?\x01\s*\(?(\d{1,2}(?:\s?,\s?\d{1,2})*|[a-z]|[*†‡]{1,3})\)?(\s*)(?:\x02\)?|$)"
)

# Marks inside a list of pieces: raised text begins, ends; a line breaks; a paragraph ends.
_RAISE, _LOWER, _LINE, _PARAGRAPH = "\x01", "\x02", "\x03", "\x04"

_ENDS = frozenset((_LINE, _PARAGRAPH))

# Of the text before, or of all around: a font this small makes digits a mark, as <small> does.
_MUCH_SMALLER = 0.84


@dataclass(slots=True)
class _Row:
    # start, end, text, is_bold, rowspan
    cells: list[tuple[int, int, str, bool, int]] = field(default_factory=list)
    inner: list[Block] = field(default_factory=list)  # of tables inside this row
    anchors: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    rows: list[_Row] = field(default_factory=list)
    column: int = 0
    n_begun: int = 0  # rows
    # column -> of the cell that spans rows there: its first row below it, and its end
    taken: dict[int, tuple[int, int]] = field(default_factory=dict)
    open_cell: Tag | None = None
    size: float = DEFAULT_SIZE  # of its font
    outer: tuple[list[bool], list[float]] = ([], [])  # emphasis and sizes

    def row(self) -> _Row:
        """Return the current row."""
        if not self.rows:
            self.rows.append(_Row())
        return self.rows[-1]

    def next_row(self) -> None:
        """Begin the next row."""
        self.rows.append(_Row())
        self.column = 0
        self.n_begun += 1

    def skip(self, columns: int) -> None:
        """Skip columns, and those that a cell above spans."""
        for _ in range(columns):
            self._skip_taken()
            self.column += 1
        self._skip_taken()

    def _skip_taken(self) -> None:
        below, end = self.taken.get(self.column, (0, 0))
        while below > self.n_begun:
            self.column = end
            below, end = self.taken.get(end, (0, 0))

    def take(self, start: int, end: int, rowspan: int) -> None:
        """Keep columns for a cell, in this row and those below that it spans."""
        self.taken.update(dict.fromkeys(range(start, end), (self.n_begun + rowspan, end)))


def read_html(source: str, styles: Styles | None = None) -> list[Block]:
    """Return the blocks of an HTML document, in reading order, without hidden content.

    `styles` are those of the whole document, if `source` is a part of it.
    """
    styles = read_styles(source) if styles is None else styles
    return _Reader().read(split_runs(source), styles)


class _Reader:
    """One pass over one document's texts and runs of tags."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tables: list[_Table] = []
        self.anchors: list[str] = []  # seen since the last block
        self.links: list[str] = []
        self.page = 0
        self.out: list[str] = []  # pieces of the current block or cell
        self.seen: list[bool] = []  # whether each text in it is bold
        self.emphasis = [False]  # whether each open inline element is bold
        self.sizes = [DEFAULT_SIZE]  # of each open inline element's font, in points
        self.outer_size: float | None = None  # around the open block, if the block has its own
        self.raised: list[int] = []  # depths of emphasis at which raised text began
        self.is_block_bold = False
        self.never_closed: set[str] = set()  # hidden elements without an end, searched for once

    def read(self, pieces: list[str], styles: Styles) -> list[Block]:
        tags = TagReader(styles)
        runs = tags.runs
        # Local names, for speed: these lists stay the same objects throughout.
        out, seen, tables = self.out, self.seen, self.tables
        emphasis, raised, sizes = self.emphasis, self.raised, self.sizes
        before = DEFAULT_SIZE  # size of the text before, unless that is raised
        pieces.append("")  # the run after the last text
        following = iter(pieces)
        for index, (text, spelling) in enumerate(zip(following, following, strict=True)):
            if text and sizes[-1]:
                out.append(text)
                seen.append(emphasis[-1])
                if not raised:
                    before = sizes[-1]
            if not spelling:
                continue
            run = runs.get(spelling) or tags.read_run(spelling)
            if run.has_blank:
                out.append(" ")
            for tag in run.tags:
                does = tag.does
                if does == OPEN_INLINE:
                    emphasis.append(emphasis[-1] if tag.is_bold is None else tag.is_bold)
                    size = tag.size
                    if size is None:
                        size = sizes[-1]
                    elif size < 0:
                        size *= -sizes[-1]
                    sizes.append(size)
                    if (
                        tag.raises
                        and not raised
                        and (
                            tag.raises == RAISED
                            or (
                                tag.raises == IF_BEHIND and (seen or size <= _MUCH_SMALLER * before)
                            )
                            or (
                                seen and 0 < size <= _MUCH_SMALLER * before and out[-1] not in _ENDS
                            )
                        )
                    ):
                        raised.append(len(emphasis))
                        out.append(_RAISE)
                elif does >= OPEN_CELL and does <= OPEN_ROW:  # a chained comparison costs twice
                    if not tables:  # a cell outside a table is a paragraph
                        self._end_block()
                    else:
                        table = tables[-1]
                        if seen or table.open_cell is not None:
                            self._end_cell(table)
                            seen.clear()
                        out.clear()
                        if does == OPEN_CELL:
                            table.open_cell = tag
                            table.skip(0)
                        elif does == SKIP_CELLS:
                            table.skip(tag.colspan)
                        elif does == OPEN_ROW:
                            table.next_row()
                    if does == OPEN_CELL:
                        size = tables[-1].size if tables else DEFAULT_SIZE
                        self._restart(tag.is_bold is True, _scaled(tag.size, size))
                        self.is_block_bold = False
                elif does == CLOSE_INLINE:
                    if raised and raised[-1] == len(emphasis):
                        raised.pop()
                        out.append(_LOWER)
                    if len(emphasis) > 1:
                        emphasis.pop()
                        sizes.pop()
                elif does <= CLOSE_BLOCK:  # or OPEN_BLOCK
                    if self.outer_size is not None or tag.size is not None:
                        self._size_block(tag)
                    if seen or self.is_block_bold or tag.is_bold is not None:
                        self._block_edge(tag)
                elif does == BREAK_LINE:
                    out.append(_LINE)
                elif does == OPEN_TABLE:
                    self._open_table(tag)
                elif does == CLOSE_TABLE and tables:
                    self._close_table()
                elif does == BREAK_PAGE:
                    self._block_edge(tag)
                    self.page += 1
                if tag.has_more:
                    self.page += tag.breaks_page
                    self.anchors.extend(tag.anchors)
                    if tag.link:
                        self.links.append(tag.link)
            if run.has_blank:  # its side of the tags matters only to raised notes
                out.append(" ")
            if (
                run.hides
                and run.hides not in self.never_closed
                and not _empty_hidden(pieces, 2 * index + 2, run.hides)
            ):
                self.never_closed.add(run.hides)
        while tables:
            self._close_table()
        self._end_block()
        return self._linked_blocks()

    def _forget(self) -> None:
        self.out.clear()
        self.seen.clear()

    def _block_edge(self, tag: Tag) -> None:
        if not self.tables:
            self._end_block()
        elif self.seen:
            self.out.append(_PARAGRAPH)
        if tag.is_bold is not None:
            self._restart(tag.is_bold, self.sizes[-1])
            self.is_block_bold = True
        elif self.is_block_bold and tag.does == CLOSE_BLOCK:
            self._restart(False, self.sizes[0])
            self.is_block_bold = False

    def _restart(self, is_bold: bool, size: float) -> None:
        """Close all inline elements."""
        self.emphasis[:], self.sizes[:] = (is_bold,), (size,)
        self.raised.clear()

    def _size_block(self, tag: Tag) -> None:
        """Take a block's size for its text, and the one around it after its end."""
        size = self.sizes[-1]
        if tag.does == CLOSE_BLOCK:
            self.sizes[-1], self.outer_size = self.outer_size or size, None
        elif tag.size is not None:
            self.sizes[-1], self.outer_size = _scaled(tag.size, size), size

    def _open_table(self, tag: Tag) -> None:
        if self.tables:
            self.tables[-1].row().inner.extend(self._text_blocks())
            self._forget()
        else:
            self._end_block()
        size = _scaled(tag.size, DEFAULT_SIZE)
        self.tables.append(_Table(size=size, outer=(self.emphasis.copy(), self.sizes.copy())))
        self._restart(False, size)

    def _close_table(self) -> None:
        table = self.tables.pop()
        self._end_cell(table)
        self._forget()
        self.emphasis[:], self.sizes[:] = table.outer
        blocks = self._table_blocks(table.rows)
        if self.tables:
            self.tables[-1].row().inner.extend(blocks)
        else:
            self.blocks.extend(blocks)

    def _text_blocks(self) -> list[Block]:
        if not self.seen:
            return []
        return self._paragraphs(_settle("".join(self.out)), False not in self.seen)

    def _paragraphs(self, text: str, is_bold: bool) -> list[Block]:
        """Split marked text into blocks, which take the anchors and links seen since the last."""
        blocks = []
        links = tuple(self.links)
        for paragraph in _split(text):
            anchors = tuple(self.anchors)
            blocks.append(
                Block(text=paragraph, is_bold=is_bold, anchors=anchors, links=links, page=self.page)
            )
            self.anchors.clear()
        self.links.clear()
        return blocks

    def _end_block(self) -> None:
        if self.seen:
            self.blocks.extend(self._text_blocks())
        self._forget()

    def _end_cell(self, table: _Table) -> None:
        start, end, rowspan = 0, 1, 1  # columns of text between cells
        if table.open_cell is not None:
            start = table.column
            table.column = end = start + table.open_cell.colspan
            rowspan = table.open_cell.rowspan
            if rowspan > 1:
                table.take(start, end, rowspan)
            table.open_cell = None
        if not self.seen:
            return
        row = table.row()
        if row.inner:  # text after a table inside this row
            row.inner.extend(self._text_blocks())
            return
        if self.anchors or self.links:
            row.anchors.extend(self.anchors)
            row.links.extend(self.links)
            self.anchors.clear()
            self.links.clear()
        text = _settle("".join(self.out))
        row.cells.append((start, end, text, False not in self.seen, rowspan))

    def _table_blocks(self, rows: list[_Row]) -> list[Block]:
        filled = [row for row in rows if row.cells or row.inner]
        if not any(row.inner for row in filled):
            lines = _without_empty([_line(row.cells) for row in rows])
            placed = place(lines) if len(lines) > 1 else []
            drawn = to_grid(join_labels(placed)) if is_data_table(placed) else None
            if drawn is not None:
                grid = spread_down(drawn)
                table = Block(
                    text=table_text(drawn.cells),
                    kind="table",
                    page=self.page,
                    cells=grid.cells,
                    spans=grid.spans,
                    anchors=tuple(anchor for row in filled for anchor in row.anchors),
                    links=tuple(link for row in filled for link in row.links),
                )
                return [table]
        return [block for row in filled for block in self._row_blocks(row)]

    def _row_blocks(self, row: _Row) -> list[Block]:
        """Return a layout row as text: short cells as one paragraph, long ones each alone."""
        self.anchors[:0] = row.anchors
        self.links[:0] = row.links
        blocks = []
        texts = [(_split(text), is_bold) for _, _, text, is_bold, _ in row.cells]
        texts = [(paragraphs, is_bold) for paragraphs, is_bold in texts if paragraphs]
        if texts and not row.inner:
            mark, mark_bold = "", True
            if len(texts) > 1 and len(texts[0][0]) == 1 and _is_mark(texts[0][0][0]):
                (mark,), mark_bold = texts.pop(0)
                mark += " "
            lengths = sorted(
                len(paragraphs[0]) if len(paragraphs) == 1 else 1000 for paragraphs, _ in texts
            )
            longest_other = 80 if lengths[-1] <= 80 else 20
            if lengths[-1] < 1000 and (len(lengths) == 1 or lengths[-2] <= longest_other):
                line = mark + " | ".join(paragraphs[0] for paragraphs, _ in texts)
                texts = [([line], mark_bold and all(is_bold for _, is_bold in texts))]
            else:
                texts[0][0][0] = mark + texts[0][0][0]
        for paragraphs, is_bold in texts:
            blocks.extend(self._paragraphs("\x04".join(paragraphs), is_bold))
        return blocks + row.inner

    def _linked_blocks(self) -> list[Block]:
        """Return the blocks, without anchors that no link points to."""
        linked = {link for block in self.blocks for link in block.links}
        for block in self.blocks:
            if block.anchors:
                block.anchors = tuple(anchor for anchor in block.anchors if anchor in linked)
        return self.blocks


def _scaled(size: float | None, around: float) -> float:
    """Return a font's size in points, given as `Tag.size` has it."""
    if size is None:
        return around
    return size if size >= 0 else -size * around


def _line(cells: list[tuple[int, int, str, bool, int]]) -> list[SourceCell]:
    """Return a row's cells that have a text."""
    return [
        (start, end, text, rowspan)
        for start, end, marked, _, rowspan in cells
        if (text := _one_line(marked))
    ]


def _without_empty(lines: list[list[SourceCell]]) -> list[list[SourceCell]]:
    """Return the lines with cells, which no longer span those without."""
    spanning = [
        [
            (*cell[:3], sum(map(bool, lines[number : number + cell[3]]))) if cell[3] > 1 else cell
            for cell in line
        ]
        for number, line in enumerate(lines)
    ]
    return [line for line in spanning if line]


def _empty_hidden(pieces: list[str], index: int, name: str) -> bool:
    """Empty the pieces up to the tag that closes a hidden element; return whether there is one."""
    depth = 1
    for position in range(index, len(pieces) - 1, 2):
        rest, depth = after_hidden(pieces[position + 1], name, depth)
        if rest is not None:
            pieces[index : position + 1] = [""] * (position + 1 - index)
            pieces[position + 1] = rest
            return True
    return False


def _is_mark(text: str) -> bool:
    return is_enumerator(text) or bool(
        re.fullmatch(
            r"(?i)(?:part|items?|note)\s+[\divx]+[a-z]?[.:]?|\d{1,2}(?:\.\d{1,2})*\.?", text
        )
    )


_unescape = lru_cache(maxsize=1 << 10)(html.unescape)  # a filing has few entities


def _settle(text: str) -> str:
    """Put raised notes in brackets, resolve entities and plain odd characters; keep break marks."""
    if "&" in text:
        text = text.replace("&nbsp;", " ").replace("&#160;", " ")
        if "&" in text:
            text = _ENTITY.sub(lambda entity: _unescape(entity[0]), text)
    if _RAISE in text or _LOWER in text:
        text = _RAISED_TEXT.sub(r"(\1)\2", text).replace(_RAISE, "").replace(_LOWER, "")
    return text if text.isascii() else clean(text)


def _split(text: str) -> list[str]:
    """Split marked text into paragraphs with single spaces."""
    if _LINE in text:
        text = re.sub(r"\x03\s*(?:\x03\s*)+", _PARAGRAPH, text)
        text = re.sub(r"\x03(?=\s*(?:PART|Part|ITEM|Item)\s+[\dIV]+)", _PARAGRAPH, text)
        text = text.replace(_LINE, " ")
    if _PARAGRAPH not in text:
        text = " ".join(text.split())
        return [text] if text else []
    return [joined for part in text.split(_PARAGRAPH) if (joined := " ".join(part.split()))]


def _one_line(text: str) -> str:
    if _LINE in text or _PARAGRAPH in text:
        text = text.replace(_LINE, " ").replace(_PARAGRAPH, " ")
    return " ".join(text.split())
