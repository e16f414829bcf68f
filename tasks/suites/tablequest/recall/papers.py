"""A folder of papers in Markdown: their tables, and the sentences of the text that names them.

A table's number is that of the caption beside it. Its evidence is every section that names the
number ("Table 3"), sentence by sentence, without captions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.table_html import table_html
from tasks.suites.suite import Source
from tasks.suites.tablequest.rows import PaperTable
from tasks.text.sentences import split_sentences

NO_PAPER = "the folder has no Markdown file"
NOT_TEXT = "the file is not UTF-8 text"
NO_TABLE = "the paper has no table"
BROKEN = "lines with bars that are no Markdown table: their cells do not fit its head or its rule"
NOT_MARKDOWN = "a table in HTML or LaTeX, which is not read"
TOO_SMALL = "the table has fewer than two rows and two columns with text"
NO_CAPTION = "no caption beside the table gives its number"
TWO_CAPTIONS = "it is not clear which caption is the table's"
SAME_NUMBER = "two tables of the paper have this number"
NOT_NAMED = "no text of the paper names the table"

_SUFFIXES = (".md", ".markdown", ".mmd")
_NUMBER = r"(?:[A-Z]\.?)?\d+(?:\.\d+)*|[IVXL]+\b|[A-Z]\b"
_TABLE = r"(?:[Tt]ables?|TABLES?|Tabs?\.|Tbl\.)[\s~]*"
# What a caption begins with; "Table 3 shows" begins a sentence.
_CAPTION = re.compile(rf"[*_]{{0,3}}{_TABLE}({_NUMBER})(?:[*_]{{1,3}}|\s*[:.|–—-](?!\d)|\s*\Z)")
# Also `Table 3a`, `Tables 2, 4 and 6`, `Tables 2-4`
_ONE = rf"(?:{_NUMBER})(?:(?<=\d)[a-z])?\b"
_NAMED = re.compile(rf"\b{_TABLE}({_ONE}(?:\s*(?:,\s*and|,|and|&|or|to|[-–—])\s*{_ONE})*)")
_RANGE = re.compile(r"\b(\d{1,3})\s*(?:[-–—]|to)\s*(\d{1,3})\b")
# Text after a table's last row without an empty line would be a row of it.
_AFTER_TABLE = re.compile(r"^([ ]{0,3}\|.*\|[ \t]*)\n(?=[^|\n]+$)", re.MULTILINE)
_BARS = re.compile(r"^\s*\|.*\n\s*\|", re.MULTILINE)
_OTHER_TABLE = re.compile(r"<table\b|\\begin\{(?:table|tabular|longtable)", re.IGNORECASE)
_OUTER_BARS = re.compile(r"\A[\s>]*\||(?<!\\)\|\s*\Z")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class _Block:
    """One block of a paper: a paragraph, a heading or a table."""

    line: int  # from 1
    text: str = ""
    number: str = ""  # of the table that it is the caption of
    is_heading: bool = False
    cells: Cells | None = None  # of a table; () if it cannot be read
    lost: str = ""  # why it cannot be read


def read_papers(folder: Path) -> Iterator[PaperTable | Reject]:
    """Yield each table that the text of its paper names; and a reject per other table or paper."""
    files = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    papers = [file for file in files if file.is_file() and file.suffix.lower() in _SUFFIXES]
    if not papers:
        yield _reject(folder.name, 0, NO_PAPER, f"none ends in {', '.join(_SUFFIXES)}")
    for file in papers:
        name = file.name if folder.is_file() else file.relative_to(folder).as_posix()
        try:
            text = file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            yield _reject(name, 0, NOT_TEXT, str(error))
        else:
            yield from read_paper(name, text)


def read_paper(name: str, text: str) -> Iterator[PaperTable | Reject]:
    """Yield the tables and rejects of one paper."""
    blocks = list(_blocks(text))
    captions = _captions(blocks)
    if not captions:
        yield _reject(name, 0, NO_TABLE)
    numbers = Counter(
        caption.number for caption in captions.values() if isinstance(caption, _Block)
    )
    sections = _sections(blocks)
    for place, caption in captions.items():
        block, cells = blocks[place], blocks[place].cells
        if not cells:
            yield _reject(name, block.line, block.lost, block.text)
        elif len(cells[0]) < 2 or not any(any(row[1:]) for row in cells[1:]):
            yield _reject(name, block.line, TOO_SMALL)
        elif isinstance(caption, str):
            yield _reject(name, block.line, caption)
        elif numbers[caption.number] > 1:
            yield _reject(name, block.line, SAME_NUMBER, f"Table {caption.number}")
        elif evidence := [said for named, said in sections if caption.number in named]:
            yield PaperTable(
                paper_table_id=stable_id("paper_table", name, caption.number, text),
                paper=name,
                number=caption.number,
                caption=caption.text,
                html=table_html(cells, {}),
                evidence=tuple(dict.fromkeys(chain.from_iterable(evidence))),
            )
        else:
            yield _reject(name, block.line, NOT_NAMED, f"Table {caption.number}")


SOURCE = Source(option="papers", rows=PaperTable, read=read_papers)


def _blocks(text: str) -> Iterator[_Block]:
    """Yield a paper's tables, headings and paragraphs in order, in lists and quotations too."""
    source = _AFTER_TABLE.sub(r"\1\n\n", text.replace("\r\n", "\n"))
    lines = source.split("\n")
    tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(source))
    waiting = tree.children[::-1]
    while waiting:
        node = waiting.pop()
        start, end = node.map or (0, 0)
        if node.type == "table":
            rows = [row for part in node.children for row in part.children]
            cells = tuple(tuple(_plain(cell.children[0]) for cell in row.children) for row in rows)
            wide = [line for line in lines[start:end] if _n_cells(line) > len(cells[0])]
            if wide:
                yield _Block(start + 1, wide[0].strip(), cells=(), lost=BROKEN)
            else:
                yield _Block(start + 1, cells=cells)
        elif node.type in ("paragraph", "heading", "html_block"):
            inline = node.children[0] if node.children else node
            if _OTHER_TABLE.search(inline.content) or _BARS.search(inline.content):
                lost = NOT_MARKDOWN if _OTHER_TABLE.search(inline.content) else BROKEN
                yield _Block(start + 1, inline.content[:200], cells=(), lost=lost)
            else:
                caption = _CAPTION.match(inline.content)
                number = caption[1] if caption else ""
                yield _Block(start + 1, _plain(inline), number, node.type == "heading")
        else:
            waiting += node.children[::-1]


