"""Questions of each level that a table supports, with the cells and arithmetic that prove them.

A template says which cells it needs (a shape), what it asks, and what it computes from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, pairwise

from tasks.baseline.tablequest.amounts import is_clear_percent, percent
from tasks.baseline.tablequest.facts import Fact, Table, tables_of
from tasks.suites.shared.company_names import company_name
from tasks.suites.shared.tables.cells import Cell
from tasks.suites.shared.tables.expressions import evaluate_expression
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.questions.quantity import is_stated, literal, of_cell
from tasks.suites.tablequest.rows import Level

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_MOST_TITLE = 14  # words
_SCALE_BEHIND = re.compile(r"\s*\([^()]*\)\s*:?\Z")
_IS_TITLE = re.compile(r"[A-Z][^“”\"]*[^\W\d_]{3}[^“”\"]*[\w)]")
_MOST_PERCENT = 300  # percent; a larger one is of a base that was nearly nothing
_LEAST_GAP = 1  # percentage points between what is compared


@dataclass(frozen=True, slots=True)
class Template:
    """One kind of question over the cells A, B, ... of a shape."""

    level: Level
    shape: str
    question: str
    answer: str
    values: Mapping[str, str] = field(default_factory=dict)  # name -> calculation


_CALCULATIONS = (
    (
        "rise",
        "by what percentage did {A.name} increase from {B.at} to {A.at}?",
        "(A - B) / B * 100",
    ),
    (
        "fall",
        "by what percentage did {A.name} decrease from {A.at} to {B.at}?",
        "(A - B) / A * 100",
    ),
    ("rise", "by how much did {A.name} increase from {B.at} to {A.at}?", "A - B"),
    ("fall", "by how much did {A.name} decrease from {A.at} to {B.at}?", "A - B"),
    (
        "years",
        "what was the average of {A.name} over {A.at}, {B.at} and {C.at}?",
        "(A + B + C) / 3",
    ),
    ("share", "what percentage of {B.name} did {A.name} make up {A.when}?", "A / B * 100"),
    ("parts", "what was the combined amount of {A.name} and {B.name} {A.when}?", "A + B"),
    ("parts", "by how much did {A.name} exceed {B.name} {A.when}?", "A - B"),
)
_DEVELOP = (
    "how did {A.name} develop from {A.at} to {C.at}, and which of the two annual changes was "
    "larger in percent?"
)
_WHOLE = "{A.name} {whole.moved}, from {A.amount} to {C.amount}. The larger change was from "
_CHANGES = {
    "whole": "(C - A) / A * 100",
    "first": "(B - A) / A * 100",
    "second": "(C - B) / B * 100",
}
_RACE = (
    "which grew faster from {A.at} to {B.at}, {A.name} or {C.name}, and by what percentage did "
    "each grow?"
)
_GROWTHS = {"one": "(B - A) / A * 100", "other": "(D - C) / C * 100"}
_ANALYSES = (
    (
        "shift",
        "how did the share of {C.name} in {D.name} shift from {A.at} to {C.at}, and what explains "
        "the shift?",
        "The share {shift.turned} from {before} to {after}. {C.name} {own.moved} while {D.name} "
        "{whole.moved}.",
        {
            "before": "A / B * 100",
            "after": "C / D * 100",
            "shift": "C / D * 100 - A / B * 100",
            "own": "(C - A) / A * 100",
            "whole": "(D - B) / B * 100",
        },
    ),
    (
        "largest",
        "how concentrated was {C.name} {C.when}, judging by its two largest components?",
        "The largest component, {A.name}, made up {one} of the total. Together with {B.name} it "
        "made up {both}.",
        {"one": "A / C * 100", "both": "(A + B) / C * 100"},
    ),
    (
        "earlier",
        _DEVELOP,
        _WHOLE + "{A.at} to {B.at}, when it {first.moved}; then it {second.moved}.",
        _CHANGES,
    ),
    (
        "later",
        _DEVELOP,
        _WHOLE + "{B.at} to {C.at}, when it {second.moved}; before, it {first.moved}.",
        _CHANGES,
    ),
    ("race", _RACE, "{A.name} grew faster, by {one} against {other} for {C.name}.", _GROWTHS),
    ("lost race", _RACE, "{C.name} grew faster, by {other} against {one} for {A.name}.", _GROWTHS),
)
TEMPLATES = (
    Template(
        "warmup",
        "change",
        "how did {A.name} develop from {A.at} to {B.at}?",
        "{A.name} {x.moved}, from {A.amount} to {B.amount}.",
        {"x": "(B - A) / A * 100"},
    ),
    Template("easy", "cell", "what {A.what} is shown for {A.name} {A.when}?", "{A.amount}"),
    *(Template("medium", shape, asks, "{x}", {"x": sum_}) for shape, asks, sum_ in _CALCULATIONS),
    *(Template("hard", *analysis) for analysis in _ANALYSES),
)


@dataclass(frozen=True, slots=True)
class Draft:
    """One question with its answer."""

    template: Template
    question: str
    answer: str
    cells: tuple[Fact, ...]
    steps: str

    @property
    def calculation(self) -> str | None:
        """Return what gives the answer of a calculation, over the cells A, B, ..."""
        return self.template.values["x"] if self.template.level == "medium" else None


@dataclass(frozen=True, slots=True)
class _Result:
    value: Decimal
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def turned(self) -> str:
        return "rose" if self.value > 0 else "fell"

    @property
    def moved(self) -> str:
        return f"{self.turned} by {self.text.removeprefix('-')}"


def drafts_of(level: Level, context: str, company: str, year: str) -> Iterator[Draft]:
    """Draft all questions of a level that a snippet supports."""
    tables = tables_of(context, year)
    stated = [cell for table in tables for cell in table.grid.cells.values()]
    for table in tables:
        shown = _shown_in(tables, table)
        name = company_name(company)
        owner = f"{name}’s" if name else "the company’s"
        if level == "warmup":
            of_year = f" {year}" if year.isdigit() else ""
            lead = f"Reading {shown} in {owner}{of_year} annual report before a decision to insure:"
        else:
            lead = f"According to {shown} from {owner} annual report,"
        for shape, cells in _shapes(table):
            for template in TEMPLATES:
                if (template.level, template.shape) != (level, shape):
                    continue
                if draft := _filled(template, lead, cells, stated):
                    yield draft


def _filled(
    template: Template, lead: str, facts: tuple[Fact, ...], stated: Sequence[Cell]
) -> Draft | None:
    """Fill a template in, or return None if a result says nothing or stands in a cell."""
    cells = dict(zip("ABCD", facts, strict=False))
    results = {}
    for name, calculation in template.values.items():
        value = evaluate_expression(calculation, {k: f.value for k, f in cells.items()}, Decimal)
        is_percent = calculation.endswith("* 100")
        is_clear = is_clear_percent(value) if is_percent else facts[0].form.is_clear(value)
        if not is_clear or (is_percent and abs(value) > _MOST_PERCENT):
            return None
        text = percent(value) if is_percent else facts[0].form.write(value)
        results[name] = _Result(value, text)
        if template.level == "medium":
            quantities = {name: of_cell(fact.cell) for name, fact in cells.items()}
            result = evaluate_expression(calculation, quantities, literal)
            if is_stated(result, stated) or is_stated(-result, stated):
                return None
    said = [f"{name} = {fact.name} {fact.when}: {fact.amount}" for name, fact in cells.items()]
    done = [f"{template.values[name]} = {result}" for name, result in results.items()]
    question = f"{lead} {template.question.format(**cells)}"
    answer = template.answer.format(**cells, **results)
    return Draft(template, question, answer, facts, "; ".join([*said, *done]) + ".")


# --- shapes --------------------------------------------------------------------------------


def _shapes(table: Table) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """Yield the sets of cells that templates ask about, in the order A, B, ..."""
    for fact in table.facts.values():
        yield "cell", (fact,)
    changes = []
    for row in sorted({r for r, _ in table.facts}):
        facts = [fact for fact in table.row(row) if fact.form.after != "%" and fact.value > 0]
        for early, late in pairwise(facts):
            if _is_next(early, late) and early.value != late.value:
                changes.append((early, late))
                yield "change", (early, late)
                is_rise = late.value > early.value
                yield ("rise", (late, early)) if is_rise else ("fall", (early, late))
        for a, b, c in zip(facts, facts[1:], facts[2:], strict=False):
            if _is_next(a, b) and _is_next(b, c):
                yield "years", (a, b, c)
                gap = abs(_growth(a, b)) - abs(_growth(b, c))
                if abs(gap) >= _LEAST_GAP:
                    yield "earlier" if gap > 0 else "later", (a, b, c)
    for (a, b), (c, d) in combinations(changes, 2):
        gap = _growth(a, b) - _growth(c, d)
        is_alike = (a.column, b.column, a.form) == (c.column, d.column, c.form)
        is_growth = min(_growth(a, b), _growth(c, d)) > 0 and abs(gap) >= _LEAST_GAP
        if is_alike and is_growth:
            yield "race" if gap > 0 else "lost race", (a, b, c, d)
    for whole, rows in table.sums.items():
        yield from _shapes_of_sum(table, whole, rows)


def _shapes_of_sum(
    table: Table, whole: int, of: tuple[int, ...]
) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    before: dict[int, Fact] = {}  # the same rows of the column before
    columns = sorted({(fact.column.year or 0, c) for (_, c), fact in table.facts.items()})
    for _, c in columns:
        values = [table.grid.cells[r, c].value for r in of if (r, c) in table.grid.cells]
        if min(values, default=Decimal(-1)) < 0:
            continue  # a part that is taken off has no share
        rows = {r: table.facts[r, c] for r in (*of, whole) if (r, c) in table.facts}
        total = rows.pop(whole, None)
        parts = sorted(rows.values(), key=lambda fact: -fact.value)
        for more, less in combinations(parts, 2):
            if more.form == less.form and more.value != less.value:
                yield "parts", (more, less)
        if (
            total is None
            or not table.is_total(whole)
            or {part.form for part in parts} != {total.form}
        ):
            continue
        for r, part in rows.items():
            yield "share", (part, total)
            if r in before and whole in before and _is_next(before[r], part):
                yield "shift", (before[r], before[whole], part, total)
        if len(parts) == len(of) >= 3 and parts[1].value != parts[2].value:
            yield "largest", (parts[0], parts[1], total)
        before = {**rows, whole: total}


def _is_next(early: Fact, late: Fact) -> bool:
    """Check whether two facts are of successive years, and written alike."""
    first, last = early.column.year, late.column.year
    return bool(first and last and last - first == 1) and early.form == late.form


def _growth(early: Fact, late: Fact) -> Decimal:
    return 100 * (late.value - early.value) / early.value


# --- words ---------------------------------------------------------------------------------


def _shown_in(tables: Sequence[Table], table: Table) -> str:
    """Say which table is meant: by the words before it if they are its own, else by its place."""
    if len(tables) == 1:
        return "the table"
    titles = [_title(each.sheet.pre_text) for each in tables]
    place = tables.index(table)
    if titles[place] and titles.count(titles[place]) == 1:
        return f"the table under “{titles[place]}”"
    return f"the {PLACES[place]} table" if place < len(PLACES) else f"table {place + 1}"


def _title(text: str) -> str:
    """Return the words before a table without scale and colon, or "" if they are none to quote."""
    title = _SCALE_BEHIND.sub("", text.strip()).rstrip(" :,")
    is_short = 2 <= len(title.split()) <= _MOST_TITLE
    is_title = is_short and _IS_TITLE.fullmatch(title)
    return title if is_title and term_set(title) else ""  # dates alone are no title
