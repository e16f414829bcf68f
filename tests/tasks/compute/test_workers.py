"""`spread` over processes gives what `map` gives, in order; test_ray.py has the cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool

import pytest

from tasks.compute.workers import spread


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_results_are_the_same_for_any_number_of_workers(workers: int) -> None:
    assert list(spread(math.factorial, range(300), workers)) == [
        math.factorial(n) for n in range(300)
    ]


def test_consumes_things_lazily() -> None:
    taken: list[int] = []

    def things() -> Iterator[int]:
        for number in range(10_000):
            taken.append(number)
            yield number

    results = spread(math.sqrt, things(), 2)
    assert next(results) == 0.0
    results.close()
    assert len(taken) < 1_000


def test_killed_worker_is_an_error_and_the_pool_is_replaced() -> None:
    with pytest.raises(BrokenProcessPool):
        list(spread(os._exit, [1], 2))
    assert list(spread(math.sqrt, [4.0], 2)) == [2.0]
