"""The page's tables of relations: a suite's own, and those about its judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.results.report.measured import OVERALL, Estimate, Measured, Row
from tasks.results.report.messages import messages, say
from tasks.suites.page import Page, ShownReport
from tasks.text.shares import interval, share
from tasks.warehouse.sql_files import report_of

REJECTED = ShownReport(**messages()["rejects"])
OF_JUDGES = [ShownReport(**shown) for shown in messages()["of_judges"]]

# Longer cells are cut on the page; `tenkbench sql` shows them in full.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Table:
    """A table of cells as texts; the first column names the row.

    Attributes:
        texts: headings of the other columns that hold no numbers.
    """

    title: str
    meaning: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: frozenset[str] = frozenset()

    @property
    def numbers(self) -> frozenset[str]:
        """Headings of the columns that are aligned as numbers."""
        return frozenset(self.headings[1:]) - self.texts


def shown_table(measured: Measured, shown: ShownReport) -> Table | None:
    """Return a report's table, or None without rows; by the page's judge, or by all."""
    relation = report_of(measured.suite.name, shown.relation)
    rows = measured.judged_rows(relation, **shown.only)
    return _table(measured.page, shown, rows)


def judge_tables(measured: Measured) -> list[Table]:
    """Return the tables about judges that this release has rows for.

    Rows about single models stay in the relation.
    """
    tables = []
    for shown in OF_JUDGES:
        rows = measured.rows(f"reports.{shown.relation}", **shown.only)
        rows = [row for row in rows if row.get("slice_by") != "model"]
        if shown.relation == "judge_self_preference":  # rules know nobody
            rows = [row for row in rows if row["judge"] not in measured.rule_judges]
        tables.append(_table(measured.page, shown, rows))
    return [table for table in tables if table]


def by_judge(measured: Measured) -> Table | None:
    """Tabulate each model's headline metric by each judge; None if there is only one judge.

    The title says if judges order the models that all of them judged differently.
    """
    if not measured.other_judges:
        return None
    judges = (measured.judge, *measured.other_judges)
    rows = {
        model.name: (
            measured.of(model.name, measured.headline),
            *(measured.other_headlines.get((judge, model.name)) for judge in measured.other_judges),
        )
        for model in measured.models
    }
    shared = [row for row in rows.values() if all(cell and cell.value is not None for cell in row)]
    orders = {tuple(measured.places_of(found)) for found in zip(*shared, strict=True)}
    words = measured.page
    name = words.metric_name(measured.headline)
    told = say("by_judge.meaning", metric=name, given=words.judging.given)
    for judge in judges:
        if judge in words.judges:
            told += say("by_judge.rule", judge=judge, meaning=words.judges[judge])
    return Table(
        say("by_judge.another_order" if len(orders) > 1 else "by_judge.title", metric=name),
        told,
        ("Model", *judges),
        tuple((model, *map(_with_interval, row)) for model, row in rows.items()),
    )


def price_table(measured: Measured) -> Table | None:
    """Tabulate what an answer costs and how long it takes; None if neither is known."""
    rows = tuple(
        (
            model.name,
            "–" if model.cost_usd is None else f"{1000 * model.cost_usd / model.n_calls:,.2f}",
            "–" if model.mean_latency_ms is None else f"{model.mean_latency_ms / 1000:,.1f}",
        )
        for model in measured.models
        if model.n_calls and (model.cost_usd, model.mean_latency_ms) != (None, None)
    )
    headings = ("Model", say("prices.cost"), say("prices.speed"))
    return Table(say("prices.title"), "", headings, rows) if rows else None


def _with_interval(cell: Estimate | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    if cell.low is None and cell.high is None:
        return f"{share(cell.value)} (no interval)"
    return f"{share(cell.value)} ({interval(cell.low, cell.high)})"


def _table(page: Page, shown: ShownReport, rows: Sequence[Row]) -> Table | None:
    columns = {
        heading: (column,) if isinstance(column, str) else column
        for heading, column in shown.columns.items()
    }
    texts = [
        heading
        for heading, (column, *ends) in columns.items()
        if not ends and not all(isinstance(row[column], int | float | None) for row in rows)
    ]
    cells = tuple(tuple(_text(page, row, *of) for of in columns.values()) for row in rows)
    found = Table(shown.title, shown.meaning, tuple(columns), cells, frozenset(texts))
    return found if rows else None


def _text(page: Page, row: Row, column: str, *ends: str) -> str:
    value = row[column]
    if value is None:
        return "–"
    if ends or isinstance(value, float):
        known = [row[end] for end in ends if row[end] is not None]
        return f"{share(value)} ({interval(*known)})" if known else share(value)
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    if column == "slice_value":
        text = _part(page, row["slice_by"], text)
    elif column in ("variant", "task", *page.dimensions):
        text = page.slice_value(column, text)
    elif column == "stage":
        text = text.replace("_", " ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _part(page: Page, by: str, value: str) -> str:
    """Describe a slice in plain words: `Scenario, by the derivation: comparative`."""
    if (by, value) == OVERALL:
        return say("slice.all")
    if "," in by:
        return page.slice_value(by, value)
    title = page.all_dimensions.get(by, by.capitalize())
    return say("slice.part", title=title, value=page.slice_value(by, value))
