"""Find what Items 5 to 8 incorporate from the annual report to shareholders (Exhibit 13).

An Item's part of the exhibit runs from a heading with the Item's title, or with a title that the
Item quotes, to the next Item's heading. The statements (Item 8) begin with the headings that lead
up to the notes, since the discussion (Item 7) may have headings such as "Statement of cash flows"
too. Page numbers are not used: many exhibits count their pages anew, or print none.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_titles import content_words, leads_title
from tasks.text.sentences import split_sentences

FINANCIAL_ITEMS = ("5", "6", "7", "7A", "8")

_REPORT = re.compile(
    r"annual\s+report\b(?!\s+(?:pursuant|on(?!\s+pages?)|under\s+(?:the\s+)?s?e[cx]\w+)\b)|exhibits?\s*\(?13[a-z]?\b|\bEX-13\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")
_ITSELF = re.compile(r"\bthis\s+(?:\d{4}\s+)?annual\s+report\b", re.IGNORECASE)
_REFERS = re.compile(
    r"incorporat|by\s+reference|refer\b|reference\s+is\s+made|can\s+be\s+found|reported\s+on"
    r"|(?:set\s+forth|appear\w*|contained|included|presented|found|shown|see|filed|attached)\b"
    r"|\bpages?\s+\d",
    re.IGNORECASE,
)
_MOST_PROSE = 2_000  # characters beside a reference; an Item with text of its own has more
_LONGEST_REFERENCE = 30_000  # characters with lists of statements

_NAMED_PAGES = re.compile(r"\bpages?\s+\d", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"]([^“”\"]{4,120}?)[,.;:]?[”\"]")
_HOLDERS = r"(?:share|stock)[\s-]?(?:holder|owner)s?['’]?s?['’]?"
_REST = r"\W*(?:\(?(?:continued|unaudited|concluded)\)?\W*)?"
_STATEMENT = re.compile(
    rf"(?:consolidated |combined )?(?:statements? of (?:consolidated |changes in )?(?:net )?"
    rf"(?:income|earnings|operations|cash flows?|financial (?:position|condition)|{_HOLDERS} "
    r"(?:equity|investment)|retained earnings|comprehensive income)|balance sheets?"
    r"|income statements?|cash flows? statements?)\b(?: and .{0,60})?" + _REST,
    re.IGNORECASE,
)
_NOTES = re.compile(r"notes to (?:the )?(?:consolidated )?financial statements\b" + _REST, re.I)
_BESIDE_STATEMENTS = re.compile(
    r"(?:report of (?:independent|registered|management)|(?:independent )?auditors?['’]s? report"
    r"|reports? of ernst|management['’]?s (?:report|responsibility)|responsibility for financial"
    r"|(?:selected )?(?:unaudited )?quarterly (?:financial |consolidated )?"
    r"(?:data|information|results))\b.{0,60}" + _REST,
    re.IGNORECASE,
)
_CELL = re.compile(r" \| |\s{2,}")

_HEADING = 130  # characters of a heading
_FEWEST_ROWS = 3  # of a table of contents
_HEAD_LINES = 4  # lines of a table that may be its heading
# Most characters of sentences between a heading and the next: a statement is a table, and a report
# of auditors is prose. What has more is a section of the discussion.
_PROSE = {"statement": 1_500, "beside": 12_000}
_FEWEST_CHARS = 400  # a shorter section is a row of a table of contents


def refers_to_annual_report(text: str) -> bool:
    """Whether an Item's text is a reference to the annual report to shareholders.

    It may have a few sentences of its own.
    """
    if len(text) > _LONGEST_REFERENCE or not _REPORT.search(text):
        return False
    sentences = [text[start:end] for start, end in split_sentences(text)]
    own = [said for said in sentences if not _is_reference(said)]
    prose = (len(said) for said in own if said.endswith(".") and not _NAMED_PAGES.search(said))
    return len(own) < len(sentences) and sum(prose) <= _MOST_PROSE


def names_annual_report(source: str) -> bool:
    """Whether a main document, perhaps HTML, names the annual report to shareholders."""
    text = html.unescape(_TAG.sub(" ", source))
    return bool(_REPORT.search(_ITSELF.sub("", text)))


def _is_reference(sentence: str) -> bool:
    return bool(_REPORT.search(_ITSELF.sub("", sentence)) and _REFERS.search(sentence))


def incorporated(
    references: Mapping[str, str], blocks: Sequence[Block], starts: Sequence[int], text: str
) -> Iterator[tuple[str, int, int]]:
    """Yield (Item, start, end) of the sections of an exhibit that Items refer to.

    `references` are the texts of these Items.
    """
    landmarks = [
        next(same)
        for _, same in groupby(_landmarks(references, blocks), key=lambda landmark: landmark[1])
    ]
    ends = [*starts, len(text)]
    for (first, item), (following, _) in pairwise([*landmarks, (len(blocks), "")]):
        if item in references and ends[following] - ends[first] >= _FEWEST_CHARS:
            yield item, starts[first], ends[following]


def _landmarks(references: Mapping[str, str], blocks: Sequence[Block]) -> list[tuple[int, str]]:
    """Return the blocks that begin an Item's section, with the Item, in order."""
    titles = {
        content_words(title): item
        for item, reference in references.items()
        if item != "7A"
        for title in _QUOTED.findall(reference)
    }
    sections: dict[int, str] = {}
    statements: dict[int, str] = {}
    for index, block in enumerate(blocks):
        for heading in _headings(block):
            words = content_words(heading)
            items = (item for item in ("5", "6", "7") if leads_title(item, words))
            if kind := _kind_of_statement(heading):
                statements[index] = kind
            elif item := titles.get(words) or next(items, None):
                sections[index] = item
            else:
                continue
            break
    for row in _contents([*sections, *statements], blocks):
        sections.pop(row, None)
        statements.pop(row, None)
    first = _first_statement(statements, blocks)
    sections |= {index: "8" for index in statements if first is not None and index >= first}
    return sorted(sections.items())


