"""Find the quantities in a text: amounts, rates, counts and years, with unit and precision.

Numbers that are no quantities are left out: days of dates; numbers of notes, pages, rules and
forms; telephone and file numbers. Units are data (`units.toml`); the grammar is here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from tasks.quantities.scales import POWERS
from tasks.quantities.units import UnitGroup, any_of, packaged_units, spelling

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORD_VALUES = {  # others, such as `and`, add nothing
    **{word: number for number, word in enumerate(f"{_ONES}|{_TEENS}".split("|"), start=1)},
    **{word: 10 * number for number, word in enumerate(_TENS.split("|"), start=2)},
}
# Words that often count nothing.
_WEAK_WORDS = frozenset({"one", "zero", "nil"})
# A fraction after a whole number: `5 1/2%`, `6-1/4%`, `5½%`. Thirds have no last digit: skipped.
_FRACTION = (
    r"(?:[ -]?[½¼¾⅛⅜⅝⅞]"
    r"|[ -](?:1/2|[13]/4|[1357]/8|(?:[13579]|1[135])/16|(?:[12]?[13579]|31)/32)(?![\w/]))"
)
# No quantity in a filing has more digits; a longer run is a code, or an attack.
_MAX_DIGITS = 28

_PER = re.compile(r"\s?(?:/\s?|(?:per|each|every)\s|(?P<article>an?)\s)", re.IGNORECASE)
_WORD_AFTER = re.compile(r"[ \t\xa0-]{0,2}([^\W\d_]+)\.?")
_PER_SHARE_AFTER = re.compile(
    r"\s?(?:per|a|each)\s(?:[a-z]+\s){0,4}?(?:share|unit|ADS)\b", re.IGNORECASE
)
_PER_SHARE_BEFORE = re.compile(
    r"\b(?:per\s(?:[a-z]+\s){0,3}(?:share|unit)|EPS)\b[^.;:$\d]{0,60}\Z", re.IGNORECASE
)
# Only adjectives are between a number and what it counts, never these words.
_NO_ADJECTIVES = frozenset((
    "a", "an", "and", "are", "as", "at", "by", "compared", "for", "from", "if", "in", "is", "of",
    "on", "or", "per", "respectively", "than", "that", "the", "to", "versus", "was", "were",
    "which", "with",
))  # fmt: skip

FULL_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
MONTHS = f"{FULL_MONTHS}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
# What stands before a number that names something, or a day, rather than counting it.
_NAMING = re.compile(
    r"(?:\b(?:notes?|items?|pages?|sections?|rules?|forms?|exhibits?|parts?|articles?|chapters?|schedules?|"
    r"nos?|numbers?|sfas|fas|fin|asc|asu|ias|ifrs|sab|topics?|regulation|level|tier|phase|appendix|annex|"
    r"paragraphs?|tables?|opinion|statements?|eitf|sop|suite|box|room|building|highway|route|title|release|"
    r"interpretation|code|proposal|footnotes?)(?:\s(?:nos?|numbers?))?\.?\s?|[#§]\s?|[\dA-Za-z]-"
    rf"|\b(?:{MONTHS})\.?\s+)\Z",
    re.IGNORECASE,
)
_MONTH_AFTER = re.compile(rf"\s(?:{MONTHS})\b")
# Characters that make a number part of a code, date, list label or word: `10-K`, `12b-2`, `1st`.
_GLUED_AFTER = re.compile(r"\w|/\d|-\d{3}|-[A-Za-z](?![A-Za-z])|\([a-zA-Z]\)|\.\d|\)\s?\d{3}-\d")
# The end of an amount, a change or a name, right before brackets; a comma may end an amount, but
# behind a year or a percentage it separates the values of a list.
_END_BEFORE = re.compile(
    r"(?:([^\W\d_]+)|[\d%]|\d(?:[ \xa0][a-z]+)?(?<!\b(?:19|20)\d\d),)[ \xa0]\[?\Z"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity; `currency` and `measure` are groups of `units.toml`."""

    text: str  # as written, with sign, currency and unit symbols: text[start_char:end_char]
    start_char: int
    end_char: int
    value: Decimal  # in ones of its unit, or in its measure: 55.5 for `55.5 MMBOE`
    unit: str  # money, percent, bps, per_share, count or year
    decimals: int  # digits after the point to which `value` is stated; -8 for `1.2 billion`
    currency: str | None = None  # of money: USD, EUR, ...
    # What is counted, or what an amount or percentage is per: employee, share. For a count also
    # `barrel per day` and `per share`; for a percent also percentage point.
    measure: str | None = None


