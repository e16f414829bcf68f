"""The page's tables of relations: a suite's own, and those about its judges."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.results.report.measured import OVERALL, Measured, MetricCell, Row
from tasks.results.report.messages import say
from tasks.suites.page import Page
from tasks.text.shares import interval, share
from tasks.warehouse.comments import grains, meaning
from tasks.warehouse.sql_files import report_of

REJECTED = "rejects_by_reason"
OF_JUDGES = (
    "reports.judge_repeats",
    "reports.judge_agreement",
    "reports.judge_self_preference",
    "reports.audit_agreement",
    "reports.judge_attacks",
    "reports.unscored_reasons",
)

# Longer cells are cut on the page; `tenkbench sql` shows them in full.
_LONGEST = 200
# The page's own release and suite, and what only a query reads.
_OF_THE_PAGE = ("release", "suite", "slice_by")
_ENDS = ("low", "high", "_interval")
_NOTHING = "–"


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of cells as texts; the first column names the row."""

    title: str
    meaning: str  # what one row is, or what the cells say
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: Collection[str] = ()  # headings of the columns that are aligned as numbers
    columns: Mapping[str, str] = field(default_factory=dict)  # heading -> what it holds, if known


def shown_table(measured: Measured, name: str) -> PageTable | None:
    """Return the table of a suite's or a shared relation, or None without rows."""
    relation = report_of(measured.suite.name, name)
    return _table(measured.page, relation, measured.judged_rows(relation))


def judge_tables(measured: Measured) -> list[PageTable]:
    """Return the tables about judges that have rows; those about single models are left out."""
    tables = []
    for relation in OF_JUDGES:
        rows = [row for row in measured.reports[relation] if row.get("slice_by") != "model"]
        if relation.endswith("self_preference"):  # rules know nobody
            rows = [row for row in rows if row["judge"] not in measured.rule_judges]
        tables.append(_table(measured.page, relation, rows))
    return [table for table in tables if table]


def by_judge(measured: Measured) -> PageTable | None:
    """Tabulate each model's headline metric by each judge; None if there is only one judge.

    The title says if judges order the models that all of them judged differently.
    """
    others = measured.other_judges
    if not others:
        return None
    rows = {
        model.name: (
            measured.of(model.name, measured.headline),
            *(measured.other_headlines.get((judge, model.name)) for judge in others),
        )
        for model in measured.models
    }
    known = ([c.value for c in row if c and c.value is not None] for row in rows.values())
    shared = [values for values in known if len(values) == 1 + len(others)]
    orders = {tuple(map(sorted(column).index, column)) for column in zip(*shared, strict=True)}
    metric = measured.page.metric_name(measured.headline)
    judges = (measured.judge, *others)
    rules = [(judge, rule) for judge in judges if (rule := measured.rule_of(judge))]
    return PageTable(
        say("by_judge.another_order" if len(orders) > 1 else "by_judge.title", metric=metric),
        say("by_judge.meaning", metric=metric)
        + "".join(say("by_judge.rule", judge=judge, meaning=rule) for judge, rule in rules),
        ("Model", *judges),
        tuple((model, *map(_with_interval, row)) for model, row in rows.items()),
        judges,
    )


def _with_interval(cell: MetricCell | None) -> str:
    if cell is None or cell.value is None:
        return _NOTHING
    ends = interval(cell.low, cell.high) if cell.has_interval else "no interval"
    return f"{share(cell.value)} ({ends})"


def _table(page: Page, relation: str, rows: Sequence[Row]) -> PageTable | None:
    """Make a table of a relation's rows: columns that say something, with their intervals."""
    if not rows:
        return None
    said = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    columns = {_heading(name, rows[0]): (name, *ends) for name, ends in _with_ends(said)}
    described = {heading: meaning(relation, name) for heading, (name, *_) in columns.items()}
    return PageTable(
        _heading(relation.partition(".")[2]),
        re.sub("per release(, suite)?(,| and) ", "per ", grains()[relation], count=1),
        tuple(columns),
        tuple(tuple(_text(page, row, *names) for names in columns.values()) for row in rows),
        [
            heading
            for heading, (name, *_) in list(columns.items())[1:]
            if all(isinstance(row[name], int | float | None) for row in rows)
        ],
        {heading: comment[1] for heading, comment in described.items() if comment},
    )


def _with_ends(names: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each column to show, with those of its interval: `x_low`, or a `low` behind it."""
    shown = [name for name in names if name not in _OF_THE_PAGE]
    for place, name in enumerate(shown):
        ends = (f"{name}_low", f"{name}_high")
        if shown[place + 1 : place + 3] == ["low", "high"]:
            ends = ("low", "high")
        if not name.endswith(_ENDS):
            yield name, ends if set(ends) <= set(shown) else ()


def _heading(name: str, row: Collection[str] = ()) -> str:
    """Return a column's name in words: `n_articles` is "Articles", unless that is another one."""
    name = name.removesuffix("_id").removesuffix("_value")
    is_number = name.startswith("n_") and name[2:] not in row
    words = "number" if name == "n" else name[2:] if is_number else name
    return words[0].upper() + words[1:].replace("_", " ").replace(" f1", " F1")


def _text(page: Page, row: Row, column: str, *ends: str) -> str:
    value = row[column]
    if value is None:
        return _NOTHING
    if ends or isinstance(value, float):
        known = [row[end] for end in ends if row[end] is not None]
        return f"{share(value)} ({interval(*known)})" if known else share(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
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
    text = page.slice_value(by, value)
    return text if "," in by else say("slice.part", title=page.title_of(by), value=text)
