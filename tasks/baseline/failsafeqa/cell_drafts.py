"""Questions that table cells answer: figures, changes over time, tables of a row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tasks.baseline.failsafeqa.drafts import Draft
from tasks.baseline.phrases import YEAR, capitalised, in_running_text, is_plural, names_a_measure
from tasks.quantities.figures import FULL_MONTHS
from tasks.quantities.text_tables import Table, TableRow, stated_value

_DATE = re.compile(rf"\b(?:{FULL_MONTHS})\s\d{{1,2}},?\s(?:19|20)\d\d")
# Columns for which the year alone says too little, and columns that compare.
_PARTIAL = re.compile(
    r"month|quarter|week|change|increase|decrease|variance|vs|%|percent|pro forma|through|to\s"
    r"|\band\b|after|beyond|later|subsequent",
    re.IGNORECASE,
)
_UNUSABLE_LABEL = re.compile(
    r"\A(?:balance|total|other|net|subtotal|beginning|end|increase|decrease|change)\b[^a-z]*\Z"
    r"|\A\(?(?:increase|decrease|change|net change|less|plus|add|deduct|of which|including"
    r"|excluding)\b|(?:beginning|end) of (?:the )?(?:year|period)|\bpages?\b|\A\(|[|$]|\d{4}"
    r"|balance[s,]|see note|effect of|adjustments? to|other\Z",
    re.IGNORECASE,
)
_LONGEST_LABEL = 70
_WHOLE = "100.0%"  # the total of shares, which nobody asks for
# In these tables a year says when something falls due, not when it happened.
_FALLS_DUE = re.compile(
    r"\b(?:obligations|maturit(?:y|ies)|payments due|minimum (?:lease|rental)|commitments"
    r"|future)\b",
    re.IGNORECASE,
)


def cell_drafts(table: Table, lower_words: frozenset[str]) -> Iterator[Draft]:
    """Draft the exchanges that a table supports, without ambiguous labels or columns."""
    if _FALLS_DUE.search(table.caption):
        return
    labels = [row.label.lower() for row in table.rows]
    for row in table.rows:
        if not _is_certain(row) or labels.count(row.label.lower()) > 1:
            continue
        times = [_time(head) for head in row.heads]
        stated = [
            (time, value)
            for column, time in enumerate(times)
            if time
            and times.count(time) == 1
            and (value := stated_value(table, row, column))
            and value != _WHOLE
        ]
        subject = in_running_text(row.label, lower_words)
        verb = "were" if is_plural(row.label) else "was"
        for time, value in stated:
            yield Draft(
                f"{subject} {time}",
                f"{capitalised(subject)} {verb} {value} {time}.",
                row.start_char,
                "qa",
            )
        if len(stated) >= 2 and stated[0][1] != stated[1][1]:
            yield _change(subject, stated, row)
        if len(stated) >= 3:
            yield _as_html(subject, stated, row)


def _is_certain(row: TableRow) -> bool:
    return (
        row.is_whole
        and 5 <= len(row.label) <= _LONGEST_LABEL
        and names_a_measure(row.label)
        and not _UNUSABLE_LABEL.search(row.label)
        and len(YEAR.findall(" ".join(row.heads))) == len(row.heads)
    )


def _time(head: str) -> str | None:
    """Phrase a column head: `in 2017` or `as of June 30, 2017`.

    None if the head does not name one whole year.
    """
    years = YEAR.findall(head)
    if len(years) != 1 or _PARTIAL.search(head):
        return None
    date = _DATE.search(head)
    if date and "ended" not in head.lower():
        return f"as of {date.group()}"
    return f"in {years[0]}"


def _change(subject: str, stated: list[tuple[str, str]], row: TableRow) -> Draft:
    (early, early_value), (late, late_value) = sorted(stated[:2], key=lambda pair: _year(pair[0]))
    answer = f"{capitalised(subject)} went from {early_value} {early} to {late_value} {late}."
    query = f"how did {subject} change from {_year(early)} to {_year(late)}"
    return Draft(query, answer, row.start_char, "qa")


def _as_html(subject: str, stated: list[tuple[str, str]], row: TableRow) -> Draft:
    head = "".join(f"<th>{_year(time)}</th>" for time, _ in stated)
    cells = "".join(f"<td>{value}</td>" for _, value in stated)
    table = (
        "<table>\n"
        f"<tr><th></th>{head}</tr>\n"
        f"<tr><td>{capitalised(subject)}</td>{cells}</tr>\n"
        "</table>"
    )
    return Draft(f"create an html table of {subject} by year", table, row.start_char, "tg")


def _year(time: str) -> str:
    return YEAR.findall(time)[-1]
