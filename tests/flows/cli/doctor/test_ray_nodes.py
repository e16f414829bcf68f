"""What is said of Ray clusters that are not there; tests/infra has one that is."""

from __future__ import annotations

import json
from subprocess import CompletedProcess

import pytest

from flows.cli.doctor import ray_nodes
from flows.cli.doctor.ray_nodes import ray
from tests.servers.answering import silent


def test_an_address_where_nobody_is_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    (finding,) = ray()
    assert finding.outcome == "not ok"
    assert "no answer at 127.0.0.1:9" in finding.found
    assert "unset RAY_ADDRESS" in finding.fix


def test_a_cluster_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_nodes, "LIMIT_S", 0.2)
    with silent() as address:
        monkeypatch.setenv("RAY_ADDRESS", address)
        (finding,) = ray()
    assert finding.outcome == "not ok"
    assert "within 0.2 s" in finding.found
    assert "RAY_AUTH_MODE=token" in finding.fix


@pytest.mark.parametrize(("n_cpus", "outcome"), [(0, "not ok"), (4, "ok")])
def test_a_cluster_that_takes_no_work_is_not_well(
    monkeypatch: pytest.MonkeyPatch, n_cpus: int, outcome: str
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    seen = json.dumps({"nodes": 2, "CPUs": n_cpus, "GPUs": 8})
    monkeypatch.setattr(
        ray_nodes.subprocess, "run", lambda *_, **__: CompletedProcess([], 0, seen, "")
    )
    (finding,) = ray()
    assert finding.outcome == outcome
    assert finding.found.startswith(f"2 nodes at auto, with {n_cpus} CPUs and 8 GPUs")
    assert ("--num-cpus=0" in finding.fix) == (outcome == "not ok")
