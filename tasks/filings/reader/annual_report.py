"""Find what Items 5 to 8 incorporate from the annual report to shareholders (Exhibit 13).

An Item says "pages 28 through 37 of the Annual Report". Where the exhibit prints its page numbers,
the Item's part is these pages, from the Item's own heading if that stands on the first of them. In
other exhibits, and in those that count their pages anew, it runs from a heading with the Item's
title, or with a title that the Item quotes, to the next Item's heading. The statements (Item 8)
begin with the headings that lead up to the notes, since the discussion (Item 7) may have headings
such as "Statement of cash flows" too.

An exhibit is one Item alone if only that Item names exactly the pages that it prints.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.cross_reference import Body, Pages, page_ranges, page_runs, section_starts
from tasks.filings.reader.item_titles import content_words, leads_title
from tasks.text.sentences import Span, split_sentences

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
_OTHER_DOCUMENT = re.compile(
    rf"{_ITSELF.pattern}|\bform\s+\d+-?\s?[kq]|\bproxy\b|\bprospectus\b"
    r"|\b(?:this|such)\s+(?:report|document|filing)\b|registration\s+statement",
    re.IGNORECASE,
)
_MOST_PROSE = 2_000  # characters beside a reference; an Item with text of its own has more
_LONGEST_REFERENCE = 30_000  # characters with lists of statements

_NUMBER = r"\d{1,3}\b(?!\s+(?:years?|months?|days?|million|percent|other)\b|[.,]\d|\s?%)"
_NAMED_PAGES = re.compile(
    rf"\bpages?\s+{_NUMBER}(?:\s*(?:-|–|—|,|&|and|to|through|thru)*\s*(?:pages?\s+)?{_NUMBER})*",
    re.IGNORECASE,
)
_JOINTS = re.compile(r"\s*\b(?:to|through|thru)\b\s*", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"]([^“”\"]{4,120}?)[,.;:]?[”\"]")
_PRINTED = re.compile(
    r"(?:(?:\d{4}\s+)?annual\s+report\W+)?(?:page\s*)?\W{0,3}(\d{1,3})\W{0,3}", re.IGNORECASE
)

_HOLDERS = r"(?:share|stock)[\s-]?(?:holder|owner)s?['’]?s?['’]?"
_STATEMENT = re.compile(
    rf"(?:consolidated |combined )?(?:statements? of (?:consolidated |changes in )?(?:net )?"
    rf"(?:income|earnings|operations|cash flows?|financial (?:position|condition)|{_HOLDERS} "
    r"(?:equity|investment)|retained earnings|comprehensive income)|balance sheets?"
    r"|income statements?|cash flows? statements?)\b(?: and .{0,60})?",
    re.IGNORECASE,
)
_NOTES = re.compile(r"notes to (?:the )?(?:consolidated )?financial statements\b", re.IGNORECASE)
_BESIDE_STATEMENTS = re.compile(
    r"(?:report of (?:independent|registered|management)|(?:independent )?auditors?['’]s? report"
    r"|reports? of ernst|management['’]?s (?:report|responsibility)|responsibility for financial"
    r"|(?:selected )?(?:unaudited )?quarterly (?:financial |consolidated )?"
    r"(?:data|information|results))\b.{0,60}",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:(?i:note)\s+(?=\d+\b)|(?=\d+\s?[.:)]))(\d{1,2})\W+[A-Z]")
# What follows the financial part of an annual report
_ABOUT_COMPANY = re.compile(
    r"(?:board of )?directors(?: and (?:\w+ )?(?:officers|management))?"
    r"|(?:corporate |executive |principal )?officers(?: and directors)?"
    rf"|(?:corporate|company|investor|{_HOLDERS}) (?:information|data|directory)"
    r"|annual meeting|transfer agent.{0,40}",
    re.IGNORECASE,
)
_REST = re.compile(r"\W*(?:\(?(?:continued|unaudited|concluded)\)?\W*)?")
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


def printed_offset(blocks: Sequence[Block]) -> int | None:
    """Return printed page number minus page breaks, or None if the pages do not agree.

    `blocks` still have their page numbers.
    """
    edges = [
        block
        for index, block in enumerate(blocks)
        if not 0 < index < len(blocks) - 1
        or blocks[index - 1].page != block.page
        or blocks[index + 1].page != block.page
    ]
    numbers = {
        (int(found[1]) - block.page, block.page)
        for block in edges
        if (found := _PRINTED.fullmatch(block.text))
    }
    votes = Counter(offset for offset, _ in numbers).most_common(2)
    n_pages = len({page for _, page in numbers})
    if not votes or votes[0][1] < 3 or votes[0][1] * 2 <= n_pages:
        return None
    return None if len(votes) > 1 and votes[1][1] == votes[0][1] else votes[0][0]


def incorporated(
    references: Mapping[str, str],
    blocks: Sequence[Block],
    starts: Sequence[int],
    text: str,
    *,
    offset: int | None,
) -> Iterator[tuple[str, int, int]]:
    """Yield (Item, start, end) of the parts of an exhibit that Items refer to.

    `references` are the texts of these Items; `offset` is that of `printed_offset`.
    """
    body = Body(blocks, starts)
    named = {item: _named_pages(said) for item, said in references.items()}
    printed = [] if offset is None else [(body.pages[0] + offset, body.pages[-1] + offset)]
    alone = {item for item in named if named[item] == printed != []}
    if alone and len(alone - {"7A"}) <= 1:
        yield from ((item, 0, len(text)) for item in sorted(alone))
        return
    if offset is None or not _prints(
        body.pages, offset, [*named.get("7", ()), *named.get("8", ())]
    ):
        named = {item: [] for item in references}
    places = {item: body.runs((item,), ranges, offset or 0) for item, ranges in named.items()}
    sections = section_starts(list(places.values()))
    for item, runs in places.items():
        yield from ((item, run.start_char, run.end_before(sections)) for run in runs)
    titled = [item for item, runs in places.items() if not runs]
    if not titled:
        return
    landmarks = [
        next(same)
        for _, same in groupby(_landmarks(references, blocks), key=lambda landmark: landmark[1])
    ]
    ends = [*starts, len(text)]
    for (first, item), (following, _) in pairwise([*landmarks, (len(blocks), "")]):
        is_section = ends[following] - ends[first] >= _FEWEST_CHARS
        if item in titled and is_section:
            yield item, starts[first], ends[following]


def _prints(pages: Sequence[int], offset: int, named: Sequence[Pages]) -> bool:
    """Whether an exhibit has all pages named; if not, it counts its pages anew."""
    printed = range(pages[0] + offset, pages[-1] + offset + 1)
    return all(first in printed and last in printed for first, last in named)


def _named_pages(said: str) -> list[Pages]:
    """Return the pages of the annual report that a reference names."""
    return page_runs(
        pages
        for start, end in split_sentences(said)
        for found in _NAMED_PAGES.finditer(said, start, end)
        if _is_of_report(said, Span(start, end), found.end())
        for pages in page_ranges(_JOINTS.sub("-", found[0]))
    )


def _is_of_report(said: str, sentence: Span, place: int) -> bool:
    """Whether pages named before `place` are the annual report's.

    They are of the document that the sentence names next, or else before.
    """
    start, end = sentence
    report, other = (each.search(said, place, end) for each in (_REPORT, _OTHER_DOCUMENT))
    if report or other:
        return bool(report and (not other or report.start() < other.start()))
    return bool(_REPORT.search(said, start, end) or not _OTHER_DOCUMENT.search(said, start, end))


def _landmarks(references: Mapping[str, str], blocks: Sequence[Block]) -> list[tuple[int, str]]:
    """Return the blocks that begin an Item's section, with the Item, in order.

    Sections about the company belong to no Item (""). Market risk (7A) is a part of the discussion
    (7), so its heading begins a section only after Items 5 and 6.
    """
    titles = {
        content_words(title): item
        for item, said in references.items()
        if item != "7A"
        for title in _QUOTED.findall(said)
    }
    found = {}
    statements: dict[int, str] = {}
    for index, block in enumerate(blocks):
        for heading in _headings(block):
            words = content_words(heading)
            items = (item for item in ("5", "6", "7") if leads_title(item, words))
            if kind := _kind_of_statement(heading):
                statements[index] = kind
            elif item := titles.get(words) or next(items, None):
                found[index] = item
            elif "market risk" in heading.lower():
                found[index] = "7A"
            elif _ABOUT_COMPANY.fullmatch(heading) and {index - 1, index - 2}.isdisjoint(
                statements  # below it, the board is whom the auditors address
            ):
                found[index] = ""
            else:
                continue
            break
    for row in _contents([*found, *statements], blocks):
        found.pop(row, None)
        statements.pop(row, None)
    sections = {index: item for index, item in found.items() if item in ("5", "6", "7")}
    notes = _longest_notes(statements, sections, blocks)
    if notes is not None:
        for index in _inside_notes(notes, found, blocks):
            del found[index]
    first = _first_statement(notes, statements, blocks)
    found |= {index: "8" for index in statements if first is not None and index >= first}
    landmarks: list[tuple[int, str]] = []
    for index, item in sorted(found.items()):
        if item != "7A":
            landmarks.append((index, item))
        elif landmarks and landmarks[-1][1] in ("5", "6"):
            landmarks.append((index, "7"))
    return landmarks


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
        found = pattern.match(heading)
        if found and _REST.fullmatch(heading, found.end()):
            return kind
    return None


def _first_statement(
    notes: int | None, statements: Mapping[int, str], blocks: Sequence[Block]
) -> int | None:
    """Return the first of the headings that lead up to the notes, or None without statements."""
    places = sorted(statements)
    if notes is None:
        return next(
            (
                place
                for place in places
                if statements[place] == "statement"
                and any(block.kind == "table" for block in blocks[place : place + 4])
            ),
            None,
        )
    first = notes
    for place in reversed(places[: bisect_left(places, notes)]):
        between = (block for block in blocks[place:first] if block.kind == "text")
        prose = sum(len(block.text) for block in between if block.text.endswith("."))
        if prose > _PROSE[statements[place]]:
            break
        first = place
    return first


def _longest_notes(
    statements: Mapping[int, str], others: Mapping[int, str], blocks: Sequence[Block]
) -> int | None:
    """Return where the notes begin, which other sections may name in a heading too."""
    kinds = sorted([*others.items(), *statements.items()])
    runs = [next(same) for _, same in groupby(kinds, key=lambda landmark: landmark[1])]
    lengths = {
        place: sum(len(block.text) for block in blocks[place:following])
        for (place, kind), (following, _) in pairwise([*runs, (len(blocks), "")])
        if kind == "notes"
    }
    return max(lengths, key=lambda place: lengths[place], default=None)


def _inside_notes(notes: int, others: Container[int], blocks: Sequence[Block]) -> list[int]:
    """Return the headings of other sections that a later note shows to be inside the notes."""
    number = 0
    inside: list[int] = []
    since: list[int] = []  # headings since the last note
    for index in range(notes, len(blocks)):
        if index in others:
            since.append(index)
        found = _NOTE.match(blocks[index].text)
        if found is None:
            continue
        following = int(found[1])
        if since and following == 1:
            break  # a list of another section
        if not number or following == number + 1:
            number = following
            inside += since
            since = []
    return inside
