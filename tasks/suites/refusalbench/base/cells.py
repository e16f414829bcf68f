"""Questions that one cell answers, if its row, year, unit and scale are certain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.quantities.figures import FULL_MONTHS, MONTHS
from tasks.quantities.text_tables import Table
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.refusalbench.proofs.clauses import owner_of
from tasks.suites.shared.phrases import in_running_text, is_plural
from tasks.suites.shared.stated_cells import stated_cells

# Figures that are no amounts of the whole company in the whole year, compare two of them, or
# measure something else than the statements do under the same label.
_OF_PART = re.compile(
    r"\b(?:months|quarters?|weeks|pro forma|parent|segments?|subsidiar\w+|guarantors?|unaudited"
    r"|condensed|expenditures|assum\w+|exclud\w+|exclusive|non-GAAP|adjusted"
    r"|(?:stock|share|equity)-based|percent(?:age)?s? (?:of|increase|change))\b",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"\b(?:shares|percent\w*|rates?|yield|ratio|miles|tons|barrels|number)\b|%")


# Labels of one word that only their section explains.
_VAGUE = re.compile(
    r"(?:equipment|property|interest|investments?|securities|notes|stock|price|rate|yield|capital"
    r"|reserves|operations|compensation|acquisitions?|credits?)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:,\s|\()(?:net of|less|excluding|exclusive|including|inclusive|after|before)\b"
    r"|\A\w+ed\s(?:as|by|for|from|in|on|to)\b",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\b(?:{MONTHS})\.?\s\d{{1,2}},?\s(?:19|20)\d\d")
_MONTH = re.compile(r"[A-Za-z]+\.?")
_FULL = {month[:3]: month for month in FULL_MONTHS.split("|")}
_OF_A_DAY = re.compile(r"\bbalance sheets?\b|\bfinancial (?:condition|position)\b", re.IGNORECASE)
_ENDED = re.compile(r"\byears?\s+end(?:ed|ing)\b", re.IGNORECASE)


def statements_of_table(
    table: Table, text: str, company: str, lower_words: frozenset[str]
) -> Iterator[Statement]:
    """Yield what a table of a text states for certain: amounts and percentages above zero."""
    if _OF_PART.search(table.caption):
        return
    # `Years Ended` often stands over the labels, beside the dates, or in the title
    has_years = _ENDED.search(text, table.start_char, table.rows[0].start_char) or (
        _ENDED.search(table.caption) and not _OF_A_DAY.search(table.caption)
    )
    for row, cells in stated_cells(table):
        is_unclear = _CLAUSE.search(row.label) or _VAGUE.fullmatch(row.label)
        if is_unclear or _OF_PART.search(row.section):
            continue
        measure = in_running_text(re.sub(r"\s*\([^()]*\)", "", row.label), lower_words)
        verb = "were" if is_plural(measure) else "was"
        for cell in cells:
            is_percent = cell.value.endswith("%")
            is_marked = "%" in row.values[cell.column]
            is_money = "$" in cell.value and not _NO_MONEY.search(row.label)
            if cell.value.startswith("-") or not (is_marked if is_percent else is_money):
                continue
            time, head = cell.time, row.heads[cell.column]
            if date := _DATE.search(head):
                is_year = has_years or _ENDED.search(head)
                day = _MONTH.sub(lambda found: _FULL[found[0][:3].title()], date[0], count=1)
                time = f"{'for the year ended' if is_year else 'as of'} {day}"
            yield Statement(
                query=f"What {verb} {owner_of(company)} {measure} {time}?",
                answer=cell.value,
                kind="percent" if is_percent else "money",
                measure=measure,
                period=re.sub(r"\A(?:in|as of|for) ", "", time),
                start_char=row.start_char,
                end_char=row.end_char,
                column=cell.column,
            )
