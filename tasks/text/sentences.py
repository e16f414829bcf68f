"""Split a filing's text into sentences by rule.

The rules fit annual reports: company names that end in `Inc.`, `No.` before figures, run-in
headings, Item numbers, tables between paragraphs. An empty line always ends a sentence. A table row
is a sentence of its own, whether ` | ` or spaces separate its cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.quantities.text_tables import paragraphs
from tasks.text.terms import words


class Span(NamedTuple):
    """A range of characters of a text, end exclusive."""

    start_char: int
    end_char: int


# Cells separated by spaces or dot leaders, as in tables of text filings, or a ruling. Justified
# prose has gaps too, but neither so wide nor before a figure.
_ALIGNED_ROW = re.compile(
    r"\S(?:[ ]{3,}|[ ]*\t[ \t]*|[ ]?(?:\.[ ]?){4,})(?:[$(]|US\$)*[ ]?[(]?\d"
    r"|\S[ ]{6,}\S|\S[ ]{2,}\$[ ]*\d|^[ ]*[-=_ ]{5,}$"
)
_GAP = re.compile(r"\S  |\t|\.\.|\. \.|--|==|__")  # cheap, and every aligned row has one

# Words that start sentences, and are seldom inside a name.
_STARTERS = words("""
    A According Additionally After All Also Although Among An And Any As At Based Because Before
    Between Both But By Certain Consequently Despite Due During Each Effective Except Following For
    From Further Furthermore Generally Given Had Has Have He Her His How However If In Included
    Includes It Its Management May Moreover Most Mr Mrs Ms Neither No None Nor Not Of On Once One
    Only Or Other Our Prior Pursuant Revenue Revenues Sales See She Should Similarly Since Some
    Subject Subsequent Such Than That The Their Then There Therefore These They This Those Though
    Through Thus To Two Under Unless Until Upon Was We Were What When Where Whether Which While Who
    Will With Within Without You Your
""")
# Abbreviations that never end a sentence.
_NEVER_LAST = words("""
    mr mrs ms messrs mme dr prof hon gen col capt lt sgt rev gov sen rep vs v cf viz i.e e.g ie eg
    al ca approx est incl excl attn tel fig figs pp eds ft mt vol vols supp
""")
# Abbreviations that do not end a sentence before a number.
_BEFORE_NUMBER = words("""
    no nos sec secs art arts para par pt pts ch chs app reg regs ext rm ste apt box p rel stat exh
    ex tab tabs tbl jan feb mar apr jun jul aug sep sept oct nov dec
""")
# Abbreviations that end a sentence only before a word that starts sentences.
_SELDOM_LAST = words("""
    inc incorp corp co cos ltd llc lp l.l.c l.l.p plc bros intl int'l assn ass'n dept div mfg bldg
    bhd pty pte sdn gmbh jr sr esq etc st ave blvd rd hwy dist cl ser mgmt natl nat'l govt gov't
    univ fed sub subs cal calif del mass penn pa tex va wash ill mich minn conn fla ga ariz colo md
    mo okla ore tenn wis m.d ph.d j.d b.s b.a m.s m.a m.b.a c.p.a a.m p.m u.s.c exch yahoo
""")
# First words of the Items' titles, which follow `Item 1A.`
_TITLES = words("""
    Business Risk Unresolved Cybersecurity Properties Property Description Legal Mine Submission
    Market Selected Management’s Management's Quantitative Financial Changes Controls Other
    Disclosure Directors Executive Security Certain Principal Exhibits Exhibit Reserved
