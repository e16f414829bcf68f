"""Figures of a table that its lead-in calls another's: a subsidiary's, a segment's, a customer's.

"Ford Credit's finance receivables were as follows" makes a cell no figure of Ford Motor.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import find_tables, stated_value
from tasks.suites.failsafeqa.questions.subject import names_company
from tasks.text.terms import words

_BEFORE = 500  # characters before a table's first row that may introduce it
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z*(])")
_NAME = r"((?:[A-Z][\w&-]*\s(?:of\s)?){0,4}[A-Z][\w&-]*)"
_OWNER = re.compile(
    rf"\b{_NAME}(?:['’]s|(?<=s)['’])(?=\s)"
    rf"|\bfinancial (?:information|data|position|results) (?:for|of) {_NAME}"
)
# What reports call themselves and their people, which is nobody else.
_OWN = words("""
    the our company companies registrant corporation trust partnership partnerships fund group bank
    issuer firm association organization management board parent
""")
_PEOPLE = words("""
    stockholders shareholders shareowners unitholders partners auditor auditors directors officers
    employees participants
""")


def other_owner(context: str, query: str, answer: str, company: str) -> str | None:
    """Return whose an answer's figure is if only another's tables state it, or None.

    None also if the query names that owner.
    """
    tables, prose = _stated(context)
    for figure in find_figures(answer):
        if figure.unit == "year" or any(_states(other, figure) for other in prose):
            continue
        owners = {
            owner for owner, figures in tables if any(_states(other, figure) for other in figures)
        }
        if owners and not any(owner is None or _is_same(owner, company) for owner in owners):
            owner = min(str(owner) for owner in owners)
            if owner.lower() not in query.lower():
                return owner
    return None


def _states(stated: Figure, figure: Figure) -> bool:
    """Check that a figure is the same, and not only rounded to another's size."""
    is_exact = stated.decimals >= figure.decimals or abs(stated.value) == abs(figure.value)
    return is_exact and same_figure(figure, stated)


def _is_same(owner: str, company: str) -> bool:
    parts = set(re.findall(r"[\w&-]+", owner.lower())) - _OWN
    if parts <= set(re.findall(r"[\w&-]+", company.lower())):
        return True  # Disney of Walt Disney; Ford Credit has a word more than Ford Motor
    return len(parts) == 1 and names_company(owner, company)


@lru_cache(maxsize=4)  # a context's answers come together
def _stated(
    context: str,
) -> tuple[tuple[tuple[str | None, tuple[Figure, ...]], ...], tuple[Figure, ...]]:
    """Return each table's owner and figures, and the figures of the prose."""
    found = []
    prose = context
    for table in find_tables(context):
        blank = " " * (table.end_char - table.start_char)
        prose = prose[: table.start_char] + blank + prose[table.end_char :]
        values = [
            stated_value(table, row, column)
            for row in table.rows
            for column in range(len(row.values))
        ]
        figures = tuple(figure for value in values for figure in find_figures(value or ""))
        first = table.rows[0].start_char
        found.append((_owner(context[max(0, first - _BEFORE) : first]), figures))
    return tuple(found), tuple(find_figures(prose))


def _owner(before: str) -> str | None:
    """Find the last owner that a table's lead-in names; None if it is the company itself."""
    lead_in = _SENTENCE_END.split(" ".join(before.split()))[-1]
    for names in reversed(_OWNER.findall(lead_in)):
        kept = re.sub(r"\A(?:The|Our|At|In|For|Of)\s", "", "".join(names))
        parts = kept.lower().split()
        if parts[-1] not in _PEOPLE and not set(parts) <= _OWN:
            return kept
    return None
