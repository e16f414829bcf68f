"""Tables about the judges: agreement, repeats, attacks and audits.

They come from relations in `sql/reports` that have rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.results.report.measured import OVERALL
from tasks.text.shares import share

if TYPE_CHECKING:
    import duckdb

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; columns in `numbers` are aligned as numbers."""

    title: str
    meaning: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A relation as a table.

    `columns` maps each heading to a function of a row, and `is_wanted` filters rows.
    """

    relation: str
    title: str
    meaning: str
    columns: dict[str, Callable[[Row], str]]
    is_wanted: Callable[[Row], bool] = lambda row: True
    words: tuple[str, ...] = ("Judge", "Other judge", "Part", "Measure", "Auditor", "Other auditor")


def trial_tables(
    warehouse: duckdb.DuckDBPyConnection, suite: str, release: str, rule_judges: Set[str]
) -> list[Table]:
    """Return the tables about judges that this release has rows for.

    Args:
        rule_judges: judges that are rules. They cannot prefer themselves or change their verdict.
    """
    found = {
        name: _rows(warehouse, name, suite, release)
        for name in {shown.relation for shown in _SHOWN}
    }
    tables = []
    for shown in _SHOWN:
        known = [
            {**row, "is_rule": row.get("judge") in rule_judges} for row in found[shown.relation]
        ]
        rows = [row for row in known if _is_shown(row) and shown.is_wanted(row)]
        if rows:
            headings = tuple(shown.columns)
            tables.append(
                Table(
                    shown.title,
                    shown.meaning,
                    headings,
                    tuple(tuple(text(row) for text in shown.columns.values()) for row in rows),
                    frozenset(headings) - set(shown.words),
                )
            )
    tables += _attacks(_rows(warehouse, "judge_attacks", suite, release))
    return tables + _confusions(_rows(warehouse, "judge_confusion", suite, release))


def _is_shown(row: Row) -> bool:
    """Return whether a row covers all answers or one rubric.

    Rows about single models stay in the relation.
    """
    return row.get("slice", OVERALL) == OVERALL or row["slice"].startswith("rubric=")


def _rows(
    warehouse: duckdb.DuckDBPyConnection, relation: str, suite: str, release: str
) -> list[Row]:
    found = warehouse.execute(
        f"from reports.{relation} where suite = $suite and release = $release",
        {"suite": suite, "release": release},
    )
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _text(name: str) -> Callable[[Row], str]:
    return lambda row: str(row[name])


def _count(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row[name]:,}"


def _share(value: str, low: str, high: str) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        if row[value] is None:
            return "–"
        interval = "" if row[low] is None else f" ({share(row[low])} to {share(row[high])})"
        return f"{share(row[value])}{interval}"

    return text


_RUBRICS = {
    "rubric=answerable": "where an answer is expected",
    "rubric=irrelevant_context": "where the filing does not answer",
    "rubric=missing_context": "where no filing is shown",
}


def _slice(row: Row) -> str:
    name = row["slice"]
    return (
        "all answers"
        if name == OVERALL
        else _RUBRICS.get(name, name.partition("=")[2].replace("_", " "))
    )


def _flip_rate(row: Row) -> str:
    measured = _share("flip_rate", "ci_low", "ci_high")(row)
    return "a rule: cannot flip" if row["is_rule"] and row["flip_rate"] == 0 else measured


_AGREEMENT_OF_PEOPLE = {
    "Part": _slice,
    "Ratings": _count("n"),
    "Agreement": _share("agreement", "agreement_low", "agreement_high"),
    "Kappa": _share("kappa", "kappa_low", "kappa_high"),
    "Pearson": _share("pearson", "pearson_low", "pearson_high"),
    "Spearman": _share("spearman", "spearman_low", "spearman_high"),
    "Kendall": _share("kendall", "kendall_low", "kendall_high"),
}

_SHOWN = (
    _Shown(
        "judge_repeats",
        "The same judge, asked twice",
        "A flip is an answer that passed once and failed once. Where flips are common, the "
        "figures above would move if the judge were simply asked again.",
        {
            "Judge": _text("judge"),
            "Part": _slice,
            "Answers": _count("n"),
            "Unscored": _count("n_unscored"),
            "Flip rate": _flip_rate,
        },
    ),
    _Shown(
        "judge_agreement",
        "Two judges on the same answers",
        "Agreement is the share of answers on which both judges say pass or both say fail; kappa "
        "takes off what chance alone would give. 1 is full agreement, 0 is chance.",
        {
            "Judge": _text("judge"),
            "Other judge": _text("other_judge"),
            "Part": _slice,
            "Answers": _count("n"),
            "Agreement": _share("agreement", "agreement_low", "agreement_high"),
            "Kappa": _share("kappa", "kappa_low", "kappa_high"),
        },
    ),
    _Shown(
        "judge_self_preference",
        "A judge on its own answers",
        "How much higher a judge that is also a candidate rates itself than the other judge "
        "does, beyond how it rates other models. Above 0 is no proof that it favours itself: a "
        "judge that errs at random, or that has no rating above 6 to give, seems to prefer its "
        "own answers where they are the better ones. Compare it with several judges. A judge "
        "that is a set of rules knows nobody and is left out.",
        {
            "Judge": _text("judge"),
            "Other judge": _text("other_judge"),
            "Measure": _text("measure"),
            "Cases": _count("n"),
            "Self-preference": _share("self_preference", "ci_low", "ci_high"),
        },
        is_wanted=lambda row: not row["is_rule"],
    ),
    _Shown(
        "audit_agreement",
        "People against the judge",
        "Ratings by people who saw neither the model's name nor the judge's rating. An answer "
        "that two people rated counts twice among those of all auditors. The correlations are of "
        "the ratings 1 to 6, agreement and kappa of pass and fail.",
        {"Auditor": _text("rater"), "Judge": _text("other_rater"), **_AGREEMENT_OF_PEOPLE},
        is_wanted=lambda row: row["compared_with"] == "judge",
    ),
    _Shown(
        "audit_agreement",
        "People against people",
        "How far two people agree on the same answers: more cannot be asked of a judge.",
        {"Auditor": _text("rater"), "Other auditor": _text("other_rater"), **_AGREEMENT_OF_PEOPLE},
        is_wanted=lambda row: row["compared_with"] == "auditor",
    ),
)


def _attacks(rows: Sequence[Row]) -> list[Table]:
    """Tabulate how many attacks of each kind each judge resisted.

    Returns no table if none was tried.
    """
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    results = {(row["kind"], row["judge"]): f"{row['n_resisted']} of {row['n']}" for row in rows}
    kinds = dict.fromkeys(row["kind"] for row in rows)
    if not rows:
        return []
    return [
        Table(
            "Answers written to deceive the judge",
            "A standing set of attacks, each with the ratings that a sound judge may give it: "
            "how many got one of these. Honest answers, right and wrong, stand among them as "
            "controls.",
            ("Kind of answer", *judges),
            tuple((kind, *(results.get((kind, judge), "–") for judge in judges)) for kind in kinds),
            frozenset(judges),
        )
    ]


_RATINGS = (1, 2, 3, 4, 5, 6, None)


def _confusions(rows: Sequence[Row]) -> list[Table]:
    """Tabulate each pair of judges' ratings against each other."""
    tables = []
    for judge, other in sorted({(row["judge"], row["other_judge"]) for row in rows}):
        counts = {
            (row["rating"], row["other_rating"]): row["n"]
            for row in rows
            if (row["judge"], row["other_judge"]) == (judge, other)
        }
        side = f"{judge} \\ {other}"
        headings = (side, *(_rating(rating) for rating in _RATINGS))
        tables.append(
            Table(
                "Ratings of one judge against the other's",
                f"Rows are ratings by {judge}, columns ratings by {other}; a cell is the number "
                "of answers.",
                headings,
                tuple(
                    (
                        _rating(rating),
                        *(f"{counts.get((rating, theirs), 0):,}" for theirs in _RATINGS),
                    )
                    for rating in _RATINGS
                ),
                frozenset(headings[1:]),
            )
        )
    return tables


def _rating(rating: int | None) -> str:
    return "unscored" if rating is None else str(rating)
