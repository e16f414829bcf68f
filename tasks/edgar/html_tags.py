"""HTML's tags, read as what they do to running text.

Filings repeat themselves: a page of tables is a few hundred spellings of the same tags,
thousands of times over. So tags that follow each other with nothing but blanks between
are taken as one run, and a run's meaning is worked out once per spelling, spacer cells
and empty elements already left out. That is what makes reading a filing cheap.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from enum import IntEnum

_RUN = re.compile(r"(<[a-zA-Z/!?][^>]*>(?:(?:\s|&nbsp;|&#160;|&#xa0;|&#xA0;)*<[a-zA-Z/!?][^>]*>)*)")
_TAG = re.compile(r"<[a-zA-Z/!?][^>]*>")
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_PAGE_COMMENT = re.compile(r"\s*(?:page\s*break|field:\s*page)\b", re.IGNORECASE)
_NAME = re.compile(r"<(/?)\s*([a-zA-Z][\w:.-]*)")
_ATTRIBUTE = re.compile(
    r"""\b(id|name|href|colspan|rowspan)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE
)
_HIDDEN = re.compile(r"display\s*:\s*none")
_PAGE_STYLE = re.compile(r"break-(?:before|after)\s*:\s*(?:always|page|left|right)")
_BOLD_STYLE = re.compile(
    r"font-weight\s*:\s*(?:bold|[6-9]00)|font\s*:[^;]*\bbold|text-decoration[a-z-]*\s*:\s*underline"
)
_PLAIN_STYLE = re.compile(r"font-weight\s*:\s*(?:normal|[1-4]00)")
_RAISED_STYLE = re.compile(r"vertical-align\s*:\s*super")

_BLOCK_NAMES = frozenset(
    (
        *(
            "p",
            "div",
            "center",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "ul",
            "ol",
            "li",
            "dl",
            "dt",
            "dd",
            "blockquote",
        ),
        *(
            "body",
            "html",
            "address",
            "form",
            "section",
            "article",
            "header",
            "footer",
            "main",
            "figure",
            "hr",
            "pre",
        ),
        *("figcaption", "caption", "document", "text", "head", "thead", "tbody", "tfoot"),
    )
)
_INLINE_NAMES = frozenset(
    (
        "font",
        "span",
        "b",
        "strong",
        "u",
        "i",
        "em",
        "small",
        "big",
        "tt",
        "code",
        "ins",
        "strike",
        "s",
        "a",
        "sub",
        "sup",
    )
)
_BOLD_NAMES = frozenset(("b", "strong", "u", "th", "h1", "h2", "h3", "h4", "h5", "h6"))
_NEVER_SHOWN = frozenset(("script", "style", "title", "ix:header", "xml"))


class Does(IntEnum):
    """What a tag does to running text."""

    NOTHING = 0
    OPEN_INLINE = 1
    CLOSE_INLINE = 2
    OPEN_BLOCK = 3
    CLOSE_BLOCK = 4
    BREAK_LINE = 5
    OPEN_CELL = 6
    CLOSE_CELL = 7
    SKIP_CELLS = 8  # cells without content, `colspan` columns wide in all
    OPEN_ROW = 9
    OPEN_TABLE = 10
    CLOSE_TABLE = 11
    BREAK_PAGE = 12
    MARK = 13  # an anchor and nothing else
    HIDE = 14  # its content is not shown


@dataclass(frozen=True, slots=True)
class Tag:
    """What one spelling of a tag means."""

    does: Does
    name: str = ""
    is_bold: bool | None = None  # what it says of its content; None: nothing
    is_raised: bool = False
    anchors: tuple[str, ...] = ()
    link: str | None = None
    breaks_page: bool = False
    colspan: int = 1
    rowspan: int = 1
    has_more: bool = False  # anchors, a link or a page break

    @property
    def is_empty_without_content(self) -> bool:
        """Whether nothing is lost when it is left out because it encloses nothing."""
        return not self.has_more and self.rowspan == 1


@dataclass(frozen=True, slots=True)
class Run:
    """What tags that follow each other mean together."""

    tags: tuple[Tag, ...]
    has_blank: bool  # between two of them, or a line end
    hides: str | None = None  # the name of a last tag whose content, not shown, goes on after the run


def split_runs(source: str) -> list[str]:
    """Texts and runs of tags in turn, a text first and last; comments are left out."""
    if "<!--" in source:
        source = _COMMENT.sub(lambda comment: "<page>" if _PAGE_COMMENT.match(comment[1]) else "", source)
    return _RUN.split(source)


class TagReader:
    """Meanings of tags and runs, each worked out once per spelling."""

    def __init__(self) -> None:
        self._tags: dict[str, Tag] = {}
        self.runs: dict[str, Run] = {}

    def read_run(self, run: str) -> Run:
        """What a run of tags means; kept in `runs`."""
        tags: list[Tag] = []
        hides = None
        spellings = _TAG.findall(run)
        index = 0
        while index < len(spellings):
            tag = self._tags.get(spellings[index]) or self._meaning(spellings[index])
            index += 1
            if tag.does == Does.HIDE:
                shown = _closing(spellings, index, tag.name)
                if shown is None:
                    hides = tag.name
                    break
                index = shown
            elif tag.does != Does.NOTHING:
                _add(tags, tag)
        meaning = Run(tuple(tags), sum(map(len, spellings)) < len(run), hides)
        self.runs[run] = meaning
        return meaning

    def _meaning(self, spelling: str) -> Tag:
        tag = _read_tag(spelling)
        if not tag.name.startswith("ix:"):  # each has an id of its own: not worth keeping
            self._tags[spelling] = tag
        return tag


