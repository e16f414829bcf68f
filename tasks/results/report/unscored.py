"""Sentences about unscored and unreadable answers and their reasons, for page and terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tasks.results.report.messages import say
from tasks.suites.judge import NO_IMPORTED_ANSWER


@dataclass(frozen=True, slots=True)
class Unscored:
    """A model's unscored or unreadable answers, counted by judge, variant and reason.

    Attributes:
        n_answers: all cases of the model that the judge was asked about.
        counted_as: `unscored`, or `wrong` if it is the model's fault that nobody can read them.
    """

    model: str
    judge: str
    variant: str
    unscored_reason: str
    n: int
    n_answers: int
    counted_as: str = "unscored"

    @property
    def has_answer(self) -> bool:
        """Whether there are answers; false of cases that an import has none for."""
        return self.unscored_reason != NO_IMPORTED_ANSWER

    @property
    def is_wrong(self) -> bool:
        """Whether it counts as wrong, and is no judge's failure."""
        return self.counted_as == "wrong"


def unscored_sentences(rows: Iterable[Unscored]) -> Iterator[str]:
    """Write a sentence for each model and judge: unreadable ones, then others, most first.

    Cases without an imported answer are no judge's: they have one sentence for each model.
    """
    rows = list(rows)
    yield from dict.fromkeys(_sentences([row for row in rows if row.is_wrong]))
    yield from dict.fromkeys(_sentences([row for row in rows if not row.is_wrong]))


def _sentences(rows: Iterable[Unscored]) -> Iterator[str]:
    groups: dict[tuple[str, str], list[Unscored]] = {}
    for row in rows:
        groups.setdefault((row.model, row.judge), []).append(row)
    sizes = {key: sum(row.n for row in of) / of[0].n_answers for key, of in groups.items()}
    for key in sorted(groups, key=lambda key: (-sizes[key], key)):
        first, (model, judge) = groups[key][0], key
        counts: Counter[str] = Counter()
        for row in groups[key]:
            counts[row.unscored_reason] += row.n
        without = counts.pop(NO_IMPORTED_ANSWER, 0)
        if without:
            yield say("unscored.not_imported", model=model, n=without, n_cases=first.n_answers)
        if counts:
            reason = min(counts, key=lambda reason: (-counts[reason], reason))
            of_them = "" if len(counts) == 1 else say("unscored.of_them", n=counts[reason])
            yield say(
                "unscored.unreadable" if first.is_wrong else "unscored.sentence",
                model=model,
                n=counts.total(),
                n_answers=first.n_answers - without,
                judge=judge,
                reason=of_them + reason,
            )
