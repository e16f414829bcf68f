"""Find the Items of a 10-K: number, title and span of each.

`item_headings` scores candidates one by one. `item_listings` removes tables of contents, which are
runs of rows without text between them. Dynamic programming then takes the best chain of ascending
Items. If a filing has a table of contents or a cross-reference index instead of numbered
headings, that is read (`cross_reference`). Texts without line breaks are searched inside their
lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.cross_reference import listed_headings, read_index
from tasks.filings.reader.item_headings import (
    SHORT_LINE,
    Heading,
    headings_at_line_starts,
    headings_inside_lines,
)
from tasks.filings.reader.item_listings import split_listings
from tasks.filings.reader.item_titles import item_order, part_of

_SIGNATURES = re.compile(
    r"^[^\w\n]{0,6}signatures?\b[^\w\n]{0,6}$|\bSIGNATURES?\s+Pursuant to the requirements?\b",
    re.MULTILINE | re.IGNORECASE,
)
# A Part's heading, or that of an Item of Regulation AB
_OTHER_HEADING = re.compile(
    r"^[^\w\n]{0,6}(?:part\s+(?P<part>i{1,3}|iv|[1-4])\b[^\w\n]*(?-i:[^a-z\n]{0,60})$"
    r"|items?\s*1[01]\d\d\b[^\n]{0,40}\bregulation\s+AB\b)",
    re.MULTILINE | re.IGNORECASE,
)
_PART_AT_END = re.compile(  # in a text without line breaks; not "... is included in Part IV."
    r"(?:(?:\A|(?<=[.!?)\]\n])|(?<=[.!?)\]]\s))"
    r"(?:\s*\d+\s+Table of Contents\s+)?\s*part\s+(?:i{1,3}|iv)\W*"
    r"|(?<!\bin\s)(?<!\bof\s)(?<!\band\s)\b(?-i:PART\s+(?:I{1,3}|IV))\s*)\Z",
    re.IGNORECASE,
)
_NOTHING_TO_SAY = re.compile(
    r"\s*(?:none|not applicable|n/a|omitted|not required)[^\n]{0,40}\n", re.IGNORECASE
)
_PART_NUMBERS = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "1": 1, "2": 2, "3": 3, "4": 4}

_FLAT_LINE = 400  # characters; only lines of flattened texts are longer on average
ENOUGH = 3  # from this many headings of different Items, a filing has headings
STRAY = 5.5  # least score of a heading out of order, for an Item found nowhere else


def find_items(blocks: Sequence[Block], starts: Sequence[int], text: str) -> list[Item]:
    """Return the spans of a filing's Items, in order of place; [] if it has none.

    `starts[i]` is where `blocks[i].text` starts in `text`. An Item with a heading is one span, up
    to the next Item, the next Part's heading or, for the last, the signatures. Items under one
    heading ("Items 1 and 2") share it; others do not overlap. An Item of a page index has a span
    for each run of its pages; spans of different Items may overlap.
    """
    return tidied(_candidates(blocks, starts, text), text)


def _candidates(blocks: Sequence[Block], starts: Sequence[int], text: str) -> list[Item]:
    """Return the Items by headings, else by an index; their spans may overlap or be empty."""
    candidates = headings_at_line_starts(text)
    if text.count("\n") * _FLAT_LINE < len(text):  # hardly any paragraphs
        inside = headings_inside_lines(text, is_flat=True)
        places = {heading.start_char: heading for heading in (*inside, *candidates)}
        candidates = [places[place] for place in sorted(places)]
    headings, listings = split_listings(candidates, blocks, starts, text)
    chain = best_chain(headings, len(text))
    n_listed = max(map(len, listings), default=0)
    if _count(chain) >= ENOUGH and _count(chain) * 4 >= n_listed:
        return _spans(_with_strays(chain, headings), text)
    if listings:
        listed = listed_headings(listings, blocks, starts)
        return _spans(listed, text) if listed else read_index(listings, blocks, starts, text)
    inside = best_chain(headings_inside_lines(text), len(text))
    if _count(inside) >= ENOUGH:
        return _spans(inside, text)
    return _spans(max(chain, inside, key=_count), text)


def tidied(items: Iterable[Item], text: str) -> list[Item]:
    """Return spans of Items in order of place: inside the text, none empty.

    Spans of one Item that overlap become one. Spans lose trailing whitespace.
    """
    items_of: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: item.start_char):
        inside = text[max(item.start_char, 0) : max(item.end_char, 0)].rstrip()
        if item.start_char < 0 or not inside:
            continue
        end = item.start_char + len(inside)
        spans = items_of.setdefault(item.item, [])
        if spans and item.start_char < spans[-1].end_char:
            spans[-1] = replace(spans[-1], end_char=max(end, spans[-1].end_char))
        else:
            spans.append(replace(item, end_char=end))
    return sorted(
        (span for spans in items_of.values() for span in spans), key=lambda span: span.start_char
    )


def best_chain(headings: Sequence[Heading], text_length: int) -> list[Heading]:
    """Return the ascending chain of headings with the highest total score, earlier ones first.

    Of a heading repeated on each page, this takes the first.
    """
    # score of the best chain that ends here, and the link before
    best: list[tuple[float, int]] = []
    # The best heading so far for the same Items, the first of equals. There are a few dozen Items,
    # but there may be thousands of headings.
    leading: dict[tuple[str, ...], int] = {}
    for index, heading in enumerate(headings):
        own = heading.score - 0.5 * heading.start_char / max(text_length, 1)
        score, before = own, -1
        for earlier in sorted(leading.values()):
            if best[earlier][0] + own > score and _ascends(headings[earlier], heading):
                score, before = best[earlier][0] + own, earlier
        best.append((score, before))
        items = tuple(heading.items)
        if items not in leading or score > best[leading[items]][0]:
            leading[items] = index
    chain: list[Heading] = []
    index = max(range(len(best)), key=lambda link: best[link][0], default=-1)
    while index >= 0:
        chain.append(headings[index])
        index = best[index][1]
    return chain[::-1]


def _ascends(earlier: Heading, later: Heading) -> bool:
    """Whether one heading may follow another; 1A may follow "Items 1 and 2"."""
    return (
        item_order(earlier.items[0]) < item_order(later.items[0])
        and later.items[0] not in earlier.items
    )


def _count(chain: Iterable[Heading]) -> int:
    return sum(len(heading.items) for heading in chain)


def _with_strays(chain: list[Heading], headings: Sequence[Heading]) -> list[Heading]:
    """Add headings out of order (1B after 3), if the Item occurs nowhere else."""
    taken = {item for heading in chain for item in heading.items}
    strays = []
    for heading in headings:
        is_believed = heading.has_own_title and heading.score >= STRAY
        is_inside = bool(chain) and chain[0].start_char < heading.start_char < chain[-1].start_char
        if is_believed and is_inside and not taken.intersection(heading.items):
            taken.update(heading.items)
            strays.append(heading)
    return sorted([*chain, *strays], key=lambda heading: heading.start_char)


def _spans(chain: Sequence[Heading], text: str) -> list[Item]:
    items: list[Item] = []
    for index, heading in enumerate(chain):
        is_last = index + 1 == len(chain)
        end = _end_of(heading, len(text) if is_last else chain[index + 1].start_char, is_last, text)
        for item, title in zip(heading.items, heading.titles, strict=True):
            if item not in {other.item for other in items}:
                items.append(
                    Item(item=item, title=title, start_char=heading.start_char, end_char=end)
                )
    return items


def _end_of(heading: Heading, limit: int, is_last: bool, text: str) -> int:
    """Return where an Item ends, at most `limit`: before a Part's heading or signatures."""
    begin = min(heading.end_char, limit)
    for match in _OTHER_HEADING.finditer(text, begin, limit):
        number = match["part"]
        if number is None or _PART_NUMBERS[number.lower()] > part_of(heading.items[-1]):
            limit = match.start()
            break
    if is_last and (signatures := _SIGNATURES.search(text, begin, limit)):
        limit = signatures.start()
    if heading.items[-1] == "16" and (nothing := _NOTHING_TO_SAY.match(text, begin, limit)):
        limit = nothing.end()  # financial pages may follow; they are not the summary
    body = text[heading.start_char : limit].rstrip()
    tail = max(0, len(body) - SHORT_LINE)
    if "part" in body[tail:].lower() and (part := _PART_AT_END.search(body, tail)):
        body = body[: part.start()].rstrip()
    return max(heading.start_char + len(body), min(heading.end_char, limit))
