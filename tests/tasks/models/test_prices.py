"""Prices per token: plain, cached and written."""

from __future__ import annotations

import pytest

from tasks.models.prices import Price


def test_cache_reads_and_writes_have_their_own_prices() -> None:
    price = Price(prompt=2.0, output=8.0, cached=0.5, written=3.0)
    # 0.3 at 2, 0.4 at 0.5, 0.3 at 3, 0.5 at 8
    assert price.of(1_000_000, 400_000, 500_000, 300_000) == pytest.approx(0.6 + 0.2 + 0.9 + 4.0)


@pytest.mark.parametrize("written", [None, 0.0, 3.0])
def test_no_call_costs_more_than_the_most(written: float | None) -> None:
    price = Price(prompt=2.0, output=8.0, cached=0.5, written=written)
    shares = [
        (cached, kept)
        for cached in (0, 500, 1_000)
        for kept in (0, 500, 1_000)
        if cached + kept <= 1_000
    ]
    costs = [price.of(1_000, cached, 100, kept) for cached, kept in shares]
    assert max(costs) == pytest.approx(price.most(1_000, 100))