def find_figures(text: str, scale: str | None = None, *, alone: bool = False) -> list[Figure]:
    """Return the quantities in a text, in order.

    Args:
        scale: ones, thousands, millions or billions, as in a table headed "in thousands". Applies
            to amounts and counts without a scale, not to percentages, amounts per share and years.
        alone: whether the text is an answer that should be one quantity. Then labels, codes, years
            and remarks in brackets are numbers: `5.`, `3M`, `one`, `2017`, `8.7e5`; and
            `($5 million)` is negative.
    """
    grammar = _grammar(alone)
    table_power = POWERS[scale if scale.endswith("s") else f"{scale}s"] if scale else 0
    figures = (grammar.read(text, match, table_power) for match in grammar.figure.finditer(text))
    return list(filter(None, figures))


def same_figure(a: Figure, b: Figure) -> bool:
    """Whether two figures may state the same quantity, at the coarser of their precisions.

    Signs are ignored, since "a loss of $5 million" and "(5)" are the same. Percent and basis points
    compare. A bare number compares with an amount, since tables seldom repeat the currency. A year
    equals only a year.
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


class _Grammar:
    """The patterns of figures, and the reading of a match."""

    def __init__(self, alone: bool) -> None:
        self._units, self._alone = (units := packaged_units()), alone
        magnitudes = dict(units.of_kind("magnitude"))
        ratios = dict(units.of_kind("ratio"))
        currencies = dict(units.of_kind("currency"))
        not_counted = {**magnitudes, **ratios, **currencies}
        measures = {name: units.groups[name] for name in units.groups if name not in not_counted}
        self._measures = {
            spelling(text): name
            for name, group in measures.items()
            for text in (*group.aliases, *group.symbols)
            if len(text) > 1
        }
        self._longest = max(len(text.split()) for text in (*self._measures, *units.rates))
        words = (
            rf"(?:(?:{_ONES})[\s-]hundred[\s-](?:and[\s-])?)?"
            rf"(?:(?:{_TENS})(?:-(?:{_ONES}))?|{_TEENS}|{_ONES})|zero|nil"
        )
        self.figure = re.compile(
            # the looks ahead only save time
            rf"(?:(?=[\d.])(?P<number>(?<![\w.,/])(?P<whole>\d{{1,3}})(?={_FRACTION})"
            r"|(?<![\w.,/])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|(?<![\w.,/])\.\d+)"
            rf"(?(whole)(?P<fraction>{_FRACTION}))"
            rf"(?P<exponent>{'e[+-]?[0-9]{1,2}(?![0-9])' if alone else '(?!)'})?"
            rf"|\b(?=[efnostz])(?P<word>{words})\b)"
            r"(?P<half>\sand\s(?:a|one)[\s-]half\b)?"
            r"(?P<tail>(?:[ \t]?\))?(?P<hundred>[\s-]hundred\b)?"
            rf"(?:\s?(?P<ratio_symbol>{any_of(_symbols(ratios))})|[\s-](?P<ratio>{any_of(_aliases(ratios))})\b"
            rf"|[\s-]?(?P<scale>{any_of(_aliases(magnitudes))})\b|\s?(?P<short>{any_of(_symbols(magnitudes))}))?"
            r"(?:\s?\)(?P<percent2>\s?%)?)?)",
            re.IGNORECASE,
        )
        whole = {name: group for name, group in currencies.items() if group.parts == 1}
        before = _symbols(whole) + (_aliases(whole) if alone else [])
        # Currency, brackets and signs before a number. A minus is a sign only if nothing precedes
        # it: `10-15%` is a range.
        self._lead = re.compile(
            r"(?:(?<![\w)%])[-−] ?)?(?:\([ \t]?)?(?:(?<![\w)%])[-−])?"
            rf"(?P<currency>{any_of(before)})"
            r"[ \t]{0,12}(?:\([ \t]?)?[-−]?\Z"
            r"|(?:(?<![\w)%])[-−] ?)?(?:\([ \t]?)?(?:(?<![\w)%])[-−])?\Z",
            re.IGNORECASE if alone else 0,
        )
        # In a table, a sign after a number belongs to the next number: `5 $ 6`.
        after = [
            text
            for group in currencies.values()
            for text in group.symbols
            if alone or group.parts > 1 or text.isalpha()
        ]
        self._currency_after = re.compile(
            rf"\s(?P<word>{any_of(_aliases(currencies))})\b|\s?(?P<symbol>{any_of(after)})",
            re.IGNORECASE,
        )
        self._following = frozenset("/") | {text[0] for text in (*after, *_symbols(measures))}
        self._symbol = re.compile(
            rf"\s?(?P<symbol>{any_of(_symbols(measures))})(?!\d)", re.IGNORECASE
        )

    def read(self, text: str, match: re.Match[str], table_power: int) -> Figure | None:
        """Return the figure at a match, or None if it is not one."""
        number, scale, short = match.group("number", "scale", "short")
        if len(number or "") > _MAX_DIGITS:
            return None
        lead = self._lead.search(text, max(0, match.start() - 24), match.start())
        assert lead is not None  # it may be empty
        ratio = match["ratio_symbol"] or match["ratio"] or (match["percent2"] and "%")
        if short and not (number and (lead["currency"] or len(short) > 1 or self._alone)):
            if match.start("short") == match.start("tail"):
                return None  # `10K`, `3M`
            short = None
        is_remark = not self._alone and _is_remark(text, match, lead)
        start, end, is_signed, is_bracketed = _extent(match, lead.group(), bool(short), is_remark)
        following = text[match.end() : match.end() + 2].lstrip(" \n\t\xa0-")[:1]
        is_followed = following.isalpha() or following in self._following
        symbol = (
            None if ratio or lead["currency"] or not is_followed else self._symbol_at(text, end)
        )
        has_unit = bool(lead["currency"] or ratio or match["hundred"] or scale or short or symbol)
        if not (has_unit or self._alone or _is_quantity(text, match)):
            return None
        value, decimals = _stated(match)
        power = _power_of(self._group(scale or short)[1].times) if scale or short else 0
        after = self._currency_after.match(text, match.end()) if is_followed else None
        stop = match.end()
        currency = measure = None
        if ratio:
            unit, shift, measure = self._ratio(ratio)
            power += shift
            measure = measure or self._rate(text, stop)
        elif number and _is_year(number) and not (has_unit or self._alone):
            unit = "year"
        elif symbol:
            unit, end = "count", symbol.end()
            measure = self._counted(text, end, self._group(symbol["symbol"])[0])
        elif lead["currency"] or after:
            name, group = self._currency(lead["currency"], after)
            currency = self._units.base(name)
            stop = after.end() if after else stop
            if group.parts > 1:  # `75 cents` are 0.75, and only the word says so
                power, end = power - _power_of(group.parts), stop
            is_per_share = not (scale or short) and bool(
                _PER_SHARE_AFTER.match(text, stop)
                or _PER_SHARE_BEFORE.search(text, max(0, lead.start() - 90), lead.start())
            )
            unit = "per_share" if is_per_share else "money"
            measure = self._rate(text, stop) or ("share" if is_per_share else None)
        else:
            unit = "count"
            measure = self._counted(text, stop, None) if is_followed else None
        if unit in ("money", "count") and not (power or symbol) and number:
            power = table_power
        value = value.scaleb(power)
        is_negative = is_signed or (is_bracketed and unit != "year")
        value = -value if is_negative else value
        return Figure(text[start:end], start, end, value, unit, decimals - power, currency, measure)

    def _symbol_at(self, text: str, start: int) -> re.Match[str] | None:
        """Match a unit's symbol after a number; a letter must touch it: `2.7x`, not `2 x 4`."""
        symbol = self._symbol.match(text, start)
        is_apart = symbol and len(symbol["symbol"]) == 1 and symbol.start("symbol") > start
        return None if is_apart else symbol

    def _group(self, text: str) -> tuple[str, UnitGroup]:
        name = self._units.names[spelling(text)]
        return name, self._units.groups[name]

    def _currency(self, before: str | None, after: re.Match[str] | None) -> tuple[str, UnitGroup]:
        """Return the currency around a number; the one after it is more exact: `$5 CAD`."""
        texts = (after and (after["word"] or after["symbol"]), before)
        named = [self._group(text) for text in texts if text]
        return next((one for one in named if one[1].parts == 1), named[0])

    def _ratio(self, text: str) -> tuple[str, int, str | None]:
        """Return a ratio's unit, its power of ten, and its measure unless that is percent."""
        name, group = self._group(text)
        if name == "basis point":
            return "bps", 0, None
        shift = _power_of(group.times) - _power_of(group.parts)
        return "percent", shift, None if name == "percent" or shift else name

    def _counted(self, text: str, start: int, named: str | None) -> str | None:
        """Return what a number that ends here counts: `employee`, `barrel per day`."""
        if named is None and (noun := self._noun(text, start, 2)):
            named, start = noun
        rate = self._rate(text, start)
        return " ".join(part for part in (named, f"per {rate}" if rate else None) if part) or None

    def _rate(self, text: str, start: int) -> str | None:
        """Return what a quantity that ends here is per, or None."""
        per = _PER.match(text, start)
        if per and (noun := self._noun(text, per.end(), 0 if per["article"] else 4)):
            return noun[0]
        words = self._words_after(text, start, self._longest)
        for length in range(len(words), 0, -1):
            if name := self._units.rates.get(" ".join(word for word, _ in words[:length])):
                return name
        return None

    def _noun(self, text: str, start: int, n_adjectives: int) -> tuple[str, int] | None:
        """Return the group that the next words name, and where the name ends.

        At most `n_adjectives` adjectives may precede it.
        """
        words = self._words_after(text, start, self._longest + n_adjectives)
        for first in range(min(n_adjectives + 1, len(words))):
            for last in range(min(first + self._longest, len(words)), first, -1):
                if name := self._measures.get(" ".join(word for word, _ in words[first:last])):
                    return name, words[last - 1][1]
            if words[first][0] in _NO_ADJECTIVES:
                return None
        return None

    @staticmethod
    def _words_after(text: str, start: int, n: int) -> list[tuple[str, int]]:
        """Return the next `n` words in the line, each with its end."""
        words: list[tuple[str, int]] = []
        while len(words) < n and (match_after := _WORD_AFTER.match(text, start)):
            start = match_after.end()
            words.append((match_after[1].casefold(), start))
        return words


