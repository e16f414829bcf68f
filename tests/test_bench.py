"""The benches still fit the product: no other test imports them."""

from tests.bench import metrics, mutations, road
from tests.bench.roads import ours


def test_each_bench_begins_at_main() -> None:
    assert all(callable(bench.main) for bench in (metrics, mutations, road, ours))
