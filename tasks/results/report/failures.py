"""Sentences about answers without a verdict and judges that failed, for page and terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.results.report.messages import listed, say
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


@dataclass(frozen=True, slots=True)
class JudgeTrial:
    """A row of `reports.judge_trials`, which says what the counts are."""

    judge: str
    n_asked: int
    n_unscored: int
    n_same: int
    n_attacks: int
    n_fell: int
    n_controls: int
    n_missed: int
    n_repeated: int
    n_flips: int
    self_preference: float | None


def unscored_sentences(rows: Iterable[Unscored]) -> list[str]:
    """Write a sentence for each model and judge: unreadable ones, then others, most first.

    Cases without an imported answer are no judge's: they have one sentence for each model.
    """
    groups: dict[tuple[bool, str, str], list[Unscored]] = {}
    for row in rows:
        groups.setdefault((not row.is_wrong, row.model, row.judge), []).append(row)
    shares = {key: sum(row.n for row in of) / of[0].n_answers for key, of in groups.items()}
    ordered = sorted(groups, key=lambda key: (key[0], -shares[key], key))
    return list(dict.fromkeys(line for key in ordered for line in _of_one(groups[key])))


def _of_one(rows: Sequence[Unscored]) -> Iterator[str]:
    """Write the sentences of one model and judge."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row.unscored_reason] += row.n
    model, n_cases = rows[0].model, rows[0].n_answers
    if without := counts.pop(NO_IMPORTED_ANSWER, 0):
        yield say("unscored.not_imported", model=model, n=without, n_cases=n_cases)
    if counts:
        reason = min(counts, key=lambda reason: (-counts[reason], reason))
        of_them = "" if len(counts) == 1 else say("unscored.of_them", n=counts[reason])
        yield say(
            "unscored.unreadable" if rows[0].is_wrong else "unscored.sentence",
            model=model,
            n=counts.total(),
            n_answers=n_cases - without,
            judge=rows[0].judge,
            reason=of_them + reason,
        )


def trial_sentences(rows: Iterable[JudgeTrial]) -> Iterator[str]:
    """Write a sentence for each judge that failed in something."""
    for row in rows:
        counts = {
            "fell": (row.n_fell, row.n_attacks),
            "missed": (row.n_missed, row.n_controls),
            "flips": (row.n_flips, row.n_repeated),
            "unscored": (row.n_unscored, row.n_asked),
            "same": (row.n_same, row.n_asked),
        }
        failures = [say(f"trial.{what}", n=n, of=of) for what, (n, of) in counts.items() if n]
        if row.self_preference is not None:
            failures.append(say("trial.self_preference", by=row.self_preference))
        if failures:
            yield say("trial.sentence", judge=row.judge, failures=listed(failures))
