"""The page's tables of relations: a suite's own, and those about its judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.results.report.measured import OVERALL, Measured, Row
from tasks.results.report.messages import say
from tasks.suites.page import Page, ShownReport
from tasks.text.shares import interval, share
from tasks.warehouse.sql_files import report_of

# Longer cells are cut on the page; `tenkbench sql` shows them in full.
_LONGEST = 80
Columns = Mapping[str, str | tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; columns in `numbers` are aligned as numbers."""

    title: str
    meaning: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]


def shown_table(measured: Measured, shown: ShownReport) -> Table | None:
    """Return a report's table, or None without rows; of several judges only the page's."""
    relation = report_of(measured.suite.name, shown.relation)
    rows = measured.rows(relation, judge=measured.judge, **shown.only)
    return _table(measured.page, shown, rows)


def judge_tables(measured: Measured) -> list[Table]:
    """Return the tables about judges that this release has rows for.

    Rows about single models stay in the relation.
    """
    tables = []
    for shown in _OF_JUDGES:
        rows = measured.rows(f"reports.{shown.relation}", **shown.only)
        rows = [row for row in rows if row.get("slice_by") != "model"]
        if shown.relation == "judge_self_preference":  # rules know nobody
            rows = [row for row in rows if row["judge"] not in measured.rule_judges]
        tables.append(_table(measured.page, shown, rows))
    tables += _confusions(measured.reports["reports.judge_confusion"])
    return [table for table in tables if table]


def _table(page: Page, shown: ShownReport, rows: Sequence[Row]) -> Table | None:
    columns = {
        heading: (column,) if isinstance(column, str) else column
        for heading, column in shown.columns.items()
    }
    numbers = [
        heading
        for heading, (column, *ends) in columns.items()
        if ends or all(isinstance(row[column], int | float | None) for row in rows)
    ]
    texts = (tuple(_text(page, row, *of) for of in columns.values()) for row in rows)
    found = Table(shown.title, shown.meaning, tuple(columns), tuple(texts), frozenset(numbers))
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
    elif column == "variant":
        text = page.variant_name(text)
    elif column == "stage":
        text = text.replace("_", " ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _part(page: Page, by: str, value: str) -> str:
    """Describe a slice in plain words: `Scenario, by the derivation: comparative`."""
    if (by, value) == OVERALL:
        return say("tables.slice.all")
    title = page.all_dimensions.get(by, by.capitalize())
    return say("tables.slice.part", title=title, value=page.slice_value(by, value))


def _shown(relation: str, columns: Columns, name: str = "", **only: str) -> ShownReport:
    title, meaning = (say(f"tables.{name or relation}.{text}") for text in ("title", "meaning"))
    return ShownReport(relation=relation, title=title, meaning=meaning, columns=columns, only=only)


_OF_RATERS: Columns = {
    "Part": "slice_value",
    "Answers": "n",
    "Agreement": ("agreement", "agreement_low", "agreement_high"),
    "Kappa": ("kappa", "kappa_low", "kappa_high"),
}
_OF_PEOPLE: Columns = {
    **_OF_RATERS,
    "Pearson": ("pearson", "pearson_low", "pearson_high"),
    "Spearman": ("spearman", "spearman_low", "spearman_high"),
    "Kendall": ("kendall", "kendall_low", "kendall_high"),
}

_OF_JUDGES = (
    _shown(
        "judge_repeats",
        {
            "Judge": "judge",
            "Part": "slice_value",
            "Answers": "n",
            "Unscored": "n_unscored",
            "Flip rate": ("flip_rate", "low", "high"),
        },
    ),
    _shown("judge_agreement", {"Judge": "judge", "Other judge": "other_judge", **_OF_RATERS}),
    _shown(
        "judge_self_preference",
        {
            "Judge": "judge",
            "Other judge": "other_judge",
            "Measure": "measure",
            "Cases": "n",
            "Self-preference": ("self_preference", "low", "high"),
        },
    ),
    _shown(
        "audit_agreement",
        {"Auditor": "rater", "Judge": "other_rater", **_OF_PEOPLE},
        "people_and_judge",
        compared_with="judge",
    ),
    _shown(
        "audit_agreement",
        {"Auditor": "rater", "Other auditor": "other_rater", **_OF_PEOPLE},
        "people",
        compared_with="auditor",
    ),
    _shown(
        "judge_attacks",
        {"Judge": "judge", "Kind of answer": "kind", "Answers": "n", "Resisted": "n_resisted"},
    ),
    _shown(
        "unscored_reasons",
        {
            "Model": "model",
            "Judge": "judge",
            "Form": "variant",
            "Reason": "unscored_reason",
            "Answers": "n",
        },
    ),
)

REJECTED = _shown("rejects_by_reason", {"Reason": "reason", "Step": "stage", "Number": "n"})


def _confusions(rows: Sequence[Row]) -> list[Table]:
    """Tabulate each pair of judges' ratings against each other."""
    tables = []
    for judge, other in sorted({(row["judge"], row["other_judge"]) for row in rows}):
        counts = {
            (row["rating"], row["other_rating"]): row["n"]
            for row in rows
            if (row["judge"], row["other_judge"]) == (judge, other)
        }
        given = {rating for pair in counts for rating in pair} - {None}
        scale = {
            **{rating: str(rating) for rating in sorted(given)},
            None: say("tables.judge_confusion.unscored"),
        }
        tables.append(
            Table(
                say("tables.judge_confusion.title"),
                say("tables.judge_confusion.meaning", judge=judge, other=other),
                (say("tables.judge_confusion.corner", judge=judge, other=other), *scale.values()),
                tuple(
                    (name, *(f"{counts.get((rating, theirs), 0):,}" for theirs in scale))
                    for rating, name in scale.items()
                ),
                frozenset(scale.values()),
            )
        )
    return tables
