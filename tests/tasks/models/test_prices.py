"""Prices per token: plain, cached, written and in batches."""

from __future__ import annotations

import pytest

from tasks.models.catalogue import Model, batch_price_of, find_model
from tasks.models.prices import Price, listed_price


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


def test_anthropic_charges_a_quarter_more_for_writes_and_a_tenth_for_reads() -> None:
    price = listed_price("anthropic/claude-sonnet-4-5")
    assert price is not None
    assert price.written == pytest.approx(1.25 * price.prompt)
    assert price.cached == pytest.approx(0.1 * price.prompt)


# --- batches --------------------------------------------------------------------------------


def test_batch_discount_applies_to_every_price_of_the_row() -> None:
    row = Model(
        name="m",
        engine="openai",
        description="",
        price=Price(prompt=2.0, output=8.0, cached=0.5, written=3.0),
        batch_discount=0.25,
    )
    assert batch_price_of(row) == Price(prompt=1.5, output=6.0, cached=0.375, written=2.25)


@pytest.mark.parametrize("name", ["gpt-4o", "o1", "o3-mini"])
def test_openai_batches_cost_half_and_cached_tokens_no_less(name: str) -> None:
    row = find_model(name)
    listed, price = listed_price(row.called), batch_price_of(row)
    assert listed is not None
    assert price == Price(prompt=listed.prompt / 2, output=listed.output / 2)
