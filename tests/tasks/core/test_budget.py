"""A run's budget: calls in flight count, it is kept, and no answer is bought twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.budget import BudgetReached, Purse
from tasks.core.rows import Response
from tasks.inference.operation import Call, grouped
from tasks.models.catalogue import find_model
from tasks.pipeline.clients import client_of
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tests.calls import group_of, streamed
from tests.servers.serving import Server, serving


def test_a_call_that_cost_more_than_it_reserved_makes_later_ones_reserve_more() -> None:
    mine = Purse(10.0)
    mine.reserve(1.0)
    mine.pay(1.0, 2.0)
    for _ in range(4):
        mine.reserve(1.0)
    assert mine.reserved == 8.0
    assert not mine.has_room(1.0)
    with pytest.raises(BudgetReached, match=r"the next call may cost \$2\.0000"):
        mine.reserve(1.0)


@given(st.lists(st.tuples(st.floats(1e-6, 3.0), st.floats(0.0, 1.0), st.booleans()), max_size=80))
def test_the_budget_is_never_exceeded(calls: list[tuple[float, float, bool]]) -> None:
    mine, in_flight = Purse(5.0), []
    for most, share, ends in calls:
        try:
            mine.reserve(most)
        except BudgetReached:
            assert mine.spent + sum(reserved for reserved, _ in in_flight) + most > 5.0 - 1e-9
        else:
            in_flight.append((most, most * share))
        if ends and in_flight:
            mine.pay(*in_flight.pop(0))
    for reserved, cost in in_flight:
        mine.pay(reserved, cost)
    assert mine.spent <= 5.0 + 1e-9
    assert (mine.in_flight, mine.reserved) == (0, 0.0)


def test_many_threads_spend_from_one_purse() -> None:
    shared = Purse(3.0)
    start = Barrier(8)

    def spend(seed: int) -> float:
        random, paid = Random(seed), 0.0
        start.wait()
        for _ in range(500):
            try:
                shared.reserve(0.01)
            except BudgetReached:
                continue
            cost = random.random() * 0.01
            shared.pay(0.01, cost)
            paid += cost
        return paid

    with ThreadPoolExecutor(8) as threads:
        paid = sum(threads.map(spend, range(8)))
    assert shared.spent == pytest.approx(paid)
    assert 2.9 < shared.spent <= 3.0
    assert (shared.in_flight, shared.reserved) == (0, 0.0)


# --- through engines ------------------------------------------------------------------------

N_CALLS, MOST, COST = 60, 0.016, 0.007  # an answer has 7 tokens of 16, at a dollar per thousand


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(delay_ms=10) as running:
        yield running


@pytest.fixture(params=["openai", "litellm"])
def run(
    request: pytest.FixtureRequest, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RunSettings:
    """Settings that name a priced model `paid` which the server answers for."""
    monkeypatch.setenv("TENKBENCH_TEST_KEY", "sk-test-0123456789")
    models = tmp_path / "models.toml"
    models.write_text(
        f"""
        [models.paid]
        engine = "{request.param}"
        description = "priced"
        served_as = "openai/local"
        base_url = "{server.url}"
        key_env = "TENKBENCH_TEST_KEY"
        price = {{ prompt = 0.0, output = 1000.0 }}
        in_flight = 8
        """
    )
    return RunSettings(lake=str(tmp_path / "lake"), models_file=str(models), model=("paid",))


def settled(
    run: RunSettings, budget: float | None
) -> tuple[dict[str, float], Purse, BudgetReached | None]:
    """What one run of a command settles: dollars by request; its purse; how it was stopped."""
    row = find_model("paid", run.models_file)
    calls = [call for document in range(12) for call in group_of(f"Document {document}.", 5, row)]
    heard: list[tuple[Call, Response]] = []
    reached = None
    resolved = resolve(replace(run, budget=budget))
    try:
        streamed(client_of(resolved, "paid"), grouped(calls), heard)
    except BudgetReached as stopped:
        reached = stopped
    assert {response.status for _, response in heard} <= {"ok"}
    dollars = {call.request.request_id: response.cost_usd or 0.0 for call, response in heard}
    return dollars, resolved.context.purse, reached


def test_a_run_stops_before_its_budget_and_the_next_pays_only_for_the_rest(
    run: RunSettings, server: Server
) -> None:
    before = server.stats()
    first, purse_of_first, reached = settled(run, 0.2)
    between = server.stats()
    assert reached is not None
    assert str(reached).startswith("the budget of $0.20 does not allow another call")
    # all that was bought is kept, and only a call's worst price is left of the budget
    assert between["answered"] - before["answered"] == len(first)
    assert sum(first.values()) == pytest.approx(purse_of_first.spent)
    assert 0.2 - MOST < purse_of_first.spent <= 0.2
    assert (purse_of_first.in_flight, purse_of_first.reserved) == (0, 0.0)

    whole, purse_of_second, stopped = settled(run, 1.0)
    after = server.stats()
    assert stopped is None
    assert len(whole) == N_CALLS
    assert first.items() <= whole.items()
    assert after["received"] - before["received"] == N_CALLS
    assert purse_of_first.spent + purse_of_second.spent == pytest.approx(N_CALLS * COST)

    again, purse_of_third, stopped = settled(run, 0.0)
    assert stopped is None
    assert again == whole
    assert purse_of_third.spent == 0.0
