"""Questions that table cells answer: figures, changes over time, tables of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.baseline.failsafeqa.drafts import Draft
from tasks.quantities.text_tables import Table, TableRow
from tasks.suites.shared.phrases import capitalised, in_running_text, is_plural
from tasks.suites.shared.stated_cells import StatedCell, stated_cells


def cell_drafts(table: Table, lower_words: frozenset[str]) -> Iterator[Draft]:
    """Draft the exchanges that a table supports, without ambiguous labels or columns."""
    for row, stated in stated_cells(table):
        subject = in_running_text(row.label, lower_words)
        verb = "were" if is_plural(row.label) else "was"
        for cell in stated:
            yield Draft(
                f"{subject} {cell.time}",
                f"{capitalised(subject)} {verb} {cell.value} {cell.time}.",
                row.start_char,
                "qa",
            )
        if len(stated) >= 2 and stated[0].value != stated[1].value:
            yield _change(subject, stated, row)
        if len(stated) >= 3:
            yield _as_html(subject, stated, row)


def _change(subject: str, stated: Sequence[StatedCell], row: TableRow) -> Draft:
    early, late = sorted(stated[:2], key=lambda cell: cell.year)
    answer = (
        f"{capitalised(subject)} went from {early.value} {early.time} to {late.value} {late.time}."
    )
    query = f"how did {subject} change from {early.year} to {late.year}"
    return Draft(query, answer, row.start_char, "qa")


def _as_html(subject: str, stated: Sequence[StatedCell], row: TableRow) -> Draft:
    head = "".join(f"<th>{cell.year}</th>" for cell in stated)
    cells = "".join(f"<td>{cell.value}</td>" for cell in stated)
    table = (
        "<table>\n"
        f"<tr><th></th>{head}</tr>\n"
        f"<tr><td>{capitalised(subject)}</td>{cells}</tr>\n"
        "</table>"
    )
    return Draft(f"create an html table of {subject} by year", table, row.start_char, "tg")
