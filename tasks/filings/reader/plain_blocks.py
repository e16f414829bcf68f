"""Parse text filings: join hard-wrapped lines into paragraphs, keep tables as drawn.

Some HTML only carries a typewritten page: one <p> per line in a fixed-width font. `typed_text`
turns it into a text filing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from tasks.filings.reader.blocks import Block, BlockGrid
from tasks.filings.reader.characters import clean
from tasks.filings.reader.plain_tables import is_rule, read_table
from tasks.quantities.units import CURRENCY, SIGNS

_TABLE = re.compile(r"<TABLE>((?:[^<]++|<(?!/TABLE>))*+)(?:</TABLE>)?", re.IGNORECASE)
_TABLE_MARK = re.compile(r"</?(?:CAPTION|S|C|FN|F\d+|TABLE|TEXT|PAGE)>", re.IGNORECASE)
# possessive: to go back costs 100 bytes a line
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n)++")
_COLUMN_GAP = " " * 5
_LIST_MARK = re.compile(r"(?:[-*•·o]|--|\(?[a-zA-Z0-9]{1,3}[.)]|\([ivx]+\))\s")
_HEADING = re.compile(r"(?:PART|Part)\s+[IVX]+\b|(?:ITEM|Item)S?\s*(?:\d|ONE|TWO|THREE)")
_FIGURE_APART = re.compile(
    rf"\S(?: {{3,}}|\.{{4,}} *)(\(?(?:{CURRENCY})?\(? {{0,12}}[\d-][\d,.]*[)%{SIGNS}]*)(?:\s|$)"
)
_FOOTNOTE = re.compile(r"\s*(?:\*{1,3}|[{(\[]\w{1,2}[})\]]|\w/)\s*\S")
_LONGEST_LABEL = 4  # lines of a label between the rows of a table
_MOST_HEADINGS = 2  # times that a document has one; a page's running head comes more often
_SENTENCE_ENDS = frozenset(".:;!?")

_TYPED_PAGE = re.compile(r"<p\b[^>]*page-break-before\s*:\s*always[^>]*>", re.IGNORECASE)
_TYPED_LINE = re.compile(r"<(?:p|br|div|tr|hr)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<\s?/?\s?[a-zA-Z!][^>]*>")
_BROKEN_NBSP = re.compile(r"&\s?n\s?b\s?s\s?p\s?;")  # a converter wrapped lines inside entities

# In a text without line breaks, a paragraph ends before an Item.
_FLAT_HEADING = re.compile(
    r"\s(?<=[.!?:\"”)]\s)\s*(?="
    r"(?:(?:Part|PART) [IV]{1,3}\s+)?(?:Item|ITEM)\s+\d{1,2}[ABC]?\.\s+[A-Z]"
    r"|(?:Part|PART) [IV]{1,3}\s+(?:Item|ITEM))"
)


def is_typed(source: str) -> bool:
    """Whether most paragraphs of an HTML document are single lines in Courier."""
    if "Courier" not in source[:100_000]:
        return False
    n_typed = source.count("Courier")
    n_paragraphs = source.count("<p") + source.count("<P")
    return n_typed > 100 and n_typed > 0.5 * n_paragraphs and "<pre" not in source


def typed_text(source: str) -> str:
    """Return the lines of such a document as a text filing: columns by spaces, form feeds."""
    text = source[max(source.find("<body"), source.find("<BODY"), 0) :]
    text = " ".join(line.strip() for line in text.split("\n"))
    text = _BROKEN_NBSP.sub("&nbsp;", text)
    text = re.sub(r" ?&nbsp; ?", "&nbsp;", text)
    text = _TYPED_PAGE.sub("\f\n", text)
    text = _TYPED_LINE.sub("\n", text)
    return html.unescape(_TAG.sub("", text)).replace("\xa0", " ")


def read_plain(source: str) -> list[Block]:
    """Return the blocks of a text document, in reading order."""
    source = clean(source)
    if any(entity in source for entity in ("&amp;", "&lt;", "&nbsp;", "&#")):
        source = html.unescape(source)
    if "\n- -" in source:  # dashes escaped for privacy-enhanced mail
        source = f"\n{source}".replace("\n- -", "\n-")[1:]
    if source.count("\n") < len(source) / 2000:
        paragraphs = (" ".join(paragraph.split()) for paragraph in _FLAT_HEADING.split(source))
        return [Block(text=text) for text in paragraphs if text]
    return _Lines(source).blocks()


class _Lines:
    """One document's lines, cut into tables and into chunks between empty lines."""

    def __init__(self, source: str) -> None:
        self.source = source
        long = [line for line in source.split("\n") if len(line) > 40 and len(line.strip()) > 40]
        lengths = sorted([len(line.rstrip()) for line in long])
        self.width = lengths[len(lengths) * 9 // 10] if lengths else 72

    def blocks(self) -> list[Block]:
        blocks: list[Block] = []
        page = 0
        end = 0
        source = self.source.replace("<PAGE>", "\f").replace("<page>", "\f")
        for table in [*_TABLE.finditer(source), None]:
            stop = table.start() if table else len(source)
            for index, part in enumerate(source[end:stop].split("\f")):
                page += index > 0
                blocks.extend(self._text(part, page))
            if table:
                # Some filings open a table that goes on for pages, with text and tables in it.
                for index, part in enumerate(table[1].split("\f")):
                    page += index > 0
                    blocks.extend(self._marked_table(part, page))
                end = table.end()
        return blocks

    def _marked_table(self, inside: str, page: int) -> Iterator[Block]:
        """Yield one page's content of <TABLE>: a table of data, or text after all."""
        drawn = _TABLE_MARK.sub(lambda mark: " " * len(mark[0]), inside).expandtabs(8)
        lines = [line.rstrip() for line in drawn.split("\n")]
        filled = [line for line in lines if line]
        grid = read_table(filled) if filled else None
        if grid is None:
            yield from self._text("\n".join(lines), page)
        else:
            yield _table_block(filled, grid, page)

    def _text(self, part: str, page: int) -> Iterator[Block]:
        if "\t" in part:
            part = part.expandtabs(8)
        chunks = []
        for chunk in _BLANK_LINES.split(part):
            lines = [text for line in chunk.split("\n") if (text := line.rstrip())]
            if lines:
                chunks.append(lines)
        if not chunks:
            return
        parts = [part for chunk in chunks for part in _parts(chunk)]
        chunks = [lines for lines, _ in parts]
        columns = [column for _, column in parts]
        index = 0
        while index < len(chunks):
            n_chunks, grid = self._unmarked_table(chunks, columns, index)
            if grid is not None:
                lines = [line for chunk in chunks[index : index + n_chunks] for line in chunk]
                yield _table_block(lines, grid, page)
                index += n_chunks
                continue
            for text in self._paragraphs(chunks[index]):
                yield Block(text=text, page=page)
            index += 1

    def _unmarked_table(
        self, chunks: list[list[str]], columns: list[int | None], index: int
    ) -> tuple[int, BlockGrid | None]:
        """Return how many chunks an unmarked table takes from here, and its grid, if any."""
        if set(columns[index : index + 3]) == {None}:
            return 1, None
        drawn = taken = _n_drawn(columns, index)
        if not drawn and _is_heading(chunks[index], columns[index + 1 : index + 3]):
            taken = 1
        is_without_figures = taken > drawn or columns[index] == 0
        is_repeated = index < 2 and self.source.count(chunks[index][0].strip()) > _MOST_HEADINGS
        if is_repeated and is_without_figures:
            return 1, None  # a running head
        while taken and index + taken + 1 < len(chunks):
            more = _n_drawn(columns, index + taken)
            if not more and _is_label(chunks[index + taken], columns[index + taken + 1]):
                more = 1 + _n_drawn(columns, index + taken + 1)
            if not more:
                break
            taken += more
        for n_chunks in dict.fromkeys((taken, drawn)):
            lines = [line for chunk in chunks[index : index + n_chunks] for line in chunk]
            grid = read_table(lines) if lines else None
            if grid is not None:
                return n_chunks, grid
        return 1, None

    def _paragraphs(self, lines: list[str]) -> Iterator[str]:
        """Join a chunk of lines into paragraphs."""
        n_gaps = sum([_COLUMN_GAP in line.lstrip() for line in lines])
        if n_gaps and n_gaps >= 0.5 * len(lines):
            rows = [
                " | ".join(re.split(r" {5,}", line.strip())) for line in lines if not is_rule(line)
            ]
            if rows:
                yield "\n".join(rows)
            return
        width = max(map(len, lines)) if len(lines) > 2 else self.width
        paragraph: list[str] = []  # its lines
        before = ""
        for line in lines:
            is_drawn = is_rule(line)
            if paragraph and (is_drawn or _ends_paragraph(before, line, width)):
                yield " ".join(" ".join(paragraph).split())
                paragraph = []
            if is_drawn:
                continue
            text = line.lstrip()
            if paragraph and before[-1] == "-" and text[0].islower() and before[-2:-1].isalnum():
                paragraph[-1] += text  # a word goes on after its hyphen
            else:
                paragraph.append(line)
            before = line
        if paragraph:
            yield " ".join(" ".join(paragraph).split())


def _table_block(lines: list[str], grid: BlockGrid, page: int) -> Block:
    """Return a table with its lines as drawn, without their common margin."""
    margin = min(map(_indent, lines))
    text = "\n".join(line[margin:] for line in lines)
    return Block(text=text, kind="table", page=page, cells=grid.cells, spans=grid.spans)


def _ends_paragraph(line: str, following: str, width: int) -> bool:
    """Whether the writer broke the line on purpose, not because it was full."""
    text, next_text = line.lstrip(), following.lstrip()
    ends_sentence = text.rstrip("\"')]")[-1:] in _SENTENCE_ENDS
    if (ends_sentence or len(text) < 0.6 * width) and _HEADING.match(next_text):
        return True
    if (ends_sentence or len(text) < 0.8 * width) and _LIST_MARK.match(next_text):
        return True
    if text.isupper() and next_text.isupper():
        return bool(_HEADING.match(text)) and len(text) < 12
    deeper = len(following) - len(next_text) - len(line) + len(text)
    if ends_sentence and deeper >= 3 and not _LIST_MARK.match(text):
        return True
    if next_text[0].islower():
        return False
    first_word = next_text.split(maxsplit=1)[0]
    if len(line) + 1 + len(first_word) >= width - 6:
        return False
    return deeper <= 2 or not (_HEADING.match(text) or _LIST_MARK.match(text))


def _is_heading(lines: list[str], below: list[int | None]) -> bool:
    """Whether a chunk only heads the columns of the next one, or of the one after a label."""
    first = next((column for column in below if column is not None), None)
    return (
        first is not None
        and all(_is_beside(line, first) for line in lines)
        and any(len(line) > first and "   " in line and not is_rule(line) for line in lines)
    )


def _n_drawn(columns: list[int | None], index: int) -> int:
    """Count the chunks from here that are spaced cells."""
    end = index
    while end < len(columns) and columns[end] is not None:
        end += 1
    return end - index


def _parts(lines: list[str]) -> Iterator[tuple[list[str], int | None]]:
    """Yield a chunk's spaced cells and the prose that touches them.

    With cells comes the character at which their figures begin, 0 without any; with prose None.
    """
    starts = {}
    n_rules = 0
    for number, line in enumerate(lines):
        if is_rule(line):
            n_rules += 1
        elif ("   " in line.lstrip() or "...." in line) and (match := _FIGURE_APART.search(line)):
            starts[number] = match.start(1)
    first = min(starts.values(), default=0)
    if len(starts) > 1:
        prose = [
            number
            for number, line in enumerate(lines)
            if number not in starts and not _is_beside(line, first)
        ]
        above = [number for number in prose if number < min(starts)]
        below = [number for number in prose if number > max(starts)]
        if len(prose) == len(above) + len(below):
            if below and any(map(_FOOTNOTE.match, lines[max(starts) + 1 : below[0] + 1])):
                below = []
            begin = above[-1] + 1 if above else 0
            end = max(starts) + 1 if below else len(lines)
            while below and (is_rule(lines[end]) or _indent(lines[end]) > first // 2):
                end += 1
            if begin:
                yield lines[:begin], None
            yield lines[begin:end], first
            if below:
                yield lines[end:], None
            return
    is_drawn = n_rules < len(lines) and (
        len(starts) + n_rules >= 0.5 * len(lines)
        or (starts and all(len(line) <= first or n in starts for n, line in enumerate(lines)))
    )
    yield lines, first if is_drawn else None


def _is_beside(line: str, first: int) -> bool:
    """Whether a line fits a table whose figures begin at `first`: it does not run across."""
    indent = _indent(line)
    return len(line) <= first or indent > first // 2 or "   " in line[indent:] or is_rule(line)


def _is_label(lines: list[str], first: int | None) -> bool:
    """Whether a chunk is a label of the rows below it, beside their figures."""
    return (
        first is not None
        and len(lines) <= _LONGEST_LABEL
        and all(len(line) < first and "   " not in line.strip() for line in lines)
        and not lines[-1].endswith(".")
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
