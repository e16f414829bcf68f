"""`spread` over a real Ray cluster on loopback."""

from __future__ import annotations

import os
import time

import pytest

from tasks.compute import workers
from tasks.compute.ray_cluster import NoCluster
from tasks.compute.workers import spread
from tasks.core.progress import hearing


def test_results_from_the_cluster_are_in_order(ray_cluster: str) -> None:
    results = list(spread(_square_and_process, range(40)))
    assert [square for square, _ in results] == [number**2 for number in range(40)]
    assert os.getpid() not in {process for _, process in results}


def test_gives_up_on_a_cluster_without_cpus(
    ray_cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_PATIENCE_S", 0.05)
    assert list(spread(time.sleep, [0.5])) == [None]  # long work is waited for
    monkeypatch.setattr("tasks.compute.ray_cluster.n_cpus", lambda: 0)
    told: list[str] = []
    with (
        hearing(told.append),
        pytest.raises(NoCluster, match=r"has no CPU, and got none in 0.05 s\. Join a"),
    ):
        list(spread(time.sleep, [0.5]))
    assert told == [f"the Ray cluster at {ray_cluster} has no CPU yet: waiting for one"]


def _square_and_process(number: int) -> tuple[int, int]:
    return number**2, os.getpid()
