"""What is known of the judges themselves: each relation of `sql/reports` that has rows, as a table for the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.report.words import PERTURBATIONS, TASKS

if TYPE_CHECKING:
    import duckdb

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts; columns whose heading is in `numbers` are aligned as figures."""

    title: str
    meaning: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A relation and how its rows are read out: heading -> text of a row."""

    relation: str
    title: str
    meaning: str
    columns: dict[str, Callable[[Row], str]]
    words: tuple[str, ...] = ("Judge", "Other judge", "Part", "Measure", "Kind", "Auditor", "Compared with")


def trial_tables(warehouse: duckdb.DuckDBPyConnection, suite: str, release: str) -> list[Table]:
    """The tables of the judge's trial that this release has rows for."""
    tables = []
    for shown in _SHOWN:
        rows = _rows(warehouse, shown.relation, suite, release)
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
    return tables + _confusions(_rows(warehouse, "judge_confusion", suite, release))


def _rows(warehouse: duckdb.DuckDBPyConnection, relation: str, suite: str, release: str) -> list[Row]:
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
        interval = "" if row[low] is None else f" ({row[low]:.2f} to {row[high]:.2f})"
        return f"{row[value]:.2f}{interval}"

    return text


def _slice(row: Row) -> str:
    dimension, _, value = row["slice"].partition("=")
    if not value:
        return "all answers"
    known = {"perturbation": {name: words.name for name, words in PERTURBATIONS.items()}, "task": TASKS}
    return known.get(dimension, {}).get(value, f"{dimension} {value}".replace("_", " "))


_SHOWN = (
    _Shown(
        "judge_repeats",
        "The same judge, asked twice",
        "A flip is an answer that passed once and failed once: it bounds how far the figures above would change if the "
        "judge were simply asked again.",
        {
            "Judge": _text("judge"),
            "Part": _slice,
            "Answers": _count("n"),
            "Unscored": _count("n_unscored"),
            "Flip rate": _share("flip_rate", "ci_low", "ci_high"),
        },
    ),
    _Shown(
        "judge_agreement",
        "Two judges on the same answers",
        "Agreement is the share of answers on which both judges say pass or both say fail; kappa takes off what chance "
        "alone would give. 1 is full agreement, 0 is chance.",
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
        "How much higher a judge that is also a candidate rates itself than the other judge does, beyond how it rates "
        "other models. Above 0 it favours itself.",
        {
            "Judge": _text("judge"),
            "Other judge": _text("other_judge"),
            "Measure": _text("measure"),
            "Cases": _count("n"),
            "Self-preference": _share("self_preference", "ci_low", "ci_high"),
        },
    ),
    _Shown(
        "judge_attacks",
        "Answers written to deceive the judge",
        "How many answers of a standing set of attacks the judge rated soundly. Kinds that begin with honest are "
        "controls, which a sound judge rates well.",
        {
            "Judge": _text("judge"),
            "Kind": lambda row: row["kind"].replace("_", " "),
            "Answers": _count("n"),
            "Resisted": _count("n_resisted"),
            "Unscored": _count("n_unscored"),
        },
    ),
    _Shown(
        "audit_agreement",
        "People against the judge",
        "Ratings by people who saw neither the model's name nor the judge's rating.",
        {
            "Auditor": _text("rater"),
            "Compared with": _text("other_rater"),
            "Part": _slice,
            "Answers": _count("n"),
            "Agreement": _share("agreement", "agreement_low", "agreement_high"),
            "Kappa": _share("kappa", "kappa_low", "kappa_high"),
            "Spearman": _share("spearman", "spearman_low", "spearman_high"),
        },
    ),
)

_RATINGS = (1, 2, 3, 4, 5, 6, None)


def _confusions(rows: Sequence[Row]) -> list[Table]:
    """For each pair of judges, how often the one gave a rating where the other gave another."""
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
                f"Rows are ratings by {judge}, columns ratings by {other}; a cell is the number of answers.",
                headings,
                tuple(
                    (_rating(rating), *(f"{counts.get((rating, theirs), 0):,}" for theirs in _RATINGS))
                    for rating in _RATINGS
                ),
                frozenset(headings[1:]),
            )
        )
    return tables


def _rating(rating: int | None) -> str:
    return "unscored" if rating is None else str(rating)
