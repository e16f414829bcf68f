"""Facts of a report: measures of `measures.toml` with what the tables state for a period.

This is all that the free engine asks about. A fact needs a certain value, and a column of one whole
year. It is left out if two tables disagree about it, or if its table is on a part of the company or
the year, or on deferred taxes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from tasks.quantities.figures import FULL_MONTHS, Figure, find_figures, same_figure
from tasks.quantities.text_tables import TableRow, TextTable, find_tables, stated_value

UNCHECKED = "by rules, unchecked"
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
DATE = re.compile(rf"\b(?:{FULL_MONTHS})\s\d{{1,2}},?\s(?:19|20)\d\d")

_UNITS = {"flow": "money", "balance": "money", "per_share": "per_share", "share": "percent"}
_OF_A_PART = re.compile(
    r"\b(?:months|quarter(?:ly|s)?|pro forma|parent|segments?|subsidiar\w+|unaudited|condensed"
    r"|adjusted|unconsolidated|affiliates?|joint ventures?|discontinued|acquired|geographic"
    r"|deferred (?:income )?tax(?:es)? (?:assets?|liabilit\w+))\b",
    re.IGNORECASE,
)
# A table of balances without them may be on a part: deferred taxes, a subsidiary's loans. One that
# states net income twice is by segment.
_TOTALS = ("assets", "stockholders' equity", "working capital")
_ACTIVITIES = ("operating activities", "investing activities", "financing activities")
# A label without one of these nouns says too little: "Research and development".
_NOUNS = re.compile(
    r"\b(?:revenues?|sales|income|expenses?|costs?|assets|liabilities|equity|debt|cash|loans?|rate"
    r"|earnings|profits?|loss(?:es)?|margins?|dividends?|inventor(?:y|ies)|receivables?|payables?"
    r"|depreciation|amortization|interest|capital|securities|investments?|goodwill|premiums?"
    r"|provision|borrowings|compensation|obligations|royalties|stock|operations|property"
    r"|equipment)\b",
    re.IGNORECASE,
)
# Columns for which the year alone says too little, and columns that compare.
_PARTIAL = re.compile(
    r"month|quarter|week|change|increase|decrease|variance|vs|%|percent|pro forma|through|to\s"
    r"|\band\b|after|beyond|later|subsequent",
    re.IGNORECASE,
)
_UNUSABLE_LABEL = re.compile(
    r"\Aless\b|(?:beginning|end) of (?:the )?(?:year|period)|\bpages?\b|\A\(|[|$]|\d{4}"
    r"|balance[s,]|see note|effect of|adjustments? to"
    r"|[\s,(](?:[a-z]|\d[\d.]*)\)?\Z",  # of a column of notes: `Interest expense H`
    re.IGNORECASE,
)
_WHOLE = "100.0%"  # the total of shares, which nobody asks for
# In these tables a year says when something falls due, not when it happened.
_FALLS_DUE = re.compile(
    r"\b(?:obligations|maturit(?:y|ies)|payments due|minimum (?:lease|rental)|commitments"
    r"|future)\b",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"\s*/?\([^()]*\)/?")
_LEGAL = re.compile(
    r",? (?:& )?(?:Inc|Incorporated|Corp|Corporation|Co|Company|Ltd|LLC|L\.P|plc)\b.*"
)
_AFTER_HEAD = re.compile(
    r"\s(?:of|for|in|from|on|to|at|per|under|before|after|with|by|available(?!-)|used|provided|"
    r"payable|due|owed|attributable)\b|"
    r"\s?[(–—]| - |,\s(?:net|gross|basic|diluted|current|noncurrent|less|excluding|including)\b",
    re.IGNORECASE,
)
_DONE = re.compile(r"\s(?:[a-z]+ed|written|sold|paid)\Z")  # `shares purchased` are shares


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of annual reports."""

    name: str
    plain: str  # a layman's words
    kind: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What a report's tables state for a measure and a period."""

    measure: Measure
    label: str  # as the report names the measure, in small letters, without brackets
    time: str  # `in 2017` or `as of June 30, 2017`
    year: str
    value: str  # as a sentence states it: `$1,234 million`
    is_of_company: bool  # and not of a part of it, by the other lines of its table

    @property
    def figure(self) -> Figure:
        """The value as a quantity."""
        return find_figures(self.value)[0]


