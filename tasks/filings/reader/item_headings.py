"""Find every place in a filing that may be the heading of an Item, and score it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.filings.reader.item_titles import (
    NO_TITLE,
    TITLES,
    TitleMatch,
    item_order,
    match_title,
    skip,
)

_SPELLED = [
    "one", "two", "three", "four", "five", "six", "seven", "eight",
    "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
]  # fmt: skip
_ROMAN = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii",
    "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi",
]  # fmt: skip
_DIGITS = r"(?:1[0-6]|0?[1-9])(?!\d)"
_WORDS = rf"l|{'|'.join(reversed(_ROMAN))}|{'|'.join(reversed(_SPELLED))}"  # a scanned l is a 1
_LETTERS = rf"(?:{_WORDS})(?=[A-D]?\b)"
_SIGN = r"(?:(?:number|no\.?(?=[\s#\d])|#|№)[\s#]*)?"
_NUMBER = (
    rf"(?:9A\s?\([TI]\)|(?:{_DIGITS}|{_LETTERS})"
    r"(?:[A-D](?!\w)|\s[A-D](?=[.:]|$)|-[A-D](?=[.:\s]|$)|\s?\([A-C]\)(?=[.:\s]|$))?"
    r"(?:\s?\(T\))?)"
)
_NUMBERS = (
    rf"{_SIGN}(?P<numbers>{_NUMBER}"
    rf"(?:\.?\s*(?:,|,?\s*and|&|through|thru|to|-|–|/)\s*(?:items?\s*)?{_SIGN}{_NUMBER})*)"
)
_NUMBERED = rf"(?:\s*{_NUMBERS}(?!\w))?"
_PART = r"part\s+(?:[ivx]+|[1-4]|one|two|three|four)\b"
_AT_LINE_START = re.compile(
    rf"^[^\w\n]{{0,12}}(?:{_PART}[^\w\n“\"]{{0,8}})?(?P<word>[il]tems?){_NUMBERED}",
    re.IGNORECASE | re.MULTILINE,
)
# case-sensitive, for speed
_ANYWHERE = re.compile(rf"(?P<word>I(?:tem|TEM)[sS]?)(?i:{_NUMBERED})")
# Shapes that count only if the Item's own title follows: "1 0", "1.A", "1 – A", "(1)", "1ARisk".
_DOUBTFUL = [
    re.compile(
        rf"[\s.:(_–—-]{{0,3}}{_SIGN}(?P<number>1 [0-6](?!\d)|{_DIGITS}|{_LETTERS}){letter}",
        re.IGNORECASE,
    )
    for letter in (r"[\s.(–—‑-]{0,3}(?P<letter>[A-D])\)?", r"(?P<letter>)\)?")
]
_ALSO = re.compile(rf"(?:\band|&|,|/|;)\s*items?\s*{_NUMBERS}[\s.:–—-]*", re.IGNORECASE)
_ONE_NUMBER = re.compile(
    rf"(?P<joint>through|thru|to|-|–)?\s*(?:items?\s*)?{_SIGN}(?P<number>{_NUMBER})", re.IGNORECASE
)
_IN_WORDS = re.compile(rf"({_WORDS})([A-D]?)", re.IGNORECASE)
_SEPARATORS = " \n\t.:;,-–—|)]*_"
_BEFORE_INLINE = re.compile(
    r"(?:[.!?:;)\]”]|\d|[-–—]\s?\d{1,3}\s?[-–—]|\bcontents|\bpart\s+[ivx]+)\s*$", re.IGNORECASE
)

SHORT_LINE = 220  # characters; the longest title of the form is 130
KNOWN = 0.5  # least share of a title's words that counts as a match
PLAUSIBLE = 2.5  # score of a line that starts with "Item 7" and looks like a heading
INSIDE_A_LINE = 5.0  # score of a heading found by number and title inside a line
# Added to 1 for each trait of a line; tuned by hand on the gold data.
_OWN_TITLE, _PUNCTUATION, _SHORT = 4.0, 1.0, 1.0
_COMMA = -2.0  # Item 1, "Business", says ...


@dataclass(frozen=True, slots=True)
class Heading:
    """A place that names one Item, or several ("Items 1 and 2")."""

    items: tuple[str, ...]
    titles: tuple[str, ...]
    start_char: int
    end_char: int  # of number and title
    line_end: int
    score: float
    has_own_title: bool = True


def item_numbers(written: str) -> tuple[str, ...]:
    """Return the Items that a heading's number names, as the lake writes them ("9A").

    Reads "ONE", "IV", "9A(T)", "9A(I)", "1 and 2", "10 through 13". Each Item occurs once, in
    printed order.
    """
    numbers: list[str] = []
    for match in _ONE_NUMBER.finditer(written):
        number = _plain(re.sub(r"\([ti]\)", "", match["number"].lower()))
        if match["joint"] and numbers:
            first, last = item_order(numbers[-1])[0], item_order(number)[0]
            numbers += [str(between) for between in range(first + 1, last)]
        if number not in numbers:
            numbers.append(number)
    return tuple(numbers)


def _plain(written: str) -> str:
    """Write one Item's number as the lake does: "1A" for "01-a", "IA" and "One A"."""
    number = re.sub(r"[\s().–—‑-]", "", written).upper()
    if match := _IN_WORDS.fullmatch(number):
        word = "i" if match[1] == "L" else match[1].lower()
        known = _ROMAN if word in _ROMAN else _SPELLED
        return f"{known.index(word) + 1}{match[2]}"
    return number.lstrip("0")


