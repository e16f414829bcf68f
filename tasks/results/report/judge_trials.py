"""Sentences about judges that failed a trial, for page and terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


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


def trial_sentences(rows: Iterable[JudgeTrial]) -> Iterator[str]:
    """Write a sentence for each judge that failed in something."""
    for row in rows:
        said = [
            f"{what} {n:,} of {of:,} {things}"
            for what, n, of, things in (
                ("was taken in by", row.n_fell, row.n_attacks, "answers written to deceive it"),
                ("misjudged", row.n_missed, row.n_controls, "plain control answers"),
                ("changed its mind on", row.n_flips, row.n_repeated, "answers that it saw twice"),
                ("gave no verdict on", row.n_unscored, row.n_asked, "answers"),
            )
            if n
        ]
        if row.self_preference is not None:
            said.append(
                f"rates its own answers {row.self_preference:.2f} higher than another judge does"
            )
        if said:
            *first, last = said
            yield f"Judge {row.judge} {', '.join(first)}{' and ' if first else ''}{last}."
