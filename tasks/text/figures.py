"""The quantities that a text states: amounts, rates, counts and years, with value, unit and precision.

What only looks like a quantity is left out: days of dates, numbers of notes, pages, rules and forms,
telephone and file numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SHORT_POWERS = {"k": 3, "m": 6, "mm": 6, "mn": 6, "b": 9, "bn": 9, "tn": 12}

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORD_VALUES = {word: number for number, word in enumerate([*_ONES, *_TEENS], start=1)} | {
    word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)
}

_FIGURE = re.compile(
    r"(?:(?P<number>(?<![\w.,/])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|(?<![\w.,/])\.\d+)"
    rf"|\b(?P<word>(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS + _ONES)})\b)"
    r"(?P<tail>(?:[ \t]?\))?"
    r"(?:(?P<percent>\s?%|[\s-](?:percent|per\scent|percentage\spoints?)\b)"
    r"|(?P<bps>[\s-](?:basis\spoints?|bps)\b)"
    r"|[\s-](?P<scale>hundred|thousand|million|billion|trillion)s?\b"
    r"|\s?(?P<short>mm|mn|bn|tn|[kmb])\b)?"
    r"(?:\s?\)(?P<percent2>\s?%)?)?)",
    re.IGNORECASE,
)
# Currency, brackets and signs before a number. A minus belongs to it only where nothing stands before the
# minus: `10-15%` is a range.
_LEAD = re.compile(
    r"(?:(?<![\w)%])[-−] ?)?(?:\([ \t]?)?(?:(?<![\w)%])[-−])?"
    r"(?P<currency>(?:\b(?:US|C|A|HK|NT))?\$|[€£¥]|\b(?:USD|EUR|GBP|CAD))"
    r"[ \t]{0,12}(?:\([ \t]?)?[-−]?\Z"
    r"|(?:(?<![\w)%])[-−] ?)?(?:\([ \t]?)?(?:(?<![\w)%])[-−])?\Z"
)
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_DOLLARS = re.compile(r"\s(?:U\.?S\.?\s)?dollars?\b", re.IGNORECASE)
_PER_SHARE_AFTER = re.compile(r"\s?(?:per|a|each)\s(?:[a-z]+\s){0,4}?(?:share|unit|ADS)\b", re.IGNORECASE)
_PER_SHARE_BEFORE = re.compile(
    r"\b(?:per\s(?:[a-z]+\s){0,3}(?:share|unit)|EPS)\b[^.;:$\d]{0,60}\Z", re.IGNORECASE
)

# What stands before a number that names something rather than counting it.
_NAMING = re.compile(
    r"(?:\b(?:notes?|items?|pages?|sections?|rules?|forms?|exhibits?|parts?|articles?|chapters?|schedules?|"
    r"nos?|numbers?|sfas|fas|fin|asc|asu|ias|ifrs|sab|topics?|regulation|level|tier|phase|appendix|annex|"
    r"paragraphs?|tables?|opinion|statements?|eitf|sop|suite|box|room|building|highway|route|title|release|"
    r"interpretation|code|proposal|footnotes?)(?:\s(?:nos?|numbers?))?\.?\s?|[#§]\s?|[\dA-Za-z]-)\Z",
    re.IGNORECASE,
)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTHS})\.?\s+\Z", re.IGNORECASE)
_MONTH_AFTER = re.compile(rf"\s(?:{_MONTHS})\b")
# What glued to a number makes it part of a code, a date, a list label or a word: `10-K`, `12b-2`, `1st`, `3)`.
_GLUED_AFTER = re.compile(r"\w|/\d|-\d{3}|-[A-Za-z](?![A-Za-z])|\([a-zA-Z]\)|\.\d|\)\s?\d{3}-\d")
_LABEL_AFTER = re.compile(r"\)|\.(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity.

    text        as written, with sign, currency and unit words: text[start_char:end_char] of what was searched
    value       in ones of its unit: dollars, percent, basis points, dollars a share, things, a year
    unit        money, percent, bps, per_share, count or year
    decimals    digits after the point to which `value` is stated; negative for `1.2 billion` (-8)
    """

    text: str
    start_char: int
    end_char: int
    value: Decimal
    unit: str
    decimals: int


def find_figures(text: str, scale: str | None = None) -> list[Figure]:
    """The quantities of a text, in order.

    `scale` (thousands, millions or billions) holds for amounts and counts that name none themselves, as in a
    table headed "in thousands"; never for percentages, amounts per share and years.
    """
    table_power = _POWERS[scale.removesuffix("s")] if scale else 0
    found = (_read(text, match, table_power) for match in _FIGURE.finditer(text))
    return [figure for figure in found if figure is not None]


