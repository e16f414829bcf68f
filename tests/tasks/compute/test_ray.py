"""`spread` over a real Ray cluster on loopback."""

from __future__ import annotations

import os

import pytest

from tasks.compute.workers import spread
from tasks.core.progress import hearing


def test_results_from_the_cluster_are_in_order(ray_cluster: str) -> None:
    results = list(spread(_square_and_process, range(40)))
    assert [square for square, _ in results] == [number**2 for number in range(40)]
    assert os.getpid() not in {process for _, process in results}


def test_who_waits_for_a_cpu_is_told(ray_cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.compute.ray_cluster.n_cpus", lambda: 0)
    messages: list[str] = []
    with hearing(messages.append):
        assert list(spread(abs, [-1])) == [1]
    assert messages[0].startswith(f"the Ray cluster at {ray_cluster} has no CPU yet: waiting for")


def _square_and_process(number: int) -> tuple[int, int]:
    return number**2, os.getpid()