def headings_at_line_starts(text: str) -> list[Heading]:
    """Return lines that begin with an Item's number, in order.

    The title may be in the next paragraph.
    """
    found = []
    for match in _AT_LINE_START.finditer(text):
        heading = _read(text, match)
        if heading is not None and heading.score >= PLAUSIBLE:
            found.append(heading)
    return found


def headings_inside_lines(text: str, *, is_flat: bool = False) -> list[Heading]:
    """Return headings of a text without line breaks: number and title after a sentence.

    In a flat text they may also follow a title, a name or a row of a table.
    """
    found = []
    for match in _ANYWHERE.finditer(text):
        before = text[max(0, match.start() - 24) : match.start()]
        is_after_sentence = bool(_BEFORE_INLINE.search(before))
        if not is_after_sentence and not is_flat:
            continue
        items, number_end, _ = _numbered(text, match)
        begin = skip(text, number_end, _SEPARATORS)
        if not (text[begin : begin + 1].isupper() or text[begin : begin + 1] in "[("):
            continue
        title = match_title(items[0], text, begin) if items else NO_TITLE
        if title.share >= KNOWN:
            titles = (_tidy(text[begin : title.end_char]),) * len(items)
            place, end = match.start(), title.end_char
            items, titles, end = _with_second_number(items, text, begin, end, end)
            score = INSIDE_A_LINE if is_after_sentence else PLAUSIBLE
            found.append(Heading(items, titles, place, end, end, score))
    return found


def _read(text: str, match: re.Match[str]) -> Heading | None:
    """Score one line that begins with an Item's number; None if it only mentions an Item."""
    items, number_end, own = _numbered(text, match)
    if not items:
        return None
    begin, end = _title_place(text, number_end)
    has_own_title = own.share >= KNOWN
    if has_own_title and own.end_char >= end:
        own, end = _with_next_line(items[0], text, begin, end, own)
    numbers = text[match.end("word") : number_end]
    if "(" in numbers and "(T)" not in numbers.upper() and not has_own_title:
        return None  # "Item 1(a)" may be a paragraph of Item 1
    is_short = end - match.start() <= SHORT_LINE
    score = (
        1.0
        + _OWN_TITLE * has_own_title
        + _PUNCTUATION * any(sign in text[number_end:begin] for sign in ".:–—|\n-")
        + _COMMA * ("," in text[number_end:begin])
        + _SHORT * is_short
    )
    is_whole_line = is_short and (not has_own_title or _goes_on(text[own.end_char : end]))
    title_end = end if is_whole_line else max(own.end_char, begin)
    items, titles, title_end = _with_second_number(
        items, text, begin, title_end, end if is_short else title_end
    )
    return Heading(
        items=items,
        titles=titles,
        start_char=_start(match),
        end_char=max(title_end, number_end),
        line_end=end,
        # two Items in one heading count a little less than two headings
        score=score * len(items) ** 0.9 if has_own_title else score,
        has_own_title=has_own_title,
    )


