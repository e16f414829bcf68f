"""How many fresh cases a round of evaluation needs, and how near a run's cases bring its scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tasks.core.rows import Case
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.suite import Precision


def samples_per_round(epsilon: float, delta: float, rounds: int) -> int:
    """Return how many fresh cases each of some rounds needs for an error below `epsilon`.

    n >= ln(2 T / delta) / (2 epsilon^2). By Hoeffding's inequality the mean of n scores from 0 to 1
    is off by epsilon or more with a probability of at most 2 exp(-2 n epsilon^2); the union bound
    multiplies it by T rounds (paper, theorem 3.1 and appendix B.4). Example: 0.05, 0.05 and 4
    rounds need 1,016.

    Args:
        epsilon: the largest error of a model's score in any round.
        delta: the probability that it is exceeded in some round.
        rounds: T.
    """
    if not (0 < epsilon < 1 and 0 < delta < 1 and rounds >= 1):
        raise ValueError(
            f"No number of cases follows from an error of {epsilon}, a probability of {delta} and "
            f"{rounds} rounds. Give an error and a probability between 0 and 1, and a round or "
            f"more."
        )
    return math.ceil(math.log(2 * rounds / delta) / (2 * epsilon**2))


def error_of(n: int, delta: float, rounds: int) -> float:
    """Return the error that n cases a round keep below: `samples_per_round` the other way round.

    Example: 1,016 cases, 0.05 and 4 rounds give 0.05.
    """
    return min(1.0, math.sqrt(math.log(2 * rounds / delta) / (2 * n)))


def precision(cases: Sequence[Case], scale: float, options: RefusalBenchOptions) -> Iterator[str]:
    """Say how many cases a round needs, and how near to the truth those of the run bring scores."""
    delta, rounds = options.delta, options.rounds
    yield (
        f"{samples_per_round(options.epsilon, delta, rounds):,} fresh cases of a metric a round "
        f"keep its score within {options.epsilon:g} of the truth in every round of {rounds}, "
        f"with a probability of {1 - delta:.4g} (Hoeffding; --epsilon, --rounds and --delta)"
    )
    prompt = "plain" if "plain" in options.answer_prompts else options.answer_prompts[0]
    counted = [case for case in cases if case.traits["prompt"] == prompt]
    n_answerable = sum(case.is_answerable for case in counted)
    n_questions = len({case.qa_pair_id for case in counted})
    found = {
        "answerable cases": round(n_answerable * scale),
        "unanswerable cases": round((len(counted) - n_answerable) * scale),
        "questions, if cases of one question are all alike": (
            n_questions if scale == 1 else options.base_questions * len(options.settings)
        ),
    }
    errors = [f"{n:,} {what}: {error_of(n, delta, rounds):.3f}" for what, n in found.items() if n]
    if counted:
        yield f"by the same bound, this run's scores are within: {'; '.join(errors)}"


PRECISION = Precision(says=precision, options=("epsilon", "delta", "rounds"))
