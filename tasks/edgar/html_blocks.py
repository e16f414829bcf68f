"""HTML of any age -> blocks.

A filing's HTML is read as a stream of texts and tags, not as a tree: nothing that a
browser would lay out differently from its tree depends on one here, filings nest
wrongly by the thousand, and a tree costs more than all the rest of this room. A tag's
meaning is worked out once per distinct spelling; filings repeat theirs.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from tasks.edgar.blocks import Block, table_text
from tasks.edgar.cells import is_data_table, is_enumerator, place, to_grid
from tasks.edgar.characters import clean

_TAG = re.compile(r"(<[a-zA-Z/!?][^>]*>)")
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_NEVER_SHOWN = re.compile(
    r"<(script|style|title|ix:header|xml)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_NAME = re.compile(r"<(/?)\s*([a-zA-Z][\w:.-]*)")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""")
_LINKED = re.compile(r"""href\s*=\s*["']?\s*#([^"'>\s]+)""", re.IGNORECASE)
_PAGE_STYLE = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page|left|right)", re.IGNORECASE)
_BOLD_STYLE = re.compile(
    r"font-weight\s*:\s*(?:bold|[6-9]00)|font:[^;]*\bbold|text-decoration[a-z-]*\s*:\s*underline", re.I
)
_PLAIN_STYLE = re.compile(r"font-weight\s*:\s*(?:normal|[1-4]00)", re.IGNORECASE)
_RAISED_STYLE = re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE)
_RAISED_TEXT = re.compile(r"\(?\x01\s*\(?(\d{1,2}|[a-z]|[*†‡]{1,3})\)?\s*\x02\)?")

_BLOCK_NAMES = frozenset(
    "p div center h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote body html address form section article "
    "header footer main figure figcaption caption document text head hr pre".split()
)
_INLINE_NAMES = frozenset("font span b strong u i em small big tt code ins strike s a sub sup label".split())
_HEADING_NAMES = frozenset("h1 h2 h3 h4 h5 h6".split())

# What a tag does. Codes are ordered so that the loop's tests are few.
(
    _NOTHING,
    _OPEN_INLINE,
    _CLOSE_INLINE,
    _EDGE,
    _BREAK,
    _CELL,
    _END_CELL,
    _ROW,
    _TABLE,
    _END_TABLE,
    _PAGE,
    _ANCHOR,
) = range(12)

# Marks inside a piece list: raised text begins and ends; a line breaks; a paragraph ends.
_RAISED, _LOWERED, _LINE, _PARAGRAPH = "\x01", "\x02", "\x03", "\x04"


@dataclass(frozen=True, slots=True)
class _Tag:
    """What one spelling of a tag means."""

    code: int
    name: str = ""
    is_bold: bool | None = None  # what it says of its content; None: nothing
    is_raised: bool = False
    anchors: tuple[str, ...] = ()
    link: str | None = None
    page_break: bool = False
    colspan: int = 1
    rowspan: int = 1


@dataclass(slots=True)
class _Row:
    cells: list[tuple[int, int, str, bool]] = field(default_factory=list)  # start, end, text, is_bold
    inner: list[Block] = field(default_factory=list)  # of tables inside this row
    anchors: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    rows: list[_Row] = field(default_factory=list)
    column: int = 0
    spans: dict[int, int] = field(default_factory=dict)  # column -> rows it is still taken for
    open_cell: _Tag | None = None
    outer_emphasis: list[bool] = field(default_factory=list)


def read_html(source: str) -> list[Block]:
    """The blocks of an HTML document, in reading order; hidden content and page breaks resolved."""
    source = _COMMENT.sub(_page_comment, source)
    source = _NEVER_SHOWN.sub("", source)
    for blank in ("&nbsp;", "&#160;", "&#xa0;", "&#xA0;"):
        source = source.replace(blank, " ")
    pieces = _TAG.split(source)
    reader = _Reader(frozenset(_LINKED.findall(source)))
    if _HIDDEN.search(source):
        reader.drop_hidden(pieces)
    return reader.read(pieces)


def _page_comment(comment: re.Match[str]) -> str:
    return "<page>" if re.match(r"\s*(?:page\s*break|field:\s*page)\b", comment[1], re.IGNORECASE) else ""