@cache
def measures() -> dict[str, Measure]:
    """Return all measures by the forms of their labels."""
    text = files("tasks.baseline").joinpath("measures.toml").read_text(encoding="utf-8")
    forms: dict[str, Measure] = {}
    for kind, listed in tomllib.loads(text).items():
        for name, (plain, *others) in listed.items():
            forms |= dict.fromkeys([name, *others], Measure(name, plain, kind))
    return forms


def _bare(label: str) -> str:
    bare = _IN_BRACKETS.sub("", label.lower().replace("’", "'"))
    return " ".join(bare.split()).rstrip(" :,")


@lru_cache(maxsize=8)  # all questions on a context read the same tables
def facts_of(text: str) -> tuple[Fact, ...]:
    """Find the facts of a text, in its order: one for each measure and year."""
    stated: dict[tuple[str, str], list[Fact]] = {}
    for table in find_tables(text):
        for fact in _facts_of_table(table):
            stated.setdefault((fact.measure.name, fact.year), []).append(fact)
    return tuple(
        max(facts, key=lambda fact: fact.is_of_company)
        for facts in stated.values()
        if all(same_figure(facts[0].figure, fact.figure) for fact in facts)
    )


def _facts_of_table(table: TextTable) -> Iterator[Fact]:
    if _OF_A_PART.search(table.caption) or _FALLS_DUE.search(table.caption):
        return
    labels = [_bare(row.label) for row in table.rows]
    forms = [label.removeprefix("total ").removeprefix("consolidated ") for label in labels]
    has_changes = any(kind in form for form in forms for kind in _ACTIVITIES)
    listed = [measures()[form] for form in forms if form in measures()]
    is_of_company = sum(measure.name == "net income" for measure in listed) < 2 and (
        has_changes
        or any(measure.name in _TOTALS for measure in listed)
        or all(measure.kind != "balance" for measure in listed)
    )
    for row, label, form in zip(table.rows, labels, forms, strict=True):
        measure = measures().get(form)
        if measure is None or forms.count(form) > 1 or not _is_certain(row):
            continue
        if has_changes and measure.kind == "balance":
            continue  # in a statement of cash flows it is a change
        times = [_time(head) for head in row.heads]
        for column, time in enumerate(times):
            value = stated_value(table, row, column) if times.count(time) == 1 else None
            if time and value and value != _WHOLE:
                figures = find_figures(value)
                units = [figure.unit for figure in figures]
                if units == [_UNITS[measure.kind]] and figures[0].value > 0:
                    year = YEAR.findall(time)[-1]
                    yield Fact(measure, label, time, year, value, is_of_company)


def _is_certain(row: TableRow) -> bool:
    return (
        row.is_whole
        and 5 <= len(row.label) <= 70
        and bool(_NOUNS.search(row.label))
        and not _UNUSABLE_LABEL.search(row.label)
        and not _OF_A_PART.search(row.section)
        and len(YEAR.findall(" ".join(row.heads))) == len(row.heads)
    )


def _time(head: str) -> str | None:
    """Phrase a column head: `in 2017`, `as of June 30, 2017`; None unless it names a whole year."""
    years = YEAR.findall(head)
    if len(years) != 1 or _PARTIAL.search(head):
        return None
    date = DATE.search(head)
    return f"as of {date[0]}" if date and "ended" not in head.lower() else f"in {years[0]}"


def owner_of(company: str) -> str:
    """Write a company's name as an owner: `Apple's`, `Williams'`."""
    name = _LEGAL.sub("", company).strip(" ,")
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def capitalised(text: str) -> str:
    """Write a text's first letter in upper case, but not that of `iPod`."""
    if text[1:2].isupper():
        return text
    return text[:1].upper() + text[1:]


def is_plural(phrase: str) -> bool:
    """Check whether a noun phrase takes `were`, by its head: the last word before a preposition."""
    head = _AFTER_HEAD.split(phrase, maxsplit=1)[0]
    last = _DONE.sub("", head.strip()).rpartition(" ")[2]
    if last.isupper():
        return False  # an acronym is one thing
    last = last.lower()
    is_singular = last.endswith(("ss", "us", "is", "'s", "’s")) or last == "series"
    return last.endswith("s") and not is_singular