def _contents(headings: Iterable[int], blocks: Sequence[Block]) -> list[int]:
    """Return the headings that are rows of a table of contents: several with nothing between."""
    rows: list[int] = []
    run: list[int] = []
    for heading in [*sorted(headings), len(blocks)]:
        if run and not all(
            block.kind == "text" and len(block.text) <= _HEADING
            for block in blocks[run[-1] : heading]
        ):
            rows += run if len(run) >= _FEWEST_ROWS else []
            run = []
        run.append(heading)
    return rows


def _headings(block: Block) -> Iterator[str]:
    """Yield what may be headings of a block: all of its first column, or first lines of a table."""
    lines = block.text.split("\n")
    if block.kind == "table":
        yield from (_CELL.split(line.strip())[0][:_HEADING] for line in lines[:_HEAD_LINES])
    elif len(block.text) <= 2 * _HEADING:
        heading = " ".join(_CELL.split(line.strip())[0] for line in lines)
        if len(heading) <= _HEADING and not heading.endswith((".", ":", ";")):
            yield heading


def _kind_of_statement(heading: str) -> str | None:
    for kind, pattern in (
        ("notes", _NOTES), ("statement", _STATEMENT), ("beside", _BESIDE_STATEMENTS),
    ):  # fmt: skip
        if pattern.fullmatch(heading):
            return kind
    return None


def _first_statement(statements: Mapping[int, str], blocks: Sequence[Block]) -> int | None:
    """Return the first of the headings that lead up to the notes, or None without statements."""
    places = sorted(statements)
    notes = next((place for place in places if statements[place] == "notes"), None)
    if notes is None:
        return next((place for place in places if statements[place] == "statement"), None)
    first = notes
    for place in reversed(places[: bisect_left(places, notes)]):
        between = (block for block in blocks[place:first] if block.kind == "text")
        prose = sum(len(block.text) for block in between if block.text.endswith("."))
        if prose > _PROSE[statements[place]]:
            break
        first = place
    return first
