"""Facts of a report: measures of `measures.toml` with what the tables state for a period.

This is all that the free engine asks about. A fact is left out if two tables disagree about it, or
if its table is on a part of the company or the year, or on deferred taxes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from tasks.baseline.stated_cells import StatedCell, stated_cells
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import TextTable, find_tables

UNCHECKED = "by rules, unchecked"

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


def form_of(label: str) -> str:
    """Return a label as `measures.toml` writes it."""
    return _bare(label).removeprefix("total ").removeprefix("consolidated ")


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
    labels = [form_of(row.label) for row in table.rows]
    has_changes = any(kind in label for label in labels for kind in _ACTIVITIES)
    listed = [measures()[form] for form in labels if form in measures()]
    is_of_company = sum(measure.name == "net income" for measure in listed) < 2 and (
        has_changes
        or any(measure.name in _TOTALS for measure in listed)
        or all(measure.kind != "balance" for measure in listed)
    )
    if _OF_A_PART.search(table.caption):
        return
    for row, cells in stated_cells(table):
        form = form_of(row.label)
        measure = measures().get(form)
        if measure is None or labels.count(form) > 1 or _OF_A_PART.search(row.section):
            continue
        if has_changes and measure.kind == "balance":
            continue  # in a statement of cash flows it is a change
        for cell in cells:
            if _is_of_kind(cell, measure):
                label = _bare(row.label)
                yield Fact(measure, label, cell.time, cell.year, cell.value, is_of_company)


def _is_of_kind(cell: StatedCell, measure: Measure) -> bool:
    """Check that a value is of the measure's unit, and not negative."""
    figures = find_figures(cell.value)
    return len(figures) == 1 and figures[0].value > 0 and figures[0].unit == _UNITS[measure.kind]


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
