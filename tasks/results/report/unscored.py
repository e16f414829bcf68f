"""How many of a model's answers could not be judged, and why, in a sentence: on the page and after a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from tasks.suites.page import JudgingWords


@dataclass(frozen=True, slots=True)
class Unscored:
    """Answers of a model that have neither rating nor verdict of a judge, and why.

    n_answers    all answers of the model that were put to the judge
    """

    model: str
    judge: str
    variant: str
    unscored_reason: str
    n: int
    n_answers: int


def unscored_sentences(rows: Iterable[Unscored], judging: JudgingWords) -> Iterator[str]:
    """A sentence for each model and judge, the least judged first."""

    def of(row: Unscored) -> tuple[str, str]:
        return row.model, row.judge

    found = [(key, list(group)) for key, group in groupby(sorted(rows, key=of), key=of)]
    found.sort(key=lambda each: (-_n(each[1]) / each[1][0].n_answers, each[0]))
    for (model, judge), group in found:
        counts: dict[str, int] = {}
        for row in group:
            counts[row.unscored_reason] = counts.get(row.unscored_reason, 0) + row.n
        reason = min(counts, key=lambda reason: (-counts[reason], reason))
        n_reason = "" if len(counts) == 1 else f"{counts[reason]:,} of them: "
        yield (
            f"{model}: {_n(group):,} of {group[0].n_answers:,} answers could not be {judging.done} by {judge} "
            f"({n_reason}{reason})."
        )


def _n(rows: Iterable[Unscored]) -> int:
    return sum(row.n for row in rows)
