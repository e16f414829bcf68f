"""Pairwise judging reads a snippet once: what a run asked, replayed on a simulated scheduler."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.bench.scheduler.client import QWEN_72B
from tests.bench.scheduler.orders import in_groups
from tests.bench.scheduler.prompts import least_computed
from tests.bench.scheduler.request_log import Logged, read_log
from tests.once import made_once
from tests.played_tables import played

N_MODELS = 3
LEAST_SHARE = 0.99


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Logged:
    """What a judge of pairs was asked about the answers of all models."""
    folder = made_once(tmp_path_factory, "played-tables", lambda folder: played(folder))
    logged = read_log(folder / "lake")
    return next(each for each in logged if each.operation == "judge_pairwise")


def test_both_orders_of_all_models_on_one_case_are_one_group(asked: Logged) -> None:
    assert len(asked.groups) > 20
    # two where a reply is empty, which loses without a call
    assert {group.n_calls for group in asked.groups} == {2, N_MODELS * (N_MODELS - 1)}


def test_one_replica_finds_what_any_order_could_find(asked: Logged) -> None:
    result = in_groups(asked.groups, asked.calls, replace(QWEN_72B, replicas=1))
    assert result.share_of_bound >= LEAST_SHARE


@pytest.mark.parametrize("n_replicas", [2, 8])
def test_several_replicas_find_what_the_calls_of_each_case_share(
    asked: Logged, n_replicas: int
) -> None:
    """Questions on one snippet may go to different replicas; those of one case do not."""
    result = in_groups(asked.groups, asked.calls, replace(QWEN_72B, replicas=n_replicas))
    computed = sum(least_computed([call.prompt for call in group.calls]) for group in asked.groups)
    assert result.hit_rate >= LEAST_SHARE * (1 - computed / result.n_prompt)
