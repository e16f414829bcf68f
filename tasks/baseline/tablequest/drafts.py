"""Questions of each level that a table supports, with the cells and arithmetic that prove them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, pairwise

from tasks.baseline.phrases import capitalised
from tasks.baseline.tablequest.amounts import is_clear_percent, percent
from tasks.baseline.tablequest.facts import Fact, Sum, Table
from tasks.suites.shared.tables.cells import Cell
from tasks.suites.shared.tables.words import term_set

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_MOST_TITLE = 14  # words
_SCALE_BEHIND = re.compile(r"\s*\([^()]*\)\s*:?\Z")
_IS_TITLE = re.compile(r"[A-Z][^“”\"]*[^\W\d_]{3}[^“”\"]*[\w)]")
_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SUFFIX = re.compile(r"\s*/[A-Z]{2,3}/?\Z")
_LEGAL = re.compile(r"\b(?:Inc|Incorporated|Corp|Corporation|L\.?P|LLC|Ltd|plc)\b", re.IGNORECASE)
_MOST_COMPANY = 50
# Rows whose growth can be compared.
_FAMILIES = tuple(
    re.compile(rf"\b(?:{heads})\b", re.IGNORECASE)
    for heads in (
        "revenues?|sales|income|expenses?|costs?|profit|margin|earnings",
        "assets|liabilities|equity|debt|loans|deposits|receivables?|inventor(?:y|ies)|payables?",
    )
)
_LARGE_CHANGE = 300  # percent: of a base that was nearly nothing


@dataclass(frozen=True, slots=True)
class Draft:
    """One question with its answer."""

    question: str
    answer: str
    cells: tuple[Fact, ...]
    steps: str = ""
    calculation: str | None = None  # over the cells, named A, B, ...

    @property
    def kind(self) -> str:
        """Tell calculations and analyses apart."""
        return f"{self.calculation} {len(self.cells)}"

    @property
    def is_plain(self) -> bool:
        """Whether all rows are named by noun phrases."""
        return all(fact.is_plain for fact in self.cells)


def warmup_drafts(tables: Sequence[Table], company: str, year: str) -> Iterator[Draft]:
    """Draft what an underwriter asks first: how a figure developed."""
    of_year = f" {year}" if year.isdigit() else ""
    for table in tables:
        for early, late in _changes(table):
            change = _change(early, late)
            if not is_clear_percent(change):
                continue
            frame = _Frame.of(tables, table, company, year, late)
            report = f"{_owner(company)}{of_year} annual report"
            if not frame.owner:
                report = f"{_shown_in(tables, table)} in {report}"
            question = (
                f"Reading {report} before a decision to insure: how did {late.named} develop "
                f"from {early.period.name} to {late.period.name}?"
            )
            answer = (
                f"{capitalised(late.named)} {_moved(change)} by {percent(abs(change))}, from "
                f"{early.amount} {early.period.when} to {late.amount} {late.period.when}."
            )
            yield Draft(question, answer, (early, late))


def easy_drafts(tables: Sequence[Table], company: str, year: str) -> Iterator[Draft]:
    """Draft questions for one cell."""
    for table in tables:
        for fact in table.facts.values():
            frame = _Frame.of(tables, table, company, year, fact)
            if frame.owner:
                asked = f"what {fact.verb} {frame.owner} {fact.name} {fact.period.when}?"
            else:
                what = {"%": "percentage", " shares": "number"}.get(fact.form.after, "amount")
                what = "figure" if what in fact.name else what
                row = fact.named if fact.is_plain else fact.name
                asked = f"what {what} was reported for {row} {fact.period.when}?"
            yield Draft(frame.ask(asked), fact.amount, (fact,))


def medium_drafts(tables: Sequence[Table], company: str, year: str) -> Iterator[Draft]:
    """Draft questions for a calculation whose result is in no cell."""
    stated = [cell for table in tables for cell in table.grid.cells.values()]
    for table in tables:
        for draft, value in _calculated(tables, table, company, year):
            if not any(_states(cell, value) for cell in stated):
                yield draft


def _states(cell: Cell, value: Decimal) -> bool:
    """Check whether a cell already states a result, whatever its sign."""
    gap = abs(abs(cell.value) - abs(value))
    return gap * 2 <= Decimal(1).scaleb(-min(cell.decimals, 1))


def hard_drafts(tables: Sequence[Table], company: str, year: str) -> Iterator[Draft]:
    """Draft questions whose answer says something about at least three figures."""
    for table in tables:
        for each in filter(table.is_total, table.sums):
            yield from _shares_that_shift(tables, table, each, company, year)
            yield from _compositions(tables, table, each, company, year)
        for r in table.rows:
            yield from _trends(tables, table, table.row(r), company, year)
        yield from _races(tables, table, company, year)


# --- calculations --------------------------------------------------------------------------


def _calculated(
    tables: Sequence[Table], table: Table, company: str, year: str
) -> Iterator[tuple[Draft, Decimal]]:
    for early, late in _changes(table):
        frame = _Frame.of(tables, table, company, year, late)
        subject, change = frame.subject(late), _change(early, late)
        span = f"from {early.period.name} to {late.period.name}"
        did = "increase" if change > 0 else "decrease"
        above, below = (late, early) if change > 0 else (early, late)
        cells, base = (above, below), "B" if change > 0 else "A"
        if is_clear_percent(change):
            question = frame.ask(f"by what percentage did {subject} {did} {span}?")
            yield _proved(question, percent(abs(change)), cells, f"(A - B) / {base} * 100"), change
        gap = above.value - below.value
        question = frame.ask(f"by how much did {subject} {did} {span}?")
        yield _proved(question, late.form.write(gap), cells, "A - B"), gap
    for r in table.rows:
        facts = [fact for fact in table.row(r) if _is_amount(fact) and not fact.period.is_date]
        facts = _same_form([fact for fact in facts if fact.period.name])[-3:]
        is_positive = min((fact.value for fact in facts), default=Decimal(0)) > 0
        if len(facts) == 3 and is_positive and "average" not in facts[0].name:
            mean = sum((fact.value for fact in facts), Decimal(0)) / 3
            frame = _Frame.of(tables, table, company, year, facts[0])
            names = [fact.period.name for fact in facts]
            subject = frame.subject(facts[0])
            of = subject.removeprefix("the ") if subject.startswith("the amount for") else ""
            average = f"average {of}" if of else f"average of {subject}"
            question = frame.ask(f"what was the {average} over {_listed(names)}?")
            if facts[0].form.is_clear(mean):
                draft = _proved(question, facts[0].form.write(mean), facts, "(A + B + C) / 3")
                yield draft, mean
    for each in table.sums:
        yield from _of_parts(tables, table, each, company, year)


def _of_parts(
    tables: Sequence[Table], table: Table, each: Sum, company: str, year: str
) -> Iterator[tuple[Draft, Decimal]]:
    for total, parts in _columns(table, each):
        frame = _Frame.of(tables, table, company, year, total or parts[0])
        when = (total or parts[0]).period.when
        if total and table.is_total(each):
            for part in parts:
                share = 100 * part.value / total.value
                whole, name = frame.part(total), _part(part)
                question = frame.ask(f"what percentage of {whole} did {name} account for {when}?")
                if is_clear_percent(share):
                    yield _proved(question, percent(share), (part, total), "A / B * 100"), share
        for one, other in combinations(parts, 2):
            if one.is_plain != other.is_plain or one.form != other.form or _joins_badly(one, other):
                continue
            frame = _Frame.of(tables, table, company, year, one)
            suffix = f" {one.name.partition('” ')[2]}".rstrip()  # both are of one sum
            if len(each.parts) >= 3:
                value = one.value + other.value
                pair = f"{frame.part(one)} and {_part(other)}{suffix}"
                question = frame.ask(f"what was the combined amount of {pair} {when}?")
                yield _proved(question, one.form.write(value), (one, other), "A + B"), value
            more, less = sorted((one, other), key=lambda fact: -fact.value)
            gap = more.value - less.value
            pair = f"{frame.part(more)} exceed {_part(less)}{suffix}"
            question = frame.ask(f"by how much did {pair} {when}?")
            if gap:
                yield _proved(question, one.form.write(gap), (more, less), "A - B"), gap


def _joins_badly(one: Fact, other: Fact) -> bool:
    """Check whether `and` between two names would be misread: `interest, net and sales`."""
    return any(fact.is_plain and re.search(r",|\b(?:and|or)\b", fact.name) for fact in (one, other))


def _proved(question: str, answer: str, cells: Sequence[Fact], calculation: str) -> Draft:
    """Make a draft whose steps name the cells and the calculation."""
    named = [
        f"{letter} = {fact.name} {fact.period.when}: {fact.amount}"
        for letter, fact in zip(_NAMES, cells, strict=False)
    ]
    steps = f"{'; '.join(named)}. Then {calculation} = {answer}."
    return Draft(question, answer, tuple(cells), steps, calculation)


# --- analysis ------------------------------------------------------------------------------


def _shares_that_shift(
    tables: Sequence[Table], table: Table, each: Sum, company: str, year: str
) -> Iterator[Draft]:
    columns = [
        (total, parts) for total, parts in _columns(table, each) if total and total.period.name
    ]
    columns.sort(key=lambda column: column[0].period.year or 0 if column[0] else 0)
    for (old_total, old_parts), (total, parts) in pairwise(columns):
        if old_total is None or total is None:
            continue
        for part in parts:
            old = next((fact for fact in old_parts if fact.cell.row == part.cell.row), None)
            if old is None or old.form != part.form:
                continue
            before, after = 100 * old.value / old_total.value, 100 * part.value / total.value
            own, whole = _change(old, part), _change(old_total, total)
            is_clear = all(map(is_clear_percent, (before, after, own, whole)))
            if not is_clear or abs(after - before) < 1 or abs(own) > _LARGE_CHANGE:
                continue
            frame = _Frame.of(tables, table, company, year, total)
            name, of = _part(part), frame.part(total)
            question = frame.ask(
                f"how did the share of {name} in {of} shift from {old.period.name} to "
                f"{part.period.name}, and what explains the shift?"
            )
            answer = (
                f"Its share {_moved(after - before)} from {percent(before)} to {percent(after)}. "
                f"The amount {_moved(own)} by {percent(abs(own))} while {total.named} "
                f"{_moved(whole)} by {percent(abs(whole))}."
            )
            steps = (
                f"Shares: {old.amount} of {old_total.amount} is {percent(before)}, and "
                f"{part.amount} of {total.amount} is {percent(after)}. Then compare the changes."
            )
            yield Draft(question, answer, (old, old_total, part, total), steps)


def _compositions(
    tables: Sequence[Table], table: Table, each: Sum, company: str, year: str
) -> Iterator[Draft]:
    for total, parts in _columns(table, each):
        if total is None or len(parts) < 3 or len(parts) < len(each.parts):
            continue
        first, second, third = sorted(parts, key=lambda fact: -fact.value)[:3]
        share = 100 * first.value / total.value
        both = 100 * (first.value + second.value) / total.value
        if second.value == third.value or not all(map(is_clear_percent, (share, both))):
            continue
        frame = _Frame.of(tables, table, company, year, total)
        question = frame.ask(
            f"how concentrated {total.verb} {frame.subject(total)} {total.period.when}, judging by "
            "the two largest components?"
        )
        answer = (
            f"The largest component, {_part(first)}, made up {percent(share)} of the total. "
            f"Together with {_part(second)} it made up {percent(both)}."
        )
        steps = (
            f"The largest components are {first.amount} and {second.amount}, of {total.amount} "
            "in total."
        )
        yield Draft(question, answer, (first, second, total), steps)


def _trends(
    tables: Sequence[Table], table: Table, row: Sequence[Fact], company: str, year: str
) -> Iterator[Draft]:
    facts = _same_form([fact for fact in row if fact.period.name and _is_amount(fact)])[-3:]
    if len(facts) < 3 or min(fact.value for fact in facts) <= 0:
        return
    first, middle, last = facts
    if [(fact.period.year or 0) - (first.period.year or 0) for fact in facts] != [0, 1, 2]:
        return
    one, two, whole = _change(first, middle), _change(middle, last), _change(first, last)
    is_clear = all(map(is_clear_percent, (one, two, whole)))
    if not is_clear or abs(abs(one) - abs(two)) < 1 or max(abs(one), abs(two)) > _LARGE_CHANGE:
        return
    frame = _Frame.of(tables, table, company, year, last)
    question = frame.ask(
        f"how did {frame.subject(last)} develop from {first.period.name} to {last.period.name}, "
        "and which of the two annual changes was larger in percent?"
    )
    larger, smaller = (two, one) if abs(two) > abs(one) else (one, two)
    when, other = (last, middle) if larger is two else (middle, last)
    answer = (
        f"{capitalised(last.named)} {_moved(whole)} by {percent(abs(whole))}, from {first.amount} "
        f"{first.period.when} to {last.amount} {last.period.when}. The larger change was the "
        f"{_noun(larger)} of {percent(abs(larger))} to {when.period.name}; the other was "
        f"{_a(_noun(smaller))} of {percent(abs(smaller))} to {other.period.name}."
    )
    steps = (
        f"{first.period.name}: {first.amount}; {middle.period.name}: {middle.amount}; "
        f"{last.period.name}: {last.amount}. Compare each year with the one before."
    )
    yield Draft(question, answer, (first, middle, last), steps)


def _races(tables: Sequence[Table], table: Table, company: str, year: str) -> Iterator[Draft]:
    changes = [
        (early, late, _change(early, late))
        for early, late in _changes(table)
        if late.is_plain and table.is_of_company and is_clear_percent(_change(early, late))
    ]
    for (early, one, change), (old, other, change2) in combinations(changes, 2):
        is_alike = one.period == other.period and early.period == old.period
        is_alike = is_alike and one.form == other.form
        if not is_alike or one.cell.row == other.cell.row or abs(change - change2) < 2:
            continue
        is_family = any(p.search(one.name) and p.search(other.name) for p in _FAMILIES)
        if not is_family or _joins_badly(one, other):
            continue
        if min(change, change2) <= 0 or max(change, change2) > _LARGE_CHANGE:
            continue
        frame = _Frame.of(tables, table, company, year, one)
        ahead, behind = (one, other) if change > change2 else (other, one)
        most, least = max(change, change2), min(change, change2)
        question = frame.ask(
            f"which grew faster from {early.period.name} to {one.period.name}, "
            f"{frame.subject(one)} or {other.named}, and by what percentage did each grow?"
        )
        answer = (
            f"{capitalised(ahead.named)} grew faster, by {percent(most)} against {percent(least)} "
            f"for {behind.named}."
        )
        steps = (
            f"{one.name}: {early.amount} to {one.amount}; {other.name}: {old.amount} to "
            f"{other.amount}."
        )
        yield Draft(question, answer, (early, one, old, other), steps)


# --- words ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """What says whose figures a question is about: `According to the second table, ...`."""

    lead: str
    owner: str  # `Alphabet Inc.'s`, if the table's figures are the company's

    @classmethod
    def of(
        cls, tables: Sequence[Table], table: Table, company: str, year: str, fact: Fact
    ) -> _Frame:
        is_clear = fact.is_plain and fact.period.name and not _is_elsewhere(tables, table, fact)
        if table.is_of_company and is_clear:
            return cls("", _owner(company))
        of_year = f" for {year}" if year.isdigit() and fact.period.year is None else ""
        source = f" from {_owner(company)} annual report{of_year}" if _clean(company) else ""
        return cls(f"According to {_shown_in(tables, table)}{source}, ", "")

    def ask(self, question: str) -> str:
        return self.lead + question if self.lead else capitalised(question)

    def part(self, fact: Fact) -> str:
        return f"{self.owner} {fact.name}" if self.owner and fact.is_plain else _part(fact)

    def subject(self, fact: Fact) -> str:
        return f"{self.owner} {fact.name}" if self.owner else fact.named


def _shown_in(tables: Sequence[Table], table: Table) -> str:
    """Say which table is meant: by the words before it if they are its own, else by its place."""
    if len(tables) == 1:
        return "the table"
    titles = [_title(each.sheet.pre_text) for each in tables]
    place = tables.index(table)
    if titles[place] and titles.count(titles[place]) == 1:
        return f"the table under “{titles[place]}”"
    return f"the {_PLACES[place]} table" if place < len(_PLACES) else f"table {place + 1}"


def _title(text: str) -> str:
    """Return the words before a table without scale and colon, or "" if they are none to quote."""
    title = _SCALE_BEHIND.sub("", text.strip()).rstrip(" :,")
    is_short = 2 <= len(title.split()) <= _MOST_TITLE
    is_title = is_short and _IS_TITLE.fullmatch(title)
    return title if is_title and term_set(title) else ""  # dates alone are no title


def _is_elsewhere(tables: Sequence[Table], table: Table, fact: Fact) -> bool:
    """Check whether another table has the row with another amount."""
    return any(
        other.name == fact.name and other.period.year == fact.period.year
        for each in tables
        if each is not table
        for other in each.facts.values()
        if other.value != fact.value
    )


def _owner(company: str) -> str:
    """Write the company in the possessive."""
    return f"{_clean(company)}’s" if _clean(company) else "the company’s"


def _clean(company: str) -> str:
    """Write a company's name as in a sentence, or "" if it may be two names."""
    name = _SUFFIX.sub("", " ".join(company.split()))
    if len(name) > _MOST_COMPANY or len(_LEGAL.findall(name)) > 1:
        return ""
    if name.isupper():
        name = " ".join(
            word.capitalize() if len(word) > 3 or _LEGAL.match(word) or word == "CO" else word
            for word in name.split()
        )
    return name


