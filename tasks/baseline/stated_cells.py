"""Figures of tables that a question can name: the row's label, one whole year, a certain value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.quantities.figures import FULL_MONTHS
from tasks.quantities.text_tables import TableRow, TextTable, stated_value

YEAR = re.compile(r"\b(?:19|20)\d\d\b")
DATE = re.compile(rf"\b(?:{FULL_MONTHS})\s\d{{1,2}},?\s(?:19|20)\d\d")
# A label or subject without one of these nouns says too little: "Other", "Canada", "The first".
_MEASURES = re.compile(
    r"\b(?:revenues?|sales|income|expenses?|costs?|assets|liabilities|equity|debt|cash|deposits"
    r"|loans?|earnings|profits?|loss(?:es)?|margins?|dividends?|inventor(?:y|ies)|receivables?"
    r"|payables?|tax(?:es)?|depreciation|amortization|interest|capital|employees|employment"
    r"|backlog|securities|investments?|goodwill|expenditures?|premiums?|provision|allowance"
    r"|charge-offs|borrowings|surplus|deficit|proceeds|rent|compensation|shares|deliveries|volume"
    r"|production|reserves|fees|claims|purchases|repurchases|acquisitions?|shipments|orders"
    r"|benefit|contributions|obligations|commitments|notes|bonds|leases|royalties|grants|credits?"
    r"|working capital|stock|operations|activities|EBITDA|FFO|property|equipment|rate|yield|ratio"
    r"|price|spending|write-offs?)\b",
    re.IGNORECASE,
)
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
    r"|balance[s,]|see note|effect of|adjustments? to|other\Z"
    r"|[\s,(](?:[a-z]|\d[\d.]*)\)?\Z",  # of a column of notes: `Interest expense H`
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


@dataclass(frozen=True, slots=True)
class StatedCell:
    """One cell of a row."""

    column: int  # its place among the row's values
    time: str  # as a question names it: `in 2017` or `as of June 30, 2017`
    value: str  # as a sentence states it: `$1,234 million`

    @property
    def year(self) -> str:
        """The year of its time."""
        return str(YEAR.findall(self.time)[-1])


def stated_cells(table: TextTable) -> Iterator[tuple[TableRow, list[StatedCell]]]:
    """Yield the rows of a table whose label and columns are certain, with their certain cells."""
    if _FALLS_DUE.search(table.caption):
        return
    labels = [row.label.lower() for row in table.rows]
    for row in table.rows:
        if not _is_certain(row) or labels.count(row.label.lower()) > 1:
            continue
        times = [_time(head) for head in row.heads]
        yield (
            row,
            [
                StatedCell(column, time, value)
                for column, time in enumerate(times)
                if time
                and times.count(time) == 1
                and (value := stated_value(table, row, column))
                and value != _WHOLE
            ],
        )


def _is_certain(row: TableRow) -> bool:
    return (
        row.is_whole
        and 5 <= len(row.label) <= _LONGEST_LABEL
        and bool(_MEASURES.search(row.label))
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
    date = DATE.search(head)
    if date and "ended" not in head.lower():
        return f"as of {date.group()}"
    return f"in {years[0]}"
