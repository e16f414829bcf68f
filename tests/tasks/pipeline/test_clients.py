"""A run's context: one budget for a flow and the flows within it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.budget import BudgetReached
from tasks.pipeline.clients import running
from tasks.pipeline.settings import RunSettings

RUN = RunSettings(budget=1.0)


def test_a_flow_in_a_flow_spends_the_outer_ones_budget() -> None:
    with running(RUN) as outer:
        with running(replace(RUN, budget=100.0)) as inner:
            assert inner is outer
        with running(RUN) as later:
            assert later is outer
    assert outer.purse.budget == 1.0


def test_the_next_run_has_its_budget_for_itself() -> None:
    with running(RUN) as first:
        first.purse.reserve(1.0)
        first.purse.pay(1.0, 1.0)
    with running(RUN) as second:
        second.purse.reserve(1.0)
        assert second.purse.reserved == 1.0


def test_a_run_that_fails_leaves_its_purse_behind() -> None:
    with pytest.raises(BudgetReached), running(replace(RUN, budget=0.0)) as failed:
        failed.purse.reserve(1.0)
    with running(RUN) as later:
        later.purse.reserve(1.0)