def _symbols(groups: Mapping[str, UnitGroup]) -> list[str]:
    return [text for group in groups.values() for text in group.symbols]


def _aliases(groups: Mapping[str, UnitGroup]) -> list[str]:
    return [text for group in groups.values() for text in group.aliases]


def _power_of(times: int) -> int:
    """Return the exponent of a power of ten."""
    return len(str(times)) - 1


def _stated(match: re.Match[str]) -> tuple[Decimal, int]:
    """Return the number as written, and the digits after its point."""
    number, word, exponent = match.group("number", "word", "exponent")
    if number:
        digits = number.replace(",", "")
        value, decimals = Decimal(digits), len(digits.partition(".")[2])
    else:
        value, decimals = Decimal(0), 0
        for one in re.split(r"[\s-]", word.lower()):
            value = value * 100 if one == "hundred" else value + _WORD_VALUES.get(one, 0)
    if match["fraction"]:
        above, _, below = match["fraction"].lstrip(" -").partition("/")
        part = Decimal(above) / Decimal(below) if below else Decimal(unicodedata.numeric(above))
        value, decimals = value + part, len(str(part).partition(".")[2])
    if match["half"]:
        value, decimals = value + Decimal("0.5"), max(decimals, 1)
    if match["hundred"]:  # its zeros are stated, as in `100`
        value, decimals = value.scaleb(2), max(decimals - 2, 0)
    if exponent:
        value, decimals = value.scaleb(int(exponent[1:])), decimals - int(exponent[1:])
    return value, decimals