def after_hidden(run: str, name: str, depth: int) -> tuple[str | None, int]:
    """What of a run follows the tag that closes hidden content; None, and how deep it is nested, while it goes on."""
    for found in _TAG.finditer(run):
        depth += _nesting(found[0], name)
        if depth == 0:
            return run[found.end() :], 0
    return None, depth


def _closing(spellings: list[str], index: int, name: str) -> int | None:
    depth = 1
    for position in range(index, len(spellings)):
        depth += _nesting(spellings[position], name)
        if depth == 0:
            return position + 1
    return None


def _nesting(spelling: str, name: str) -> int:
    """1 where a tag opens an element of that name, -1 where it closes one."""
    found = _NAME.match(spelling)
    if found is None or found[2].lower() != name or spelling.endswith("/>"):
        return 0
    return -1 if found[1] else 1


def _add(tags: list[Tag], tag: Tag) -> None:
    """Add a tag to a run, less what the run shows to be without effect."""
    before = tags[-1] if tags else None
    if before is not None:
        does = tag.does
        if does == Does.CLOSE_INLINE and before.does == Does.OPEN_INLINE and not before.has_more:
            tags.pop()
            return
        if does in (Does.OPEN_BLOCK, Does.CLOSE_BLOCK) and not tag.has_more:
            if before.does == does == Does.CLOSE_BLOCK:
                return
            if (
                does == Does.OPEN_BLOCK
                and tag.is_bold is None
                and before.does in (Does.OPEN_CELL, Does.OPEN_BLOCK)
            ):
                return
            if does == Does.CLOSE_BLOCK and before.does == Does.OPEN_CELL:
                return
        closes_cell = does in (Does.CLOSE_CELL, Does.OPEN_CELL, Does.OPEN_ROW, Does.CLOSE_TABLE)
        if closes_cell and before.does == Does.CLOSE_BLOCK and not before.has_more:
            tags.pop()
            before = tags[-1] if tags else None
        if (
            closes_cell
            and before is not None
            and before.does == Does.OPEN_CELL
            and before.is_empty_without_content
        ):
            tags.pop()
            width = before.colspan
            if tags and tags[-1].does == Does.SKIP_CELLS:
                width += tags.pop().colspan
            tags.append(Tag(Does.SKIP_CELLS, colspan=width))
            if does == Does.CLOSE_CELL:
                return
    tags.append(tag)


def _read_tag(spelling: str) -> Tag:
    found = _NAME.match(spelling)
    if found is None:
        return Tag(Does.NOTHING)
    name = found[2].lower()
    if found[1]:
        return Tag(_closing_does(name), name)
    if name == "br":
        return Tag(Does.BREAK_LINE, name)
    lower = spelling.lower()
    if name in _NEVER_SHOWN or ("display" in lower and _HIDDEN.search(lower) and not lower.endswith("/>")):
        return Tag(Does.HIDE, name)
    if name.startswith("ix:"):
        return Tag(Does.NOTHING, name)
    given = {
        match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(spelling)
    }
    anchors = tuple(dict.fromkeys(f"#{given[key]}" for key in ("id", "name") if given.get(key)))
    href = html.unescape(given.get("href", "")).strip()
    link = href if name == "a" and len(href) > 1 and href[0] == "#" else None
    is_bold: bool | None = None
    if name in _BOLD_NAMES or _BOLD_STYLE.search(lower):
        is_bold = True
    elif _PLAIN_STYLE.search(lower):
        is_bold = False
    breaks_page = "break-" in lower and bool(_PAGE_STYLE.search(lower))
    does = _opening_does(name)
    if does == Does.OPEN_INLINE and lower.endswith("/>"):
        does = Does.NOTHING
    if does == Does.NOTHING and (anchors or breaks_page):
        does = Does.MARK
    return Tag(
        does,
        name,
        is_bold=is_bold,
        is_raised=name == "sup" or bool(_RAISED_STYLE.search(lower)),
        anchors=anchors,
        link=link,
        breaks_page=breaks_page,
        colspan=_span(given.get("colspan")),
        rowspan=_span(given.get("rowspan")),
        has_more=bool(anchors or link or breaks_page),
    )


def _opening_does(name: str) -> Does:
    if name in _INLINE_NAMES:
        return Does.OPEN_INLINE
    if name in _BLOCK_NAMES:
        return Does.OPEN_BLOCK
    named = {"td": Does.OPEN_CELL, "th": Does.OPEN_CELL, "tr": Does.OPEN_ROW, "table": Does.OPEN_TABLE}
    return named.get(name, Does.BREAK_PAGE if name == "page" else Does.NOTHING)


def _closing_does(name: str) -> Does:
    if name in _INLINE_NAMES:
        return Does.CLOSE_INLINE
    if name in _BLOCK_NAMES:
        return Does.CLOSE_BLOCK
    return {"td": Does.CLOSE_CELL, "th": Does.CLOSE_CELL, "table": Does.CLOSE_TABLE}.get(name, Does.NOTHING)


def _span(value: str | None) -> int:
    # a filing that claims more columns than this has a slip of the pen in it
    return min(int(value), 200) if value and value.isascii() and value.isdigit() and int(value) else 1