def same_figure(a: Figure, b: Figure) -> bool:
    """Whether two figures may state one quantity: equal at the coarser of the two stated precisions.

    Signs are ignored, since "a loss of $5 million" and "(5)" are the same. Percent and basis points compare; a
    bare number compares with an amount, since tables seldom repeat the currency; a year equals only a year.
    """
    family_a, value_a, decimals_a = _comparable(a)
    family_b, value_b, decimals_b = _comparable(b)
    if family_a != family_b and {family_a, family_b} != {"money", "count"}:
        return False
    if decimals_a == decimals_b:
        return value_a == value_b
    return abs(value_a - value_b) * 2 <= Decimal(1).scaleb(-min(decimals_a, decimals_b))


def _comparable(figure: Figure) -> tuple[str, Decimal, int]:
    value = abs(figure.value)
    if figure.unit == "bps":
        return "percent", value / 100, figure.decimals + 2
    return ("money" if figure.unit == "per_share" else figure.unit), value, figure.decimals


def _read(text: str, match: re.Match[str], table_power: int) -> Figure | None:
    number, word, scale, short = match.group("number", "word", "scale", "short")
    lead = _LEAD.search(text, max(0, match.start() - 24), match.start())
    assert lead is not None  # it may be empty
    currency = lead["currency"]
    is_rate = bool(match["percent"] or match["percent2"] or match["bps"])
    core_end = match.end("number" if number else "word")
    if short and not (number and (currency or len(short) == 2)):
        if match.start("short") == core_end:
            return None  # `10K`, `3M`
        short = None
    has_unit = bool(currency or is_rate or scale or short)
    if not has_unit and not (_is_quantity(text, match, core_end) if number else word.lower() != "one"):
        return None  # `one` counts nothing as often as it counts something
    digits = (
        number.replace(",", "")
        if number
        else str(sum(_WORD_VALUES[part] for part in word.lower().split("-")))
    )
    power = _POWERS[scale.lower()] if scale else _SHORT_POWERS[short.lower()] if short else 0
    if match["bps"]:
        unit = "bps"
    elif is_rate:
        unit = "percent"
    elif number and not has_unit and "," not in number and _YEAR.match(number):
        unit = "year"
    elif currency or _DOLLARS.match(text, match.end()):
        unit = "per_share" if not power and _is_per_share(text, lead.start(), match.end()) else "money"
    else:
        unit = "count"
    if unit in ("money", "count") and not power and number:
        power = table_power
    return _figure(
        text, lead.group(), match, Decimal(digits).scaleb(power), unit, len(digits.partition(".")[2]) - power
    )


def _figure(text: str, lead: str, match: re.Match[str], value: Decimal, unit: str, decimals: int) -> Figure:
    """The figure with the extent of its text: brackets belong to it only in pairs."""
    tail = match["tail"]
    is_bracketed = "(" in lead and ")" in tail
    if not is_bracketed:
        lead = lead[lead.rfind("(") + 1 :]
        tail = tail.partition(")")[0]
    if not (match["percent"] or match["percent2"] or match["bps"] or match["scale"] or match["short"]):
        tail = tail.rstrip()
    elif match["short"] and unit == "count" and len(match["short"]) == 1:
        tail = ""
    start = match.start() - len(lead.lstrip())
    end = match.start("tail") + len(tail.rstrip())
    # In brackets a year, or an amount with its scale in words, is a remark; a bare number is negative.
    is_negative = "-" in lead or "−" in lead
    if is_bracketed and unit != "year" and not match["scale"]:
        is_negative = True
    return Figure(text[start:end], start, end, -value if is_negative else value, unit, decimals)


def _is_quantity(text: str, match: re.Match[str], core_end: int) -> bool:
    """Whether a bare number counts something: not a day, a label, a reference or a part of a code."""
    before = text[max(0, match.start() - 24) : match.start()]
    number = match["number"]
    if _GLUED_AFTER.match(text, core_end):
        return False
    if _YEAR.match(number):
        return True
    if _NAMING.search(before) or _MONTH_BEFORE.search(before) or _MONTH_AFTER.match(text, core_end):
        return False
    line_start = not before.rpartition("\n")[2].strip(" \t(")
    return not (line_start and len(number) <= 3 and _LABEL_AFTER.match(text, core_end))


def _is_per_share(text: str, start: int, end: int) -> bool:
    if _PER_SHARE_AFTER.match(text, end):
        return True
    return bool(_PER_SHARE_BEFORE.search(text, max(0, start - 90), start))
