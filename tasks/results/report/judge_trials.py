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
    n_attacks: int
    n_fell: int
    n_controls: int
    n_missed: int
    n_repeated: int
    n_flips: int
    self_preference: float | None

    @property
    def is_tried(self) -> bool:
        """Whether the judge was put to an attack, a control or an answer that it had seen."""
        return bool(self.n_attacks or self.n_controls or self.n_repeated)


def trial_sentences(rows: Iterable[JudgeTrial]) -> Iterator[str]:
    """Write a sentence for each judge that failed in something."""
    for row in rows:
        counts = {
            "fell": (row.n_fell, row.n_attacks),
            "missed": (row.n_missed, row.n_controls),
            "flips": (row.n_flips, row.n_repeated),
            "unscored": (row.n_unscored, row.n_asked),
        }
        said = [say(f"trial.{what}", n=n, of=of) for what, (n, of) in counts.items() if n]
        if row.self_preference is not None:
            said.append(say("trial.self_preference", by=row.self_preference))
        if said:
            yield say("trial.sentence", judge=row.judge, failures=listed(said))
