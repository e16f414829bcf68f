"""Requests that table cells answer: figures, changes over time, tables and notes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from tasks.baseline.failsafeqa.drafts import Draft, is_many
from tasks.baseline.failsafeqa.labels import heading_of
from tasks.quantities.text_tables import Table, TableRow
from tasks.suites.shared.phrases import capitalised, in_running_text
from tasks.suites.shared.stated_cells import StatedCell

_Measure = tuple[str, Sequence[StatedCell], int]  # subject, cells, place
_MEASURES_OF_A_TEXT = 3
# A negative figure of another label is one that the table deducts, and no negative amount: among
# expenses, interest income is in brackets; "interest (expense)" is an expense, whatever its sign.
_MAY_BE_NEGATIVE = re.compile(
    r"\b(?:loss|deficit|profit|margin|equity|net cash|cash flows?|in cash|working capital|change)\b"
    r"|\b(?:net|operating|comprehensive) (?:income|earnings)\b"
    r"|\bincome\b(?! tax)[^()]*\(expenses?\)|\(expenses?\) income\b(?! tax)"
    r"|\b(?:income|earnings) (?:before|from)\b",
    re.I,
)
# These are negative by their name: minus a loss would be a gain, and minus an expense an income.
_IS_NEGATIVE = re.compile(
    r"\b(?:loss(?:es)?|deficit|used|decrease|gains?|expenditures|unearned|benefit|expenses?|costs?"
    r"|provision)\b",
    re.I,
)
# In a statement of cash flows these are changes of a balance, not the balance.
_ACTIVITIES = re.compile(r"\b(?:operating|investing|financing) activities", re.IGNORECASE)
_BALANCE = re.compile(
    r"\b(?:payables?|receivables?|inventor(?:y|ies)|accrued|prepaid|deferred|assets|liabilities)\b",
    re.IGNORECASE,
)
# What is made over a year has no value on its last day, whatever the column says; nor has any other
# row of its table.
_OF_A_YEAR = re.compile(r"\b(?:sales|revenues?|income|expenses?|costs?|profit|earnings)\b", re.I)
_KEPT = re.compile(
    r"\b(?:accumulated|comprehensive|retained|unearned|refundable|tax(?:es)?)\b", re.I
)
# Rows of these tables are parts of a tax or of a tax rate, and labelled as something else.
_PARTS_OF_TAX = re.compile(
    r"\bstatutory\b|\b(?:total|gross|net) deferred tax|valuation allow", re.I
)
_EXPLAINS_TAX = re.compile(
    r"\btax\b[^.]*\b(?:differ|reconcil)|\breconcil[^.]*\btax\b|\bdeferred (?:income )?tax",
    re.IGNORECASE | re.DOTALL,
)
# Tables of a plan, of assumptions, or pro forma: a label must say so, else it names another figure.
_OF_A_PLAN = re.compile(
    r"\b(?:pensions?|retire(?:ment|es)|postretirement|benefit (?:plans?|costs?|obligations?)"
    r"|pro forma|plan assets|(?:stock|of|these) options|options granted|assumptions)\b",
    re.IGNORECASE,
)
# Rows of these sections are changes of a balance, numbers of shares, or cash paid for something;
# those that close a section are not.
_OTHER_KIND = re.compile(
    r"\bchanges? in\b|\bdilutive\b|\bdenominator\b|\bcash paid\b|\bpa(?:id|yments)\b.*\bfor\Z",
    re.IGNORECASE,
)
# Rows of a table on other comprehensive income are parts of it.
_COMPREHENSIVE = re.compile(r"(?<!accumulated )\b(?:other|total) comprehensive\b", re.I)
_CLOSES = re.compile(r"\A(?:net|total)\b|\bcomprehensive\b", re.I)
# What may be a percentage itself; another label's percentage is a share of something unsaid.
_IS_RATE = re.compile(
    r"%|\b(?:percent(?:age)?|rates?|ratios?|margins?|yields?|returns?|changes?|growth|turnover|share|to|as)\b",
    re.I,
)
# A number in dollars, or of fewer than ten thousand shares: the table's scale is of something else.
_COUNTS = re.compile(r"\b(?:number|(?<!per )ton[- ]miles)\b", re.IGNORECASE)
_SHARES = re.compile(r"\bshares\b", re.IGNORECASE)
_FEW = re.compile(r"[\d.,]{1,5}")
_NOTHING = re.compile(r"\$?0(?![.\d])")  # mostly a dash in the table
_CAPITAL_BEFORE_BRACKETS = re.compile(r"\A[A-Z][a-z]+(?=/\()")
_CAPITAL_IN_BRACKETS = re.compile(r"\([A-Z][a-z]+\)")


def cell_drafts(
    table: Table,
    rows: Iterable[tuple[TableRow, Sequence[StatedCell]]],
    lower_words: frozenset[str],
) -> Iterator[Draft]:
    """Draft the exchanges that a table supports: on `rows` and columns without ambiguity."""
    measures: list[_Measure] = []
    is_of_tax = _EXPLAINS_TAX.search(table.caption)
    if is_of_tax or any(_PARTS_OF_TAX.search(row.label) for row in table.rows):
        return
    are_of_a_year = any(_is_of_a_year(row.label) for row in table.rows)
    is_of_plan = _OF_A_PLAN.search(table.caption)
    are_flows = any(_ACTIVITIES.search(row.label) for row in table.rows)
    components_from = _components_from(table)
    for row, cells in rows:
        are_mixed = len({cell.value.endswith("%") for cell in cells}) > 1
        if (
            are_mixed
            or (are_flows and _BALANCE.search(row.label))
            or (_OTHER_KIND.search(row.section) and not _CLOSES.search(row.label))
            or (row.start_char >= components_from and not _CLOSES.search(row.label))
            or (is_of_plan and not _OF_A_PLAN.search(row.label))
            or (cells and cells[0].value.endswith("%") and not _IS_RATE.search(row.label))
        ):
            continue
        unsigned = re.sub(r"\([^()]*\)", "", row.label)
        # An adjustment of cash flows has the sign of its effect on cash, not its own.
        may_be_negative = (
            _MAY_BE_NEGATIVE.search(row.label)
            and not _IS_NEGATIVE.search(unsigned)
            and not (are_flows and not _CLOSES.search(row.label))
        )
        stated = [
            cell
            for cell in cells
            if (may_be_negative or not cell.value.startswith("-"))
            and not (are_of_a_year and cell.time.startswith("as of"))
            and not _NOTHING.match(cell.value)
            and not _is_share_of_another(row.values, cell)
            and not (_COUNTS.search(row.label) and cell.value.startswith("$"))
            and not (_SHARES.search(row.label) and _FEW.fullmatch(cell.value))
        ]
        subject = in_running_text(row.label, lower_words)
        subject = _CAPITAL_BEFORE_BRACKETS.sub(lambda found: found.group().lower(), subject)
        subject = _CAPITAL_IN_BRACKETS.sub(lambda found: found.group().lower(), subject)
        if re.match(r"other [A-Z]", subject):
            continue  # `Other Bets revenues` may be the revenues of Other Bets
        for cell in stated:
            yield Draft(f"{subject} {cell.time}", _value(subject, cell), row.start_char, "qa")
        if len(stated) >= 2:
            measures.append((subject, stated, row.start_char))
            if stated[0].value != stated[1].value:
                early, late = _early_and_late(stated)
                query = f"how did {subject} change from {early.year} to {late.year}"
                yield Draft(query, _change(subject, stated), row.start_char, "qa")
    yield from _texts(measures)


def _components_from(table: Table) -> float:
    """Return where rows begin that are components of an item that only the heading names."""
    if _COMPREHENSIVE.search(heading_of(table)):
        return table.start_char
    return next(
        (
            row.start_char
            for row in table.rows
            if _COMPREHENSIVE.search(f"{row.section} {row.label}")
        ),
        math.inf,
    )


def _is_of_a_year(label: str) -> bool:
    return bool(_OF_A_YEAR.search(label)) and not (_BALANCE.search(label) or _KEPT.search(label))


def _is_share_of_another(values: Sequence[str], cell: StatedCell) -> bool:
    """Check whether a value is taken for a share only because others of its row are shares."""
    has_sign = ["%" in value for value in values]
    return cell.value.endswith("%") and any(has_sign) and not has_sign[cell.column]


def _value(subject: str, cell: StatedCell) -> str:
    verb = "were" if is_many(subject) or is_many(subject.partition(" and ")[0]) else "was"
    return f"{capitalised(subject)} {verb} {cell.value} {cell.time}."


def _early_and_late(stated: Sequence[StatedCell]) -> tuple[StatedCell, StatedCell]:
    early, late = sorted(stated[:2], key=lambda cell: cell.year)
    return early, late


def _change(subject: str, stated: Sequence[StatedCell]) -> str:
    early, late = _early_and_late(stated)
    if early.value == late.value:
        return f"{capitalised(subject)} stayed at {late.value} from {early.year} to {late.year}."
    return (
        f"{capitalised(subject)} went from {early.value} {early.time} to {late.value} {late.time}."
    )


def _texts(measures: Sequence[_Measure]) -> Iterator[Draft]:
    """Draft texts on three neighbouring measures of the same years: every fact is a cell."""
    for start in range(0, len(measures) - _MEASURES_OF_A_TEXT + 1):
        some = measures[start : start + _MEASURES_OF_A_TEXT]
        years = [tuple(cell.time for cell in stated) for _, stated, _ in some]
        if len(set(years)) > 1 or len({subject for subject, _, _ in some}) < len(some):
            continue
        subjects = [subject for subject, _, _ in some]
        # Labels with commas of their own would run into each other.
        mark = ";" if any(re.search(r",|\band\b", subject) for subject in subjects) else ","
        named = f"{f'{mark} '.join(subjects[:-1])}{';' if mark == ';' else ''} and {subjects[-1]}"
        early, late = _early_and_late(some[0][1])
        span = f"from {early.year} to {late.year}"
        said = [_change(subject, stated) for subject, stated, _ in some]
        place = some[0][2]
        listed = "\n".join(f"- {one}" for one in said)
        for query, answer in (
            (f"create an html table of our {named} for {early.year} and {late.year}", _html(some)),
            (f"write a short note on how our {named} changed {span}", " ".join(said)),
            (f"list as bullet points how our {named} changed {span}", listed),
        ):
            yield Draft(query, answer, place, "tg")


def _html(measures: Sequence[_Measure]) -> str:
    ordered = [(subject, _early_and_late(stated)) for subject, stated, _ in measures]
    head = "".join(
        f"<th>{cell.time.removeprefix('in ').removeprefix('as of ')}</th>" for cell in ordered[0][1]
    )
    rows = "\n".join(
        f"<tr><td>{capitalised(subject)}</td>"
        f"{''.join(f'<td>{cell.value}</td>' for cell in cells)}</tr>"
        for subject, cells in ordered
    )
    return f"<table>\n<tr><th></th>{head}</tr>\n{rows}\n</table>"