class _Reader:
    """One pass over one document's texts and tags."""

    def __init__(self, linked: frozenset[str]) -> None:
        self.linked = linked
        self.tags: dict[str, _Tag] = {}
        self.blocks: list[Block] = []
        self.tables: list[_Table] = []
        self.anchors: list[str] = []  # seen since the last block
        self.links: list[str] = []
        self.page = 0

    def meaning(self, tag: str) -> _Tag:
        """What a tag does, worked out once per spelling."""
        known = self.tags.get(tag)
        if known is None:
            known = _meaning(tag, self.linked)
            if not known.name.startswith("ix:"):  # each has an id of its own: not worth keeping
                self.tags[tag] = known
        return known

    def drop_hidden(self, pieces: list[str]) -> None:
        """Empty what stands between a tag that hides its content and its closing tag."""
        index = 1
        while index < len(pieces):
            tag = pieces[index]
            if (
                "isplay" in tag
                and _HIDDEN.search(tag)
                and not tag.endswith("/>")
                and (found := _NAME.match(tag))
            ):
                end = _closing(pieces, index, found[2].lower())
                if end is not None:
                    for inside in range(index + 1, end):
                        pieces[inside] = ""
                    index = end
            index += 2

    def read(self, pieces: list[str]) -> list[Block]:
        tags = self.tags
        out: list[str] = []
        emphasis = [False]
        raised: list[int] = []  # depths of emphasis at which raised text began
        is_bold = is_block_bold = saw_bold = saw_plain = False
        for index in range(0, len(pieces) - 1, 2):
            text = pieces[index]
            if text:
                out.append(text)
                if not text.isspace():
                    if is_bold:
                        saw_bold = True
                    else:
                        saw_plain = True
            raw = pieces[index + 1]
            tag = tags.get(raw)
            if tag is None:
                if not raw:
                    continue
                tag = self.meaning(raw)
            code = tag.code
            if code == _NOTHING:
                continue
            if code == _OPEN_INLINE:
                if tag.is_bold is not None:
                    is_bold = tag.is_bold
                emphasis.append(is_bold)
                if tag.is_raised:
                    raised.append(len(emphasis))
                    out.append(_RAISED)
            elif code == _CLOSE_INLINE:
                if raised and raised[-1] == len(emphasis):
                    raised.pop()
                    out.append(_LOWERED)
                if len(emphasis) > 1:
                    emphasis.pop()
                is_bold = emphasis[-1]
            elif code == _CELL:
                table = self.tables[-1] if self.tables else None
                if table is None:  # a cell outside any table is a paragraph
                    self._end_block(out, saw_bold, saw_plain)
                else:
                    self._end_cell(table, out, saw_bold, saw_plain)
                    table.open_cell = tag
                    if not table.rows:
                        table.rows.append(_Row())
                    column = table.column
                    while table.spans and column in table.spans:
                        column += 1
                    table.column = column
                out.clear()
                saw_bold = saw_plain = False
                is_bold = bool(tag.is_bold)
                emphasis = [is_bold]
            elif code == _END_CELL:
                if self.tables:
                    self._end_cell(self.tables[-1], out, saw_bold, saw_plain)
                else:
                    self._end_block(out, saw_bold, saw_plain)
                out.clear()
                saw_bold = saw_plain = False
            elif code in (_EDGE, _PAGE):
                if self.tables:
                    if saw_bold or saw_plain:
                        out.append(_PARAGRAPH)
                else:
                    if saw_bold or saw_plain:
                        self._end_block(out, saw_bold, saw_plain)
                        saw_bold = saw_plain = False
                    out.clear()
                if code == _PAGE:
                    self.page += 1
                if tag.is_bold is not None:
                    is_bold = is_block_bold = tag.is_bold
                    emphasis = [is_bold]
                elif is_block_bold:
                    is_bold = is_block_bold = False
                    emphasis = [False]
            elif code == _BREAK:
                out.append(_LINE)
            elif code == _ROW:
                if self.tables:
                    table = self.tables[-1]
                    self._end_cell(table, out, saw_bold, saw_plain)
                    table.rows.append(_Row())
                    table.column = 0
                    if table.spans:
                        table.spans = {column: left - 1 for column, left in table.spans.items() if left > 1}
                else:
                    self._end_block(out, saw_bold, saw_plain)
                out.clear()
                saw_bold = saw_plain = False
            elif code == _TABLE:
                if self.tables:
                    self._keep_inside(self.tables[-1], self._text_blocks(out, saw_bold, saw_plain))
                else:
                    self._end_block(out, saw_bold, saw_plain)
                out.clear()
                saw_bold = saw_plain = False
                self.tables.append(_Table(outer_emphasis=emphasis))
                emphasis = [False]
                is_bold = False
            elif code == _END_TABLE and self.tables:
                table = self.tables.pop()
                self._end_cell(table, out, saw_bold, saw_plain)
                out.clear()
                saw_bold = saw_plain = False
                emphasis = table.outer_emphasis
                is_bold = emphasis[-1]
                self._end_table(table)
            if tag.anchors or tag.link or tag.page_break:
                if tag.page_break:
                    self.page += 1
                self.anchors.extend(tag.anchors)
                if tag.link:
                    self.links.append(tag.link)
        if len(pieces) % 2:
            last = pieces[-1]
            out.append(last)
            saw_plain = saw_plain or not last.isspace()
        while self.tables:
            table = self.tables.pop()
            self._end_cell(table, out, saw_bold, saw_plain)
            out.clear()
            saw_bold = saw_plain = False
            self._end_table(table)
        self._end_block(out, saw_bold, saw_plain)
        return self.blocks

    def _text_blocks(self, out: list[str], saw_bold: bool, saw_plain: bool) -> list[Block]:
        if not (saw_bold or saw_plain):
            return []
        return self._paragraphs(_settle("".join(out)), saw_bold and not saw_plain)

    def _paragraphs(self, text: str, is_bold: bool) -> list[Block]:
        """Text with its marks -> blocks; they take the anchors and links seen since the last one."""
        blocks = []
        for paragraph in _split(text):
            blocks.append(
                Block(
                    text=paragraph,
                    is_bold=is_bold,
                    anchors=tuple(self.anchors),
                    links=tuple(self.links),
                    page=self.page,
                )
            )
            self.anchors.clear()
        self.links.clear()
        return blocks

    def _end_block(self, out: list[str], saw_bold: bool, saw_plain: bool) -> None:
        if saw_bold or saw_plain:
            self.blocks.extend(self._text_blocks(out, saw_bold, saw_plain))
        out.clear()

    def _keep_inside(self, table: _Table, blocks: list[Block]) -> None:
        if not table.rows:
            table.rows.append(_Row())
        table.rows[-1].inner.extend(blocks)

    def _end_cell(self, table: _Table, out: list[str], saw_bold: bool, saw_plain: bool) -> None:
        tag = table.open_cell
        if tag is not None:
            table.open_cell = None
            start = table.column
            table.column = end = start + tag.colspan
            if tag.rowspan > 1:
                table.spans.update(dict.fromkeys(range(start, end), tag.rowspan))
        elif saw_bold or saw_plain:  # text between cells
            start, end = 0, 1
        if saw_bold or saw_plain:
            if not table.rows:
                table.rows.append(_Row())
            row = table.rows[-1]
            if row.inner:  # text after a table inside this row
                row.inner.extend(self._text_blocks(out, saw_bold, saw_plain))
                return
            if self.anchors:
                row.anchors.extend(self.anchors)
                self.anchors.clear()
            if self.links:
                row.links.extend(self.links)
                self.links.clear()
            row.cells.append((start, end, _settle("".join(out)), saw_bold and not saw_plain))

    def _end_table(self, table: _Table) -> None:
        blocks = self._table_blocks([row for row in table.rows if row.cells or row.inner])
        if self.tables:
            self._keep_inside(self.tables[-1], blocks)
        else:
            self.blocks.extend(blocks)

    def _table_blocks(self, rows: list[_Row]) -> list[Block]:
        if not rows:
            return []
        if not any(row.inner for row in rows):
            lines = [
                [(start, end, line) for start, end, text, _ in row.cells if (line := _one_line(text))]
                for row in rows
            ]
            placed = place([line for line in lines if line])
            if is_data_table(placed):
                cells = to_grid(placed)
                anchors = tuple(anchor for row in rows for anchor in row.anchors)
                links = tuple(link for row in rows for link in row.links)
                return [
                    Block(
                        text=table_text(cells),
                        kind="table",
                        anchors=anchors,
                        links=links,
                        page=self.page,
                        cells=cells,
                    )
                ]
        blocks = []
        for row in rows:
            blocks.extend(self._row_blocks(row))
        return blocks

    def _row_blocks(self, row: _Row) -> list[Block]:
        """A row of a layout table as text: short cells make one paragraph, long ones each their own."""
        self.anchors[:0] = row.anchors
        self.links[:0] = row.links
        blocks = []
        texts = [(_split(text), is_bold) for _, _, text, is_bold in row.cells]
        texts = [(paragraphs, is_bold) for paragraphs, is_bold in texts if paragraphs]
        if texts and not row.inner:
            mark = ""
            if len(texts) > 1 and len(texts[0][0]) == 1 and _is_mark(texts[0][0][0]):
                mark = texts[0][0][0] + " "
                mark_bold = texts.pop(0)[1]
            else:
                mark_bold = True
            lengths = sorted(len(paragraphs[0]) if len(paragraphs) == 1 else 1000 for paragraphs, _ in texts)
            if lengths[-1] < 1000 and (len(lengths) == 1 or lengths[-2] <= (80 if lengths[-1] <= 80 else 20)):
                texts = [
                    (
                        [mark + " | ".join(p[0] for p, _ in texts)],
                        mark_bold and all(bold for _, bold in texts),
                    )
                ]
            else:
                texts[0] = ([mark + texts[0][0][0], *texts[0][0][1:]], texts[0][1])
        for paragraphs, is_bold in texts:
            blocks.extend(self._paragraphs("\x04".join(paragraphs), is_bold))
        if row.inner:
            blocks.extend(row.inner)
        return blocks


