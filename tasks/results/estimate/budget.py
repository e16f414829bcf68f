"""Whether a budget holds an estimated run, and where it would be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tasks.results.estimate.call_costs import Line, Stage, total


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The call at which a budget is used up: number `call` of the operation's unanswered calls."""

    stage: Stage
    operation: str
    model: str
    call: int
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCost:
    """US dollars of a stage and of all stages up to it.

    Attributes:
        dollars: of the stage, with typical answers.
        so_far: of all stages up to it, with typical answers.
        most_so_far: the same with the longest answers allowed.
    """

    stage: Stage
    dollars: float
    so_far: float
    most_so_far: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetCheck:
    """A budget compared with the cost of a run, stage by stage.

    Attributes:
        reached: where it is used up if answers are typical; None if it is not.
        reached_most: the same if every answer is as long as allowed.
    """

    budget: float
    stages: tuple[StageCost, ...]
    reached: Reached | None
    reached_most: Reached | None


def check_budget(lines: Sequence[Line], budget: float) -> BudgetCheck:
    """Compare a budget in US dollars with an estimate's lines, in order of spending."""
    stages: list[StageCost] = []
    so_far = most_so_far = 0.0
    for stage, of_stage in groupby(lines, key=lambda line: line.stage):
        cost = total(of_stage)
        dollars = cost.dollars or 0.0
        so_far += dollars
        most_so_far += cost.most_dollars or 0.0
        stages.append(
            StageCost(stage=stage, dollars=dollars, so_far=so_far, most_so_far=most_so_far)
        )
    return BudgetCheck(
        budget=budget,
        stages=tuple(stages),
        reached=_reached(lines, [line.dollars or 0.0 for line in lines], budget),
        reached_most=_reached(lines, [line.most_dollars or 0.0 for line in lines], budget),
    )


def _reached(lines: Sequence[Line], costs: Sequence[float], budget: float) -> Reached | None:
    remaining = budget
    for line, cost in zip(lines, costs, strict=True):
        if cost > remaining:
            calls = line.requests - line.answered
            return Reached(
                stage=line.stage,
                operation=line.operation,
                model=line.model,
                call=min(calls, int(calls * remaining / cost) + 1),
                calls=calls,
            )
        remaining -= cost
    return None
