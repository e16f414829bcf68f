"""Read HTML tags as what they do to running text.

Filings repeat themselves: a page of tables has a few hundred spellings of tags, thousands of times
over. So we take tags with only whitespace between them as one run, and work out each run's meaning
once per spelling. That makes the reader fast.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tasks.text.terms import words

# Possessive quantifiers throughout: backtracking never helps here, and costs half of the time.
_RUN = re.compile(
    r"(<[a-zA-Z/!?][^>]*+>(?:\s*+(?:&(?:nbsp|#160|#xa0|#xA0);\s*+)*+<[a-zA-Z/!?][^>]*+>)*+)"
)
TAG = re.compile(r"<[a-zA-Z/!?][^>]*+>")
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_PAGE_COMMENTS = ("pagebreak", "field:page")  # without whitespace
_STYLE_SHEET = re.compile(r"<style\b[^>]*+>(.*?)</style\b", re.DOTALL | re.IGNORECASE)
_XBRL_HIDDEN = re.compile(r"<ix:(header|hidden)\b.*?</ix:\1\s*>", re.DOTALL)
_XBRL_TAG = re.compile(r"</?ix:[^>]*+>")
_NAME = re.compile(r"<(/?)\s*([a-zA-Z][\w:.-]*)")
_ATTRIBUTE = re.compile(r"""([\w:-]++)(?:\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?""")
# What a style says of its look, in lower case. Most declarations are of widths and borders.
_DECLARATION = re.compile(
    r"(?<![\w-])(display|visibility|vertical-align|position|top|bottom|font(?:-size|-weight)?"
    r"|text-decoration(?:-\w+)?|(?:page-)?break-(?:before|after))\s*+:\s*+([^;!]*)"
)
_LENGTH = re.compile(r"(-?\d*\.?\d+)(pt|px|r?em|ex|%|in|pc|cm|mm)?")
# Points of a length, and parts of the font that is around it.
_POINTS = {"pt": 1, "px": 0.75, "rem": 12, "in": 72, "pc": 12, "cm": 28.3, "mm": 2.83}
_PARTS = {"em": 1, "ex": 0.5, "%": 0.01}
_NAMED_SIZES = {"xx-small": 6.75, "x-small": 7.5, "small": 9.75, "medium": 12, "smaller": -0.83}
_FONT_SIZES = (7.5, 7.5, 10, 12, 13.5, 18, 24, 36)  # points of <font size=1> to 7
DEFAULT_SIZE = 12.0

_BLOCK_NAMES = words("""
    p div center h1 h2 h3 h4 h5 h6 ul ol dl li dt dd blockquote body html address form section
    article header footer main figure figcaption hr pre caption document text head thead tbody tfoot
""")
_INLINE_NAMES = words("""
    font span b strong u i em small big tt code ins strike s a sub sup del label
""")
_BOLD_NAMES = words("b strong u th h1 h2 h3 h4 h5 h6")
_NEVER_SHOWN = frozenset(
    ("datalist", "noembed", "noframes", "rp", "script", "style", "template", "title", "xml")
)
_NEVER_CLOSED = frozenset(("hr", "img", "input", "meta", "link"))

# What a tag does to running text. Plain integers, since the reader compares them in its inner loop.
(
    NOTHING,
    OPEN_INLINE,
    CLOSE_INLINE,
    OPEN_BLOCK,
    CLOSE_BLOCK,
    BREAK_LINE,
    BREAK_PAGE,
    OPEN_TABLE,
    OPEN_CELL,  # from here to OPEN_ROW: each closes the cell before
    CLOSE_CELL,
    SKIP_CELLS,  # `colspan` columns of cells without content
    OPEN_ROW,
    CLOSE_TABLE,
    MARK,  # an anchor and nothing else
    HIDE,  # its content is not shown
) = range(15)
# How inline text is raised: not, if it is much smaller than the text before it, if it is smaller
# or behind text, always.
LEVEL, IF_SMALL, IF_BEHIND, RAISED = range(4)


@dataclass(slots=True)  # not frozen: that makes creation four times slower
class Tag:
    """The meaning of one spelling of a tag; shared by runs, so never changed."""

    does: int
    name: str = ""
    is_bold: bool | None = None  # None: says nothing of its content
    raises: int = LEVEL
    size: float | None = None  # of its font, in points; if negative, in parts of the one around it
    anchors: tuple[str, ...] = ()
    link: str | None = None
    breaks_page: bool = False
    colspan: int = 1
    rowspan: int = 1
    has_more: bool = False  # anchors, a link or a page break


@dataclass(slots=True)
class TextRun:
    """The joint meaning of adjacent tags; never changed."""

    tags: tuple[Tag, ...]
    has_blank: bool  # whether there is whitespace between them
    hides: str | None = None  # name of a hidden element that goes on after the run


def split_runs(source: str) -> list[str]:
    """Split a source into texts and runs of tags in turn; the first and last are texts.

    Comments and inline XBRL's own tags are left out.
    """
    if "<!--" in source:
        end = end_of_last("-->", source)
        source = _COMMENT.sub(_page_of_comment, source[:end]) + source[end:]
    if "<ix:" in source:
        end = max(end_of_last("</ix:header", source), end_of_last("</ix:hidden", source))
        source = _XBRL_TAG.sub("", _XBRL_HIDDEN.sub("", source[:end]) + source[end:])
    return _RUN.split(source)


def _page_of_comment(comment: re.Match[str]) -> str:
    text = "".join(comment[1].lower().split())
    return "<page>" if text.startswith(_PAGE_COMMENTS) else ""


Styles = Mapping[str, str]  # declarations by tag, ".class", "tag.class", "#id" and "tag#id"


def read_styles(source: str) -> Styles:
    """Return what style sheets say of tags, classes and ids, without rules of a medium."""
    styles: dict[str, str] = {}
    for sheet in _STYLE_SHEET.finditer(source, 0, end_of_last("</style", source)):
        first, *commented = sheet[1].split("/*")
        text = first + "".join(part.partition("*/")[2] for part in commented)
        text = text.replace("<!--", "").replace("-->", "").lower()
        selectors, depth = "", 0
        pieces = re.split(r"([{}])", text)
        for piece, brace in zip(pieces[::2], pieces[1::2], strict=False):
            if brace == "{":
                selectors, depth = piece.rpartition(";")[2], depth + 1
                continue
            for selector in selectors.split(",") if depth == 1 else ():
                name = selector.strip()
                styles[name] = f"{styles.get(name, '')};{piece}"
            depth = max(depth - 1, 0)
    return styles


def end_of_last(ending: str, source: str) -> int:
    """Return where the last closing tag that begins with `ending` ends, or 0 without one.

    An element that opens after it never closes. Without this limit, thousands of such openings
    would each be searched for up to the end of the source.
    """
    place = max(map(source.rfind, (ending, ending.upper(), ending.title())))
    return source.find(">", place) + 1 if place >= 0 else 0


class TagReader:
    """A cache of the meanings of tags and runs, by spelling."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._tags: dict[str, Tag] = {}
        self.runs: dict[str, TextRun] = {}

    def read_run(self, run: str) -> TextRun:
        """Return the meaning of a run of tags, and keep it in `runs`."""
        meaning = self.runs[run] = self._read(run)
        return meaning

    def _read(self, part: str) -> TextRun:
        tags: list[Tag] = []
        has_blank = sum(map(len, TAG.findall(part))) < len(part)
        place = 0
        while found := TAG.search(part, place):
            spelling, place = found[0], found.end()
            tag = self._tags.get(spelling)
            if tag is None:
                tag = self._tags[spelling] = _read_tag(spelling, self._styles)
            if tag.does == HIDE:
                if tag.colspan:
                    tags.append(Tag(SKIP_CELLS, colspan=tag.colspan))
                shown, _ = after_hidden(part[place:], tag.name, 1)
                if shown is None:
                    return TextRun(tuple(tags), True, tag.name)
                part, place = shown, 0
            elif tag.does != NOTHING:
                tags.append(tag)
        return TextRun(tuple(tags), has_blank)


def after_hidden(run: str, name: str, depth: int) -> tuple[str | None, int]:
    """Return what follows the tag that closes a hidden element, or None, and the nesting depth."""
    for found in TAG.finditer(run):
        depth += _nesting(found[0], name)
        if depth == 0:
            return run[found.end() :], 0
    return None, depth


def _nesting(spelling: str, name: str) -> int:
    """Return 1 if a tag opens an element of that name, -1 if it closes one, else 0."""
    found = _NAME.match(spelling)
    if found is None or found[2].lower() != name or spelling.endswith("/>"):
        return 0
    return -1 if found[1] else 1


def _read_tag(spelling: str, styles: Styles) -> Tag:
    found = _NAME.match(spelling)
    if found is None:
        return Tag(NOTHING)
    name = found[2].lower()
    if found[1]:
        return Tag(_CLOSES.get(name, NOTHING), name)
    if name == "br":
        return Tag(BREAK_LINE, name)
    attributes = {
        match[1].lower(): match[2] or match[3] or match[4] or ""
        for match in _ATTRIBUTE.finditer(spelling)
    }
    style = attributes.get("style", "")
    if styles:
        kinds = [f".{kind}" for kind in attributes.get("class", "").split()]
        kinds.append(f"#{attributes.get('id')}")
        kinds = [f"{tag}{kind}" for kind in kinds for tag in ("", name)]
        style = ";".join([*(styles.get(key.lower(), "") for key in (name, *kinds)), style])
    font_size = attributes.get("size") if name == "font" else "smaller" if name == "small" else None
    look = _look(name, tuple(_DECLARATION.findall(style.lower())), font_size)
    is_empty = spelling.endswith("/>") or name in _NEVER_CLOSED
    if name in _NEVER_SHOWN or (
        not is_empty and (look.is_hidden or look.is_invisible or "hidden" in attributes)
    ):
        is_cell = look.is_invisible and name in ("td", "th")  # which keeps its place
        return Tag(HIDE, name, colspan=_span(attributes.get("colspan")) if is_cell else 0)
    anchors = tuple(
        dict.fromkeys(f"#{attributes[key]}" for key in ("id", "name") if attributes.get(key))
    )
    href = html.unescape(attributes["href"]).strip() if "href" in attributes else ""
    link = href if name == "a" and len(href) > 1 and href[0] == "#" else None
    does = _OPENS.get(name, NOTHING)
    if does == OPEN_INLINE and spelling.endswith("/>"):
        does = NOTHING
    if does == NOTHING and (anchors or look.breaks_page):
        does = MARK
    return Tag(
        does,
        name,
        is_bold=look.is_bold,
        raises=look.raises,
        size=look.size,
        anchors=anchors,
        link=link,
        breaks_page=look.breaks_page,
        colspan=_span(attributes.get("colspan")),
        rowspan=_span(attributes.get("rowspan")),
        has_more=bool(anchors or link or look.breaks_page),
    )


class _Look(NamedTuple):
    """What a style does to a tag, as `Tag` has it."""

    is_hidden: bool
    is_invisible: bool
    is_bold: bool | None
    raises: int
    size: float | None
    breaks_page: bool


@lru_cache(maxsize=1 << 12)  # tags differ in widths and links, and have few looks
def _look(name: str, declarations: tuple[tuple[str, str], ...], font_size: str | None) -> _Look:
    style = {key: value.rstrip() for key, value in declarations}
    size = _size(style, font_size)
    return _Look(
        is_hidden=style.get("display") == "none",
        is_invisible=style.get("visibility") in ("hidden", "collapse"),
        is_bold=True if name in _BOLD_NAMES else _is_bold(style),
        raises=_raises(name, style, size),
        size=size,
        breaks_page=any(
            value in ("always", "page", "left", "right")
            for key, value in style.items()
            if key.endswith(("break-before", "break-after"))
        ),
    )


def _is_bold(style: Mapping[str, str]) -> bool | None:
    """Whether a style makes text bold or underlined; None if it does not say."""
    weight = style.get("font-weight", "")
    is_underlined = any(
        key.startswith("text-decoration") and value.startswith("underline")
        for key, value in style.items()
    )
    if is_underlined or weight.startswith(("bold", "6", "7", "8", "9")):
        return True
    if weight.startswith(("normal", "1", "2", "3", "4")):
        return False
    return True if "bold" in style.get("font", "") else None


def _size(style: Mapping[str, str], size: str | None) -> float | None:
    """Return a font's size, of its style or of its attribute, as `Tag.size` has it."""
    value = style.get("font-size") or next(
        (
            length[0]
            for length in _LENGTH.finditer(style.get("font", ""))
            if length[2] or length[1] == "0"
        ),
        size or "",
    )
    if value in _NAMED_SIZES:
        return _NAMED_SIZES[value]
    if not (length := _LENGTH.match(value.removeprefix("+"))):
        return None
    number = float(length[1])
    if value == size:
        step = number + 3 if value[0] in "+-" else number
        return _FONT_SIZES[int(min(max(step, 1), 7))]
    unit = length[2] or "px"
    return -number * _PARTS[unit] if unit in _PARTS else number * _POINTS[unit]


def _raises(name: str, style: Mapping[str, str], size: float | None) -> int:
    """Return how a tag raises its text."""
    align = style.get("vertical-align", "")
    if name == "sup" or align == "super":
        return RAISED
    if name == "sub" or align == "sub":
        return LEVEL
    up = [_LENGTH.match(align)]
    if style.get("position") == "relative":
        up += [_LENGTH.match(style.get("bottom", "")), _LENGTH.match(style.get("top", ""))]
    heights = [
        float(length[1]) * sign for length, sign in zip(up, (1, 1, -1), strict=False) if length
    ]
    if any(heights):
        return IF_BEHIND if max(heights, key=abs) > 0 else LEVEL
    return LEVEL if size is None else IF_SMALL


_OPENS = {
    **dict.fromkeys(_INLINE_NAMES, OPEN_INLINE),
    **dict.fromkeys(_BLOCK_NAMES, OPEN_BLOCK),
    **{"td": OPEN_CELL, "th": OPEN_CELL, "tr": OPEN_ROW, "table": OPEN_TABLE, "page": BREAK_PAGE},
}
_CLOSES = {
    **dict.fromkeys(_INLINE_NAMES, CLOSE_INLINE),
    **dict.fromkeys(_BLOCK_NAMES, CLOSE_BLOCK),
    **{"td": CLOSE_CELL, "th": CLOSE_CELL, "table": CLOSE_TABLE},
}

# A larger span is a typing error.
_MOST_COLUMNS = 200


def _span(value: str | None) -> int:
    digits = (value or "").lstrip("0")
    if not digits.isascii() or not digits.isdigit():
        return 1
    return min(int(digits[:4]), _MOST_COLUMNS)
