"""Remove page artifacts: page numbers, running heads, links back to the contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from string import digits

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.cells import is_enumerator
from tasks.filings.reader.table_html import count_heads
from tasks.quantities.scales import scale_in

_WITHOUT_DIGITS = str.maketrans("", "", digits)
_NUMBER = re.compile(
    r"(?:page\s*)?[-–—(\s|]*(?:[A-Z]{1,2}\s?-\s?)?(\d{1,3})[-–—)\s|]*", re.IGNORECASE
)
_ROMAN = frozenset("ivxl")
_LINK_BACK = re.compile(
    r"(?:(?:back|return) to )?(?:(?:the )?table of contents?"
    r"|index to (?:the )?(?:consolidated )?financial statements|top of (?:page|document))"
    r"(?: \| [^|]{0,60})?|index|contents",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"\(?\s*cont(?:inued|['’]?d)\.?\s*\)?\s*[.:-]?$", re.IGNORECASE)
_RUN_ON = "_,”’\"')%]-"  # besides letters and digits
_LABEL = re.compile(r"(?:item|part|note)\s+[\divx]+|\d{1,2}[.)]", re.IGNORECASE)

# Texts that repeat but are not artifacts: short answers, and headings of statements
_SAID_AGAIN = re.compile(
    r"(?:none|not applicable|n/a|omitted|\W*reserved\W*)\W*"
    r"|.*\b(?:ended|january|february|march|april|june|july|august"
    r"|september|october|november|december)\b.*",
    re.IGNORECASE,
)

_EDGE = 3  # page artifacts are within this many blocks of a page's top or bottom
_LONGEST = 160  # characters of a running head


def without_page_artifacts(blocks: Sequence[Block]) -> list[Block]:
    """Remove page artifacts, and join paragraphs and tables that a page break cut.

    A running head's first occurrence stays, since it may be the heading that the others repeat.
    """
    remaining = _without_running_heads(_without_numbers(_with_marks_joined(blocks)))
    return _joined_over_pages(remaining)


def _with_marks_joined(blocks: Sequence[Block]) -> list[Block]:
    """Put lone bullets and numbers before their text; leave drawn rules out."""
    joined: list[Block] = []
    mark: Block | None = None
    for block in blocks:
        if block.kind == "text":
            says_something = any(char.isalnum() or char in "☒☐☑" for char in block.text)
            if not says_something and not is_enumerator(block.text):
                continue
            if mark is None and is_enumerator(block.text) and not _NUMBER.fullmatch(block.text):
                mark = block
                continue
        if mark is not None:
            if block.kind == "text" and block.page == mark.page:
                text = f"{mark.text} {block.text}"
                block = replace(block, text=text, anchors=mark.anchors + block.anchors)
            elif re.search(r"\w", mark.text):
                joined.append(mark)
            mark = None
        joined.append(block)
    if mark is not None and re.search(r"\w", mark.text):
        joined.append(mark)
    return joined


def _at_edges(blocks: Sequence[Block]) -> list[bool]:
    """Return whether each block is near its page's top or bottom."""
    edges = [False] * len(blocks)
    first = 0
    for index in range(1, len(blocks) + 1):
        if index == len(blocks) or blocks[index].page != blocks[first].page:
            for near in range(first, index):
                edges[near] = near < first + _EDGE or near >= index - _EDGE
            first = index
    return edges


def _without_numbers(blocks: Sequence[Block]) -> list[Block]:
    remaining = []
    edges = _at_edges(blocks)
    expected = 1
    for block, is_edge in zip(blocks, edges, strict=True):
        if block.kind == "text" and len(block.text) < 120:
            match = _NUMBER.fullmatch(block.text)
            if match:
                number = int(match[1])
                if is_edge or 0 <= number - expected <= 2:
                    expected = number + 1
                    continue
            elif (
                is_edge
                and len(block.text) <= 8
                and _ROMAN.issuperset(block.text.lower().strip("-–—() "))
            ) or (block.links and _LINK_BACK.fullmatch(block.text)):
                continue
        remaining.append(block)
    return remaining


def _without_running_heads(blocks: Sequence[Block]) -> list[Block]:
    edges = _at_edges(blocks)
    keys = [
        block.text.translate(_WITHOUT_DIGITS).casefold()
        if is_edge and block.kind == "text" and len(block.text) < _LONGEST
        else ""
        for block, is_edge in zip(blocks, edges, strict=True)
    ]
    often = _on_many_pages(keys, blocks)
    keys = [
        key
        if (key in often or ("cont" in key and _CONTINUED.search(block.text)))
        and not _SAID_AGAIN.fullmatch(block.text)
        and scale_in(block.text) is None
        else ""
        for block, key in zip(blocks, keys, strict=True)
    ]
    running = _on_many_pages(keys, blocks)
    remaining: list[Block] = []
    seen: set[str] = set()
    n_heads = 0  # of running heads that end `kept`
    for index, (block, key) in enumerate(zip(blocks, keys, strict=True)):
        if key and _CONTINUED.search(block.text) and index and blocks[index - 1].page != block.page:
            continue
        if key in running:
            if key in seen:
                continue
            seen.add(key)
            n_heads += 1
        elif len(remaining) > n_heads and _goes_on(before := remaining[-1 - n_heads], block):
            remaining[-1 - n_heads] = _joined_tables(before, block)
            continue
        else:
            n_heads = 0
        remaining.append(block)
    return remaining


def _goes_on(table: Block, following: Block) -> bool:
    """Whether a table without heads ends one that the page before has cut, with as many columns."""
    return (
        table.cells is not None
        and following.cells is not None
        and table.page != following.page
        and len(table.cells[0]) == len(following.cells[0])
        and count_heads(table.cells) > 0
        and count_heads(following.cells) == 0
    )


def _joined_tables(table: Block, rest: Block) -> Block:
    cells = (*(table.cells or ()), *(rest.cells or ()))
    n_rows = len(table.cells or ())
    return replace(
        table,
        text=f"{table.text}\n{rest.text}",
        page=rest.page,
        cells=cells,
        spans=table.spans
        | {(row + n_rows, column): span for (row, column), span in rest.spans.items()},
        anchors=table.anchors + rest.anchors,
        links=table.links + rest.links,
    )


def _on_many_pages(keys: Sequence[str], blocks: Sequence[Block]) -> set[str]:
    """Return the keys that enough pages have for a running head."""
    n_pages = len({block.page for block in blocks})
    shown = {(key, block.page) for key, block in zip(keys, blocks, strict=True) if key}
    pages_with = Counter(key for key, _ in shown)
    return {key for key, n in pages_with.items() if n >= max(4, 0.04 * n_pages)}


def _joined_over_pages(blocks: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.page != block.page
            and before.kind == block.kind == "text"
            and _runs_on(before.text, block.text)
        ):
            joined[-1] = replace(
                before,
                text=f"{before.text} {block.text}",
                is_bold=before.is_bold and block.is_bold,
                links=before.links + block.links,
                anchors=before.anchors + block.anchors,
                page=block.page,
            )
        else:
            joined.append(block)
    return joined


def _runs_on(text: str, following: str) -> bool:
    """Whether a paragraph that ends a page continues on the next."""
    if not (text[-1].isalnum() or text[-1] in _RUN_ON):
        return False
    if is_enumerator(following.split(maxsplit=1)[0]):
        return False
    if following[0].islower():
        return len(text) > 40
    # a name or number may continue a sentence; headings and rows of a list do not
    return (
        len(text) > 120
        and len(following) > 120
        and following[0].isalnum()
        and not _LABEL.match(following)
    )