def _is_remark(text: str, match: re.Match[str], lead: re.Match[str]) -> bool:
    """Return whether brackets around a number and its unit hold a remark, and are no minus.

    They do around a scale, `($5 million)`, and around a percentage right behind an amount, a change
    or a name: `$9.9 billion (17%)`. They are a minus if a currency or unit is outside, `(17)%`, or
    if a percentage is in a cell of its own or what the words before lead to: `a loss of (17%)`.
    """
    if not lead.group().startswith("(") or match["tail"].lstrip().startswith(")"):
        return False
    if match["scale"] or match["short"]:
        return True
    before = _END_BEFORE.search(text, max(0, lead.start() - 24), lead.start())
    return before is not None and (before[1] or "").lower() not in _NO_ADJECTIVES


def _extent(
    match: re.Match[str], lead: str, has_short: bool, is_remark: bool
) -> tuple[int, int, bool, bool]:
    """Return start and end of a figure's text, and whether it has a minus and brackets.

    Only paired brackets belong to it, and not those of a remark.
    """
    tail = match["tail"]
    is_bracketed = not is_remark and "(" in lead and ")" in tail
    if not is_bracketed:
        lead = lead[lead.rfind("(") + 1 :]
        tail = tail.partition(")")[0]
    if match["short"] and not has_short:
        tail = ""
    start = match.start() - len(lead.lstrip())
    end = match.start("tail") + len(tail.rstrip())
    return start, end, "-" in lead or "−" in lead, is_bracketed


def _is_quantity(text: str, match: re.Match[str]) -> bool:
    """Whether a number without a unit counts something.

    Days, labels, references and parts of codes do not.
    """
    number = match["number"]
    if not number:
        return match["word"].lower() not in _WEAK_WORDS
    core_end = max(match.end("number"), match.end("fraction"))
    before = text[max(0, match.start() - 24) : match.start()]
    if _GLUED_AFTER.match(text, core_end):
        return False
    if _is_year(number):
        return True
    if _NAMING.search(before) or _MONTH_AFTER.match(text, core_end):
        return False
    is_at_start = not before.rpartition("\n")[2].strip(" \t(")
    point, after = text[core_end : core_end + 1], text[core_end + 1 : core_end + 2]
    ends_label = point == ")" or (point == "." and not after.strip())  # of a list's entry
    return not (is_at_start and len(number) <= 3 and ends_label)


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.isdecimal() and number[:2] in ("19", "20")


_grammar = cache(_Grammar)