""")

# A possible end of a sentence: before whitespace, with a footnote's number, closing quotes or a
# ticked box; or in a text that lost its spaces (`in 2016.The Company`).
_STOP = re.compile(
    r"[.!?]+(?:\(\d{1,2}\)|[\"'”’»)\]]*)(?:\s?[☐☒☑¨þ])?+(?=\s)"
    r"|(?<=[a-z0-9]{3}[a-z0-9)])\.(?=(?:"
    + "|".join(sorted(word for word in _STARTERS if len(word) > 1))
    + r")\s[a-z])"
)
_NEXT = re.compile(r"\s*[\"'“‘«(\[]*(\w[\w’']*)?")
_TOKEN = re.compile(r"[^\s(\[\"“‘«]*\Z")
_INITIALS = re.compile(r"(?:non-)?(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}", re.IGNORECASE)
# The number of a list entry or a heading; a sentence starts with it.
_LABEL = re.compile(
    r"(?:(?:items?|notes?|part|section|article|chapter|exhibit|schedule|proposal|step|table)\s+|"
    r"\([a-z0-9]{1,3}\)\s*)?"
    r"(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})(?:\([a-z0-9]{1,3}\))*",
    re.IGNORECASE,
)
_ITEM_LABEL = re.compile(r"(\w+)?\W*\b(?:Item|ITEM)S?\s+\d{1,2}[A-C]?(?:\(T\))?\Z")


def split_sentences(text: str) -> list[Span]:
    """Return the sentences of a text, in order; they never overlap.

    Spans have no outer whitespace and never cross an empty line. Together they cover all characters
    that are not whitespace.
    """
    return [
        span for start, end in paragraphs(text) for span in _paragraph_sentences(text, start, end)
    ]


def _paragraph_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield sentences of a paragraph: table rows, and prose between them."""
    prose_start = line_start = start
    while line_start < end:
        line_end = text.find("\n", line_start, end)
        line_end = end if line_end < 0 else line_end
        line = text[line_start:line_end]
        if (
            " | " in line
            or line.startswith("| ")
            or (_GAP.search(line) and _ALIGNED_ROW.search(line))
        ):
            yield from _prose_sentences(text, prose_start, line_start)
            yield from _stripped(text, line_start, line_end)
            prose_start = line_end
        line_start = line_end + 1
    yield from _prose_sentences(text, prose_start, end)


def _prose_sentences(text: str, start: int, end: int) -> Iterator[Span]:
    for stop in _STOP.finditer(text, start, end):
        if _ends_sentence(text, start, stop, end):
            yield from _stripped(text, start, stop.end())
            start = stop.end()
    yield from _stripped(text, start, end)


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        start += piece.index(stripped)
        yield Span(start, start + len(stripped))


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether the sentence that began at `start` ends at this stop."""
    ahead = _NEXT.match(text, stop.end(), end)
    word = (ahead.group(1) if ahead else None) or ""
    after = text[ahead.end(1) - len(word)] if ahead and word else ""
    if word and after.islower() and not word[1:2].isupper():
        return False  # only names such as `eBay` start sentences in lower case
    mark = stop.group()[0]
    if mark != ".":
        return not (mark == "!" and word in {"Inc", "Corp"})
    if stop.group().startswith(".."):  # an ellipsis may end a sentence; a dot leader does not
        return len(stop.group()) == 3 and bool(word)
    before = text[max(start, stop.start() - 40) : stop.start()]
    token = before[_TOKEN.search(before).start() :]  # type: ignore[union-attr]
    if not token:
        return bool(before) and before[-1:] in "\"”’'" and bool(word)
    return _token_ends_sentence(token, before.rstrip(), word, text, start, stop.start())


def _token_ends_sentence(
    token: str, before: str, word: str, text: str, start: int, dot: int
) -> bool:
    """Whether a sentence ends at the full stop after `token`, before `word`.

    `word` is "" before a symbol or at the end.
    """
    low = token.lower()
    if low in _NEVER_LAST:
        return False
    if low in _BEFORE_NUMBER:
        # `app`, `art`, `box`, `par` and `no` are also words, then in lower case
        return not word[:1].isdigit() and (token.islower() or word in _STARTERS)
    if low in _SELDOM_LAST or _INITIALS.fullmatch(token):
        return word in _STARTERS and text[dot + 1 :].lstrip()[:1] not in "(["
    first = dot - len(text[start:dot].lstrip())
    if len(token) <= 12 and _LABEL.fullmatch(text, first, dot):
        return False
    if len(token) == 1 and token.isupper():
        return word in _STARTERS
    item = _ITEM_LABEL.search(before) if token[0].isdigit() else None
    if item and word.capitalize() in _TITLES:
        return False
    if item and word not in _STARTERS:
        lead = item.group(1) or ""  # `see Item 7. Sales rose`, not a heading `Item 7. Sales`
        return lead.islower() or lead == "See"
    return True