def _n_cells(line: str) -> int:
    return len(_BAR.findall(_OUTER_BARS.sub("", line))) + 1


def _plain(inline: SyntaxTreeNode) -> str:
    """Return a block's words in one line, without markup."""
    parts = [
        each.content if each.type in ("text", "code_inline") else " " * ("break" in each.type)
        for each in inline.walk()
    ]
    return " ".join("".join(parts).split())


def _captions(blocks: Sequence[_Block]) -> dict[int, _Block | str]:
    """Find each table's caption, right before or after it; else the reason why there is none.

    A caption between two tables is that of the one that has no other.
    """
    left = {
        place: {at for at in (place - 1, place + 1) if 0 <= at < len(blocks) and blocks[at].number}
        for place, block in enumerate(blocks)
        if block.cells is not None
    }
    found: dict[int, _Block | str] = {
        place: TWO_CAPTIONS if beside else NO_CAPTION for place, beside in left.items()
    }
    while True:
        only = {place: min(beside) for place, beside in left.items() if len(beside) == 1}
        wanted = Counter(only.values())
        sure = {place: at for place, at in only.items() if wanted[at] == 1}
        if not sure:
            return found
        found |= {place: blocks[at] for place, at in sure.items()}
        taken = set(sure.values())
        left = {place: beside - taken for place, beside in left.items() if place not in sure}


def _sections(blocks: Sequence[_Block]) -> list[tuple[set[str], list[str]]]:
    """Split a paper at its headings: the numbers of tables that a part names, and its sentences."""
    sections: list[tuple[set[str], list[str]]] = [(set(), [])]
    for block in blocks:
        if block.number or block.cells is not None:
            continue
        if block.is_heading:
            sections.append((set(), []))
        named, sentences = sections[-1]
        named |= _named_in(block.text)
        if not block.is_heading:
            sentences += [block.text[start:end] for start, end in split_sentences(block.text)]
    return [section for section in sections if section[1]]


def _named_in(text: str) -> set[str]:
    """Find the numbers of tables that a text names, also in lists and ranges."""
    named: set[str] = set()
    for listed in _NAMED.findall(text):
        named.update(re.findall(_NUMBER, listed))
        for first, last in _RANGE.findall(listed):
            named.update(map(str, range(int(first), int(last))))
    return named


def _reject(name: str, line: int, reason: str, detail: str = "") -> Reject:
    at = f"line {line:,}" if line else ""
    return Reject(
        reject_id=stable_id("reject", "ingest", name, line, reason),
        stage="ingest",
        parent_id=name,
        reason=reason,
        detail=": ".join(filter(None, (at, " ".join(detail.split())))),
    )