def _part(fact: Fact) -> str:
    """Name a row beside what it is a part of."""
    return fact.named if fact.is_plain else fact.name.partition("” ")[0].rstrip("”") + "”"


def _listed(names: Sequence[str]) -> str:
    many = [name.replace("the year ended ", "") for name in names]
    listed = f"{', '.join(many[:-1])} and {many[-1]}"
    return listed if many == [*names] else f"the years ended {listed}"


def _moved(change: Decimal) -> str:
    return "rose" if change > 0 else "fell"


def _noun(change: Decimal) -> str:
    return "increase" if change > 0 else "decrease"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


# --- rows ----------------------------------------------------------------------------------


def _changes(table: Table) -> Iterator[tuple[Fact, Fact]]:
    """Yield each row's amounts of two successive periods, if both are positive and differ."""
    for r in table.rows:
        facts = [fact for fact in table.row(r) if fact.period.name and _is_amount(fact)]
        for early, late in pairwise(facts):
            is_next = (late.period.year or 0) - (early.period.year or 0) == 1
            is_alike = early.form == late.form and early.period.is_date == late.period.is_date
            is_large = early.value > 0 and abs(_change(early, late)) > _LARGE_CHANGE
            is_positive = min(early.value, late.value) > 0 and early.value != late.value
            if is_next and is_alike and is_positive and not is_large:
                yield early, late


def _change(early: Fact, late: Fact) -> Decimal:
    return 100 * (late.value - early.value) / early.value


def _is_amount(fact: Fact) -> bool:
    return fact.form.after != "%"


def _same_form(facts: Iterable[Fact]) -> list[Fact]:
    kept = list(facts)
    return [fact for fact in kept if fact.form == kept[-1].form]


def _columns(table: Table, each: Sum) -> Iterator[tuple[Fact | None, list[Fact]]]:
    """Yield a sum's total, if it can be named, and its parts, for columns without minus."""
    for c in sorted({column for _, column in table.facts}):
        cells = [table.grid.cells.get((r, c)) for r in each.parts]
        if any(cell is not None and cell.value < 0 for cell in cells):
            continue
        parts = [table.facts[r, c] for r in each.parts if (r, c) in table.facts]
        if parts:
            yield table.facts.get((each.total, c)), parts
