"""Sentences about unscored answers and their reasons, for page and terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from tasks.results.report.messages import say
from tasks.suites.page import JudgingWords


@dataclass(frozen=True, slots=True)
class Unscored:
    """A model's unscored answers, counted by judge, variant and reason.

    Attributes:
        n_answers: all answers of the model that the judge was asked about.
    """

    model: str
    judge: str
    variant: str
    unscored_reason: str
    n: int
    n_answers: int


def unscored_sentences(rows: Iterable[Unscored], judging: JudgingWords) -> Iterator[str]:
    """Write a sentence for each model and judge, most unscored first."""

    def of(row: Unscored) -> tuple[str, str]:
        return row.model, row.judge

    found = [(key, list(group)) for key, group in groupby(sorted(rows, key=of), key=of)]
    found.sort(key=lambda each: (-_n(each[1]) / each[1][0].n_answers, each[0]))
    for (model, judge), group in found:
        counts: dict[str, int] = {}
        for row in group:
            counts[row.unscored_reason] = counts.get(row.unscored_reason, 0) + row.n
        reason = min(counts, key=lambda reason: (-counts[reason], reason))
        of_them = "" if len(counts) == 1 else say("unscored.of_them", n=counts[reason])
        yield say(
            "unscored.sentence",
            model=model,
            n=_n(group),
            n_answers=group[0].n_answers,
            done=judging.done,
            judge=judge,
            reason=of_them + reason,
        )


def _n(rows: Iterable[Unscored]) -> int:
    return sum(row.n for row in rows)