def _numbered(text: str, match: re.Match[str]) -> tuple[tuple[str, ...], int, TitleMatch]:
    """Return the Items that a match names, () if none, where their number ends, and their title.

    A doubtful shape is read only if its own title follows, and the plain shape's does not.
    """
    plain = item_numbers(match["numbers"]) if match["numbers"] else ()
    own = _own_title(plain, text, match.end())
    if own.share >= KNOWN:
        return plain, match.end(), own
    for shape in _DOUBTFUL:
        doubtful = shape.match(text, match.end("word"))
        item = _plain(doubtful["number"] + doubtful["letter"]) if doubtful else ""
        if doubtful and item in TITLES:
            title = _own_title((item,), text, doubtful.end())
            if title.share >= KNOWN:
                return (item,), doubtful.end(), title
    return plain, match.end(), own


def _own_title(items: Sequence[str], text: str, number_end: int) -> TitleMatch:
    begin, _ = _title_place(text, number_end)
    return max(
        (match_title(item, text, begin) for item in items),
        key=lambda title: (title.share, title.end_char),
        default=NO_TITLE,
    )


def _title_place(text: str, number_end: int) -> tuple[int, int]:
    """Return where the title after a number begins, and where its line ends.

    The title may be the next line, if that is short.
    """
    begin, end = skip(text, number_end, _SEPARATORS), line_end(text, number_end)
    if begin <= end:
        return begin, end
    next_end = line_end(text, begin)
    following = _AT_LINE_START.match(text, begin)
    if next_end - begin > SHORT_LINE or (following and following["numbers"]):
        return number_end, number_end
    return begin, next_end


def _with_next_line(
    item: str, text: str, begin: int, end: int, title: TitleMatch
) -> tuple[TitleMatch, int]:
    """Extend a title by the next line, if all of that line belongs to it."""
    gap = text[end : end + 2]
    next_begin = end + len(gap) - len(gap.lstrip())
    next_end = line_end(text, next_begin)
    joined = f"{text[begin:end]} {text[next_begin:next_end]}"
    longer = match_title(item, joined, 0)
    if (
        next_end > next_begin
        and longer.share > title.share
        and longer.end_char >= len(joined.rstrip(" .:"))
    ):
        return TitleMatch(next_end, longer.share), next_end
    return title, end


def line_end(text: str, place: int) -> int:
    """Return where the line around a place ends."""
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _with_second_number(
    items: tuple[str, ...], text: str, begin: int, end: int, line_end: int
) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Split "Item 1. Business and Item 2. Properties" into two Items with a title each.

    If the line goes on after its title, the second title ends with its words.
    """
    title = _tidy(text[begin:end])
    also = _ALSO.search(text, begin, line_end) or _ALSO.match(text, skip(text, end, " \t"))
    if len(items) == 1 and also:
        second = [
            item for item in item_numbers(also["numbers"]) if item in TITLES and item not in items
        ]
        own = match_title(second[0], text, also.end()) if second else TitleMatch(end, 0.0)
        if own.share >= KNOWN and item_order(second[0]) > item_order(items[0]):
            second_end = line_end if also.start() < line_end else own.end_char
            titles = (
                _tidy(text[begin : also.start()]),
                *[_tidy(text[also.end() : second_end])] * len(second),
            )
            return (items[0], *second), titles, second_end
    return items, (title,) * len(items), end


def _start(match: re.Match[str]) -> int:
    """Return where a heading's line starts, or the heading if a Part's number precedes it."""
    prefix = match.string[match.start() : match.start("word")]
    if re.search(r"\w", prefix):
        return match.start("word")
    return match.start() + len(prefix) - len(prefix.lstrip())


def _goes_on(rest: str) -> bool:
    """Whether a heading goes on after its known words, as in "Business OF TEXTRON"."""
    rest = rest.strip(" ._:-–—*")
    return (
        0 < len(rest) <= 100
        and "|" not in rest
        and ". " not in rest
        and not re.search(r"\d$", rest)
        and rest[0] != "("
    )


def _tidy(title: str) -> str:
    return re.sub(r"[\s|]+", " ", title).strip(" .,:;-–—_*")