def _is_mark(text: str) -> bool:
    return is_enumerator(text) or bool(
        re.fullmatch(r"(?i)(?:part|items?|note)\s+[\divx]+[a-z]?[.:]?|\d{1,2}(?:\.\d{1,2})*\.?", text)
    )


def _meaning(tag: str, linked: frozenset[str]) -> _Tag:
    found = _NAME.match(tag)
    if found is None:
        return _Tag(_NOTHING)
    name = found[2].lower()
    if found[1]:
        return _closing_meaning(name)
    if name == "br":
        return _Tag(_BREAK, name)
    if name.startswith("ix:"):
        return _Tag(_NOTHING, name)
    attributes = {
        match[1].lower(): match[2] or match[3] or match[4] or ""
        for match in _ATTRIBUTE.finditer(tag, found.end())
    }
    style = attributes.get("style", "")
    anchors = tuple(
        f"#{value}"
        for value in dict.fromkeys((attributes.get("id", ""), attributes.get("name", "")))
        if value and value in linked
    )
    href = html.unescape(attributes.get("href", "")).strip() if name == "a" else ""
    is_bold: bool | None = None
    if name in ("b", "strong", "u", "th") or name in _HEADING_NAMES or _BOLD_STYLE.search(style):
        is_bold = True
    elif _PLAIN_STYLE.search(style):
        is_bold = False
    page_break = bool(style and _PAGE_STYLE.search(style))
    if name in _INLINE_NAMES:
        code = _OPEN_INLINE
        if tag.endswith("/>"):
            code = _ANCHOR if anchors else _NOTHING
    elif name in ("td", "th"):
        code = _CELL
    else:
        code = {"tr": _ROW, "table": _TABLE, "page": _PAGE}.get(
            name, _EDGE if name in _BLOCK_NAMES else _NOTHING
        )
    return _Tag(
        code,
        name,
        is_bold=is_bold,
        is_raised=name == "sup" or bool(style and _RAISED_STYLE.search(style)),
        anchors=anchors,
        link=href if len(href) > 1 and href[0] == "#" else None,
        page_break=page_break,
        colspan=_span(attributes.get("colspan")),
        rowspan=_span(attributes.get("rowspan")),
    )


