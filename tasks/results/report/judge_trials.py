"""Sentences about judges that failed a trial, for page and terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tasks.results.report.messages import listed, say


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

    @property
    def failures(self) -> dict[str, tuple[int, int]]:
        """What the judge failed in -> how often, and out of how many."""
        return {
            "fell": (self.n_fell, self.n_attacks),
            "missed": (self.n_missed, self.n_controls),
            "flips": (self.n_flips, self.n_repeated),
            "unscored": (self.n_unscored, self.n_asked),
            "same": (self.n_same, self.n_asked),
        }


def trial_sentences(rows: Iterable[JudgeTrial]) -> Iterator[str]:
    """Write a sentence for each judge that failed in something."""
    for row in rows:
        said = [say(f"trial.{what}", n=n, of=of) for what, (n, of) in row.failures.items() if n]
        if row.self_preference is not None:
            said.append(say("trial.self_preference", by=row.self_preference))
        if said:
            yield say("trial.sentence", judge=row.judge, failures=listed(said))
