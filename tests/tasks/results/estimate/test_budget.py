"""A budget is held against what an estimate's stages cost, in the order in which they are spent."""

from __future__ import annotations

from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tasks.results.estimate.call_costs import Calls, Line, Reached, Stage, check_budget

PAID = Model(name="paid", engine="openai", description="", price=Price(prompt=1.0, output=1.0))
RULES = Model(name="extractive", engine="extractive", description="")


def line(stage: Stage, operation: str, model: Model, calls: int, answered: int = 0) -> Line:
    """Each open call costs $1 with a typical answer, $2 with the longest."""
    n = (calls - answered) * 1_000_000
    return Calls(
        requests=calls,
        answered=answered,
        prompt=n / 2,
        unique=n / 2,
        output=n / 2,
        most_output=3 * n / 2,
    ).line(stage, operation, model, "predicted")


LINES = [
    line("build", "ask", PAID, 4),
    line("infer", "answer", PAID, 10, answered=2),
    line("judge", "rate", RULES, 100),
]


def test_a_budget_above_the_longest_answers_holds() -> None:
    check = check_budget(LINES, 24.0)
    assert check.reached is check.reached_most is None


def test_a_budget_between_typical_and_longest_answers_may_be_reached() -> None:
    check = check_budget(LINES, 12.0)
    assert check.reached is None
    assert check.reached_most == Reached(
        stage="infer", operation="answer", model="paid", call=3, calls=8
    )


def test_a_budget_that_is_too_small_names_the_call_at_which_it_is_used_up() -> None:
    check = check_budget(LINES, 5.5)
    assert check.reached == Reached(
        stage="infer", operation="answer", model="paid", call=2, calls=8
    )
    assert check_budget(LINES, 0.0).reached == Reached(
        stage="build", operation="ask", model="paid", call=1, calls=4
    )