def _closing_meaning(name: str) -> _Tag:
    if name in _INLINE_NAMES:
        return _Tag(_CLOSE_INLINE, name)
    code = {"td": _END_CELL, "th": _END_CELL, "table": _END_TABLE}.get(name)
    if code is None:
        code = _EDGE if name in _BLOCK_NAMES else _NOTHING
    return _Tag(code, name)


def _span(value: str | None) -> int:
    # a filing that claims more columns than this has a slip of the pen in it
    return min(int(value), 200) if value and value.isascii() and value.isdigit() and value != "0" else 1


def _closing(pieces: list[str], index: int, name: str) -> int | None:
    """Where the tag at index is closed; None where it is not."""
    depth = 0
    opening, closing = f"<{name}", f"</{name}"
    for position in range(index, len(pieces), 2):
        tag = pieces[position].lower() if position < len(pieces) else ""
        if tag.startswith(closing):
            depth -= 1
            if depth == 0:
                return position
        elif tag.startswith(opening) and not tag.endswith("/>") and not tag[len(opening)].isalnum():
            depth += 1
    return None


def _settle(text: str) -> str:
    """Raised notes bracketed, entities resolved, odd characters made plain; marks of breaks stay."""
    if _RAISED in text:
        text = _RAISED_TEXT.sub(r"(\1)", text).replace(_RAISED, "").replace(_LOWERED, "")
    if "&" in text:
        text = html.unescape(text)
    return clean(text)


def _split(text: str) -> list[str]:
    """Text with its marks -> paragraphs with single blanks."""
    if _LINE in text:
        text = re.sub(r"\x03\s*(?:\x03\s*)+", _PARAGRAPH, text)
        text = re.sub(r"\x03(?=\s*(?:PART|Part|ITEM|Item)\s+[\dIV]+)", _PARAGRAPH, text)
        text = text.replace(_LINE, " ")
    if _PARAGRAPH not in text:
        text = " ".join(text.split())
        return [text] if text else []
    return [joined for part in text.split(_PARAGRAPH) if (joined := " ".join(part.split()))]


def _one_line(text: str) -> str:
    return " ".join(text.replace(_LINE, " ").replace(_PARAGRAPH, " ").split())
