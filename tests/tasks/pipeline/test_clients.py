"""The door: a flow, the flows within it and all its suites share one budget."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.budget import BudgetReached
from tasks.pipeline.clients import opened, opened_each
from tasks.pipeline.settings import RunSettings

RUN = RunSettings(budget=1.0)


def test_a_flow_in_a_flow_has_the_outer_ones_run_and_budget() -> None:
    with opened(RUN) as outer:
        with opened(replace(RUN, budget=100.0)) as other:
            assert other.context is outer.context
        with opened_each(replace(RUN, suite="faith,longcontext")) as runs:
            assert [run.suite.name for run in runs] == ["faith", "longcontext"]
            assert all(run.context is outer.context for run in runs)
    assert outer.context.purse.budget == 1.0


def test_the_next_run_has_its_budget_for_itself() -> None:
    with pytest.raises(BudgetReached), opened(replace(RUN, budget=0.0)) as failed:
        failed.context.purse.reserve(1.0)
    for _ in range(2):
        with opened(RUN) as run:
            run.context.purse.reserve(1.0)
            run.context.purse.pay(1.0, 1.0)
