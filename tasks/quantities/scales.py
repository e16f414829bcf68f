"""Scales of tables: what a phrase such as "(in thousands, except per share data)" states.

Two scales in one statement are none. `governing.py` finds the statement that governs a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.quantities.units import CURRENCY_NAMES, SIGNS

LONGEST_NEAR = 300  # characters of a statement beside its table
POWERS = {"ones": 0, "thousands": 3, "millions": 6, "billions": 9}

COUNTS = re.compile(
    r"\b(?:shares|number of|employees|employment|units|vehicles|stores|barrels|tons|"
    r"miles|customers|headcount|wells|"
    r"acres|branches|square feet|locations|restaurants|ounces|pounds|days|subscribers)\b",
    re.IGNORECASE,
)
AMOUNTS = re.compile(
    r"\b(?:sales|revenues?|income|expenses?|costs?|price|value|loans|assets|payables?|purchases?|proceeds|earnings|"
    r"losses|loss|deposits|repurchases?|dividends|receivables?)\b",
    re.IGNORECASE,
)
PER_UNIT = re.compile(
    r"\bper\s(?:\w+[ -]){0,4}(?:share|unit|ads|barrel|ton|ounce)s?\b|\beps\b", re.IGNORECASE
)
# A unit of volume or energy is taken as named, whatever the table's amounts are in.
NAMES_ITS_UNIT = re.compile(
    r"\b(?:m?mbbls?|m?mboe|mboed|boed?|bbls?|bcfe?|mm?cfe?|[kmgt]wh|mmbtu)\b", re.IGNORECASE
)

# What has none of these states no scale.
_MAY_STATE = (
    "thousand", "million", "billion", "000", "dollar", "in mil", "in bil", "in mm", "in actual",
    "(m", "($ m", "($m", "(bil", "$mm",
)  # fmt: skip
CURRENCY = rf"(?:(?:us|united states|canadian)\s?)?(?:{CURRENCY_NAMES})"
_NOUN = rf"(?:{CURRENCY}(?:\s(?:amounts?|figures))?|(?:tabular\s)?amounts?|figures)"
_WORD = r"thousands?|millions?|billions?|mils?\b(?!-)\.?|bil\b\.?|(?-i:MM)\b"
_ZEROS = r"['’]?000(?:,000)?(?:['’]?s)?\b(?![,.\d-])"
_MENTION = re.compile(
    # how any of these begins, only to save time
    r"(?:(?=[ina(|$'’0])|^)(?:"
    # in thousands; in $ millions; in U.S. dollars in millions; to the nearest thousand
    rf"(?:\bin|\bnearest)[\s|]+(?:(?:{CURRENCY}|us)\s?(?:in\s)?)?\(?(?P<in>{_WORD}|{_ZEROS})"
    # (millions); ($ MM); (Mil. $); Thousands of dollars; $ millions, except per share
    rf"|(?:[(]|^|[|]\s?)(?:{_NOUN}\s?)?(?P<head>{_WORD})(?=\s?(?:[),;:.|]|\Z|{CURRENCY}|of\b|except\b|omitted\b))"
    # $000; ($000's); £000; RMB'000; 000s omitted; add 000
    rf"|(?:[$(]\s?\(?|(?<=[{SIGNS}])|(?:(?<=[^\W\d_])|(?<=[^\W\d_] ))(?=['’]))(?P<signed>{_ZEROS})"
    rf"|\badd\s(?P<add>000)|(?P<omitted>{_ZEROS})\s(?:are\s)?omitted"
    r"|(?P<ones>[(]\s?(?:in\s)?(?:whole\s|actual\s)?dollars\s?\)|\bin\s(?:whole|actual)\sdollars\b"
    r"|(?:[(]|^)(?:amounts\s)?in\s(?:dollars|actual\samounts)(?=\s?(?:[),]|\Z))|\bnearest\sdollar\b)"
    # in oil and gas an M is a thousand, elsewhere a million
    r"|\(\s?(?:in\s)?(?P<unclear>(?-i:\$\s?M\b|M\s?\$))"
    r"|\bin\s(?P<other>(?:tens?|hundreds?)(?:\sof)?\sthousands))",
    re.IGNORECASE,
)
# What is counted in: a thing, or a common noun that names no currency.
_OF = re.compile(
    rf"\s?of\s(?:the\s)?(?P<thing>(?!pounds\ssterling){COUNTS.pattern}"
    rf"|(?!(?:\w+\s){{0,2}}(?:{CURRENCY}|sterling|pesos|won|kron(?:or|er)|francs|marks|lire"
    r"|reais|rand|shekels)\b)(?-i:[a-z]{3}))?",
    re.IGNORECASE,
)
_SAYS_IN = re.compile(
    r"(?:\A|[(|,:;]|\b(?:stated|expressed|presented|reported|shown|rounded|given|are|is|amounts?|dollars|figures"
    r"|data)\s?)\Z",
    re.IGNORECASE,
)
# What follows these words, up to the end of the brackets or sentence, is not in the scale.
_EXCEPT = re.compile(
    r"\b(?:except|other than|excluding|where|which)\b(?P<what>[^().;]*)\Z", re.IGNORECASE
)
_EXCEPTION = re.compile(r"[^).;]*\b(?:except|other than|excluding)\b[^).;]*", re.IGNORECASE)
_EXCEPTED_COUNTS = re.compile(
    r"(?<!per )\b(?:shares?|units?|number|employees|stores|headcount|tons)\b", re.IGNORECASE
)
CURRENCY_OR_AMOUNTS = re.compile(rf"{CURRENCY}|\bamounts?\b|\bfigures\b", re.IGNORECASE)
_MONEY = re.compile(rf"{CURRENCY_OR_AMOUNTS.pattern}|\btabular\b|{AMOUNTS.pattern}", re.IGNORECASE)
_THINGS = re.compile(
    r"\b(?:shares|units?|options|square feet|acres|tons|barrels|ounces|pounds|volumes?|number"
    r"|(?<!per )share (?:data|amounts))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedScale:
    """What one statement says of scales."""

    scale: str | None  # of amounts: ones, thousands, millions or billions; None: two of them
    counts: str | None  # of shares and other counts; None: not said
    is_of_money: bool  # False for `(shares in thousands)`

    @property
    def any_scale(self) -> str | None:
        """The scale of amounts, or of counts if only they have one."""
        return self.scale if self.is_of_money else self.counts


UNREAD = StatedScale(None, None, True)  # a unit that is not understood
_UNIT = re.compile(
    r"\((?![^()]*(?:%|\bpercent|\bin (?:years|months|days)\b|\bper\b|\bprice\b))"
    rf"(?:(?:in|x)(?:\s[^()\s]+){{1,2}}|(?:[^()]*\b)?(?:{CURRENCY}|expressed|rounded|amounts|omitted)\b[^()]*"
    rf"|[^()]*[{SIGNS}](?=[^()]*\w)[^()]*)\)",
    re.IGNORECASE,
)


def stated_in(text: str) -> StatedScale | None:
    """Return what a phrase such as "(in thousands, except per share data)" states, or None."""
    if not may_state(text):
        return None
    text = spaced(text)
    amounts: set[str | None] = set()
    counts: set[str | None] = set()
    of_all: set[str | None] = set()  # scales of amounts and counts alike
    for match in _MENTION.finditer(text):
        scale = _scale_of(match)
        before = text[max(0, match.start() - LONGEST_NEAR) : match.start()]
        after = _OF.match(text, match.end())
        if after and match["in"] and not _SAYS_IN.search(before.rstrip()):
            continue  # `resulted in millions of dollars of losses` is prose
        if (after and after["thing"]) or is_of_things(before):
            counts.add(scale)
        elif excepted := _EXCEPT.search(before):
            if "indicated" in excepted["what"] or "noted" in excepted["what"]:
                continue
            of_counts = _EXCEPTED_COUNTS.search(excepted["what"])
            (counts if of_counts else amounts).add(scale)
        else:
            amounts.add(scale)
            exception = _EXCEPTION.match(text, match.end(), match.end() + LONGEST_NEAR)
            if not (
                after
                or CURRENCY_OR_AMOUNTS.search(re.split(r"[(;|.]", before)[-1] + match[0])
                or (exception and _EXCEPTED_COUNTS.search(exception[0]))
            ):
                of_all.add(scale)
    if not amounts and not counts:
        return None
    return StatedScale(only(amounts), only(counts or of_all), bool(amounts))


def spaced(text: str) -> str:
    """Return a text with single spaces, as the patterns expect it."""
    return " ".join(text.split()).replace("U.S.", "US").replace("U. S.", "US")


def may_state(text: str) -> bool:
    """Check quickly whether a text may state a scale."""
    text = text.lower()
    return any(word in text for word in _MAY_STATE)


def unit_in(text: str) -> StatedScale | None:
    """Return what a phrase beside a table states; a unit not understood has no scale."""
    return stated_in(text) or (UNREAD if _UNIT.search(text) else None)


def scale_in(text: str) -> str | None:
    """Return the scale that a phrase states for amounts, else for counts, or None."""
    stated = stated_in(text)
    return stated.any_scale if stated else None


def _scale_of(match: re.Match[str]) -> str | None:
    if match["unclear"] or match["other"]:
        return None
    if match["ones"]:
        return "ones"
    word = next(word for word in match.groups() if word).lower()
    if "000" in word:
        return "millions" if "000,000" in word else "thousands"
    return {"t": "thousands", "m": "millions", "b": "billions"}[word[0]]


def only(scales: set[str | None]) -> str | None:
    """Return the scale if there is one only."""
    return next(iter(scales)) if len(scales) == 1 else None


def is_of_things(text: str) -> bool:
    """Whether words before a scale say that it is of things: `Shares sold (in`, `, unit sales in`.

    Words farther than these say what a table is about, as in `deposits of customers (in`.
    """
    clause = re.split(r"[;:|.]|,(?=[^()]*\Z)", text)[-1].strip(" (").split()
    near, whole = " ".join(clause[-4:]), " ".join(clause)
    return (
        bool(_THINGS.search(near)) and not _MONEY.search(near.lower().replace("unit sales", ""))
    ) or ("number of" in whole.lower() and not _MONEY.search(whole))
