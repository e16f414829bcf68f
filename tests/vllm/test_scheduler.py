"""The simulator equals vLLM's own scheduler: on hits, steps and preemptions, request by request."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.bench.scheduler.scenarios import paper_piece, random_scenario, simulate
from tests.vllm.vllm_scheduler import run_in_vllm

pytestmark = [
    pytest.mark.skipif(find_spec("vllm") is None, reason="needs vLLM: make test-vllm"),
    pytest.mark.timeout(900),  # the first import of vLLM takes most of it
]

N_SCENARIOS = 400


def test_random_scenarios_go_as_in_vllm(tiny_model: Path) -> None:
    n_tight = 0
    for seed in range(N_SCENARIOS):
        scenario = random_scenario(seed)
        expected = run_in_vllm(scenario, tiny_model)
        assert simulate(scenario) == expected, f"random_scenario({seed})"
        n_tight += expected.n_preemptions > 0 and expected.n_recached > 0
    assert n_tight > N_SCENARIOS // 5  # enough of them preempt and find what was left of their own


def test_a_piece_of_the_papers_workload_goes_as_in_vllm(tiny_model: Path) -> None:
    scenario = paper_piece()
    expected = run_in_vllm(scenario, tiny_model)
    assert simulate(scenario) == expected
    assert expected.n_preemptions > 0
    assert sum(expected.n_cached) > 1_000_000
