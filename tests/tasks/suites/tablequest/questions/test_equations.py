"""Equations in steps are computed again; what cannot be computed contradicts nothing."""

from __future__ import annotations

from time import process_time

import pytest

from tasks.suites.tablequest.questions.equations import wrong_equation


@pytest.mark.parametrize(
    "steps",
    [
        "394,328 - 365,817 = 28,511",
        "$394,328 million - $365,817 million = $28,511 million.",
        "394,328 - 365,817 = $28,511 million",
        "(394,328 − 365,817) / 365,817 × 100 = 7.79%",
        "28,511 / 365,817 = 0.0779 = 7.79%",
        "28,511 ÷ 365,817 ≈ 0.078, and 0.078 x 100 = 7.8%",
        "A - B = 394,328 - 365,817 = 28,511",
        "(1,234) - 500 = -1,734",
        "1,234 - (500) = 1,734",
        "12.5% - 10.4% = 2.1 percentage points",
        "(10 + 20 + 31)/3 = 20.3",
        "(10 + 20 + 31) / 3 = 20",
        "$1,200 million + $0.5 billion = $1.7 billion",
        r"\(394,328 - 365,817 = 28,511\)",
        r"394,328 \times 2 = 788,656",
        "3 * 4 = 12 units sold in 2023, 15 in 2022",
        "Margin = (500 - 300) / 500 = 40%",
        "365,817 * 1.0779 = 394,314",
        "net sales 2023 - net sales 2022 = 5",
        "x = 5",
        "10-K = 5 - 4",
        "500 - 300 =",
        "500 / 0 = 3",
        "",
    ],
)
def test_right_equations_and_none_pass(steps: str) -> None:
    assert wrong_equation(steps) is None


@pytest.mark.parametrize(
    "steps",
    [
        "394,328 - 365,817 = 28,411",
        "First, 394,328 - 365,817 = 28,511. Then 28,511 / 365,817 = 0.78%.",
        "(394,328 − 365,817) / 365,817 × 100 = 7.29%",
        "$394,328 million - $365,817 million = $28.5 million",
        "1,234 - 500 = -734",
        "(10+20)/3 = 15",
        "Then, 500 - 300 = 100, so it fell",
        "12.5% - 10.4% = 3.1 percentage points",
        "- A - B = 500 - 300 = 250",
        "**500 + 300 = 900**",
    ],
)
def test_a_wrong_equation_is_named(steps: str) -> None:
    assert wrong_equation(steps)


@pytest.mark.parametrize(
    "piece", ["1 + 1 = ", "(", "1.5 * ", "= ", "9,999", "a 1 - ", "1.5 + 2.5 = 4 "]
)
def test_long_steps_take_no_long_time(piece: str) -> None:
    start = process_time()
    wrong_equation(piece * (20_000 // len(piece)))
    assert process_time() - start < 3
