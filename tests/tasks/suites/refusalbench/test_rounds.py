"""The number of cases that a round needs."""

from __future__ import annotations

import math
import re

import pytest

from tasks.core.rows import Case
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.rounds import PRECISION, error_of, samples_per_round


@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds", "n"), [(0.1, 0.05, 1, 185), (0.05, 0.05, 4, 1_016)]
)
def test_rounds_need_as_many_cases_as_the_bound_says(
    epsilon: float, delta: float, rounds: int, n: int
) -> None:
    def bound(n: int) -> float:
        return 2 * rounds * math.exp(-2 * n * epsilon**2)

    assert samples_per_round(epsilon, delta, rounds) == n
    assert bound(n) <= delta < bound(n - 1)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds"),
    [(0, 0.05, 1), (1, 0.05, 1), (-0.1, 0.05, 1), (0.1, 0, 1), (0.1, 1, 1), (0.1, 0.05, 0),
     (math.nan, 0.05, 1)],
)  # fmt: skip
def test_what_bounds_nothing_is_refused(epsilon: float, delta: float, rounds: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        samples_per_round(epsilon, delta, rounds)


def cases(n_questions: int, *, prompt: str = "plain") -> list[Case]:
    """Three cases of each question, the first of which is answerable."""
    return [
        Case(
            case_id=f"{prompt} {question} {place}",
            qa_pair_id=f"q{question}",
            suite="refusalbench",
            variant="contradiction_high" if place else "contradiction_low",
            query="What were net sales?",
            context_id="c",
            target="$5 million",
            is_answerable=not place,
            traits={"prompt": prompt},
        )
        for question in range(n_questions)
        for place in range(3)
    ]


def figures_of(note: str) -> list[float]:
    return [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", note)]


@pytest.mark.parametrize("n", [1, 185, 1_016, 10**6])
def test_an_error_takes_the_cases_that_reach_it(n: int) -> None:
    error = error_of(n, 0.05, 4)
    assert error == 1.0 or samples_per_round(error * (1 + 1e-9), 0.05, 4) == n


def test_estimate_says_the_cases_that_a_round_needs_and_what_a_run_reaches() -> None:
    options = RefusalBenchOptions(answer_prompts=("plain", "confidence"))
    both = [*cases(100), *cases(100, prompt="confidence")]
    needed, reached = PRECISION.says(both, 1.0, options)
    assert figures_of(needed) == [1_016, 0.05, 4, 0.95]
    found = figures_of(reached)
    assert found[::2] == [100, 200, 100]
    assert found[1::2] == [pytest.approx(error_of(n, 0.05, 4), abs=5e-4) for n in (100, 200, 100)]


def test_estimate_scales_a_sample_and_takes_other_errors_and_rounds() -> None:
    options = RefusalBenchOptions(epsilon=0.1, rounds=1)
    needed, reached = PRECISION.says(cases(10), 2.5, options)
    assert figures_of(needed) == [185, 0.1, 1, 0.95]
    # a step draws so many questions, however many the sample has
    assert figures_of(reached)[::2] == [25, 50, 200]
    assert len(list(PRECISION.says([], 1.0, options))) == 1


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": 1}, {"delta": 0}, {"rounds": 0}])
def test_options_that_bound_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RefusalBenchOptions.model_validate(wrong)
