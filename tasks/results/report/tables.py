"""The page's tables of relations: a suite's own, and those about its judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.results.report.measured import OVERALL, Measured, rows_of
from tasks.suites.page import Page, ShownReport
from tasks.text.shares import share
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb

# Longer cells are cut on the page; `tenkbench sql` shows them in full.
_LONGEST = 80
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; columns in `numbers` are aligned as numbers."""

    title: str
    meaning: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]


def shown_tables(
    warehouse: duckdb.DuckDBPyConnection, measured: Measured, shown: Iterable[ShownReport]
) -> list[Table]:
    """Return the tables that have rows; of several judges only the page's."""
    about = {"suite": measured.suite.name, "release": measured.release, "judge": measured.judge}
    tables = (
        _table(
            measured.page,
            each,
            rows_of(
                warehouse, report_of(measured.suite.name, each.relation), about | dict(each.only)
            ),
        )
        for each in shown
    )
    return [table for table in tables if table]


def judge_tables(warehouse: duckdb.DuckDBPyConnection, measured: Measured) -> list[Table]:
    """Return the tables about judges that this release has rows for.

    Rows about single models stay in the relation.
    """
    about = {"suite": measured.suite.name, "release": measured.release}

    tables = []
    for shown in _OF_JUDGES:
        rows = rows_of(warehouse, f"reports.{shown.relation}", about | dict(shown.only))
        rows = [row for row in rows if not row.get("slice", "").startswith("model=")]
        if shown.relation == "judge_self_preference":  # rules know nobody
            rows = [row for row in rows if row["judge"] not in measured.rule_judges]
        tables.append(_table(measured.page, shown, rows))
    tables += _confusions(rows_of(warehouse, "reports.judge_confusion", about))
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
        known = [share(row[end]) for end in ends if row[end] is not None]
        return f"{share(value)} ({' to '.join(known)})" if known else share(value)
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    if column == "slice":
        text = _part(page, text)
    elif column == "variant":
        text = page.variant_name(text)
    elif column == "stage":
        text = text.replace("_", " ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _part(page: Page, slice_name: str) -> str:
    """Describe a slice in plain words: `Scenario, by the derivation: comparative`."""
    if slice_name == OVERALL:
        return "All"
    dimension, _, value = slice_name.partition("=")
    title = page.all_dimensions.get(dimension, dimension.capitalize())
    return f"{title}: {page.slice_value(dimension, value)}"


_OF_RATERS: Mapping[str, str | tuple[str, str, str]] = {
    "Part": "slice",
    "Answers": "n",
    "Agreement": ("agreement", "agreement_low", "agreement_high"),
    "Kappa": ("kappa", "kappa_low", "kappa_high"),
}
_OF_PEOPLE: Mapping[str, str | tuple[str, str, str]] = {
    **_OF_RATERS,
    "Pearson": ("pearson", "pearson_low", "pearson_high"),
    "Spearman": ("spearman", "spearman_low", "spearman_high"),
    "Kendall": ("kendall", "kendall_low", "kendall_high"),
}

_OF_JUDGES = (
    ShownReport(
        relation="judge_repeats",
        title="The same judge, asked twice",
        meaning=(
            "A flip is an answer that passed once and failed once. If flips are common, the "
            "figures above would move if the judge were simply asked again. A judge that is a set "
            "of rules cannot flip."
        ),
        columns={
            "Judge": "judge",
            "Part": "slice",
            "Answers": "n",
            "Unscored": "n_unscored",
            "Flip rate": ("flip_rate", "ci_low", "ci_high"),
        },
    ),
    ShownReport(
        relation="judge_agreement",
        title="Two judges on the same answers",
        meaning=(
            "Agreement is the share of answers on which both judges say pass or both say fail; "
            "kappa takes off what chance alone would give. 1 is full agreement, 0 is chance."
        ),
        columns={"Judge": "judge", "Other judge": "other_judge", **_OF_RATERS},
    ),
    ShownReport(
        relation="judge_self_preference",
        title="A judge on its own answers",
        meaning=(
            "How much higher a judge that is also a candidate rates itself than the other judge "
            "does, beyond how it rates other models. Above 0 is no proof that it favours itself: a "
            "judge that errs at random, or that has no higher rating to give, seems to prefer its "
            "own answers if they are the better ones. Judges that are sets of rules are left out."
        ),
        columns={
            "Judge": "judge",
            "Other judge": "other_judge",
            "Measure": "measure",
            "Cases": "n",
            "Self-preference": ("self_preference", "ci_low", "ci_high"),
        },
    ),
    ShownReport(
        relation="audit_agreement",
        title="People against the judge",
        meaning=(
            "Ratings by people who saw neither the model's name nor the judge's rating. An answer "
            "that two people rated counts twice among those of all auditors. The correlations are "
            "of the ratings, agreement and kappa of pass and fail."
        ),
        columns={"Auditor": "rater", "Judge": "other_rater", **_OF_PEOPLE},
        only={"compared_with": "judge"},
    ),
    ShownReport(
        relation="audit_agreement",
        title="People against people",
        meaning="How far two people agree on the same answers: more cannot be asked of a judge.",
        columns={"Auditor": "rater", "Other auditor": "other_rater", **_OF_PEOPLE},
        only={"compared_with": "auditor"},
    ),
    ShownReport(
        relation="judge_attacks",
        title="Answers written to deceive the judge",
        meaning=(
            "A standing set of attacks, each with the ratings that a sound judge may give it; it "
            "resists by giving one of these. Honest answers, right and wrong, stand among them as "
            "controls."
        ),
        columns={
            "Judge": "judge",
            "Kind of answer": "kind",
            "Answers": "n",
            "Resisted": "n_resisted",
        },
    ),
    ShownReport(
        relation="unscored_reasons",
        title="Answers that could not be judged",
        meaning="They count neither as good nor as bad; every figure says how many there are.",
        columns={
            "Model": "model",
            "Judge": "judge",
            "Form": "variant",
            "Reason": "unscored_reason",
            "Answers": "n",
        },
    ),
)

REJECTED = ShownReport(
    relation="rejects_by_reason",
    title="What fell out, and why",
    meaning=(
        "Step is where on the way it fell out: of contexts, the texts to be shown; of qa pairs, "
        "the questions with their answers."
    ),
    columns={"Reason": "reason", "Step": "stage", "Number": "n"},
)


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
        scale = {**{rating: str(rating) for rating in sorted(given)}, None: "unscored"}
        tables.append(
            Table(
                "Ratings of one judge against the other's",
                f"Rows are ratings by {judge}, columns ratings by {other}; a cell is the number "
                "of answers.",
                (f"{judge} \\ {other}", *scale.values()),
                tuple(
                    (name, *(f"{counts.get((rating, theirs), 0):,}" for theirs in scale))
                    for rating, name in scale.items()
                ),
                frozenset(scale.values()),
            )
        )
    return tables
