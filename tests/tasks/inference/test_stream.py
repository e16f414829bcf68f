"""The ledger: a call is sent once, answered wherever it was asked, and kept before it counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tasks.inference.client import Client
from tasks.inference.operation import Call, Group, Work, grouped
from tests.calls import streamed
from tests.handed import Handed
from tests.journals import bought
from tests.kept import (
    FIVE,
    Died,
    Sending,
    answered,
    assert_free,
    echo,
    question,
    rendered,
    sent,
    texts,
)
from tests.scripted import Scripted


@pytest.mark.parametrize(
    ("changes", "is_kept"),
    [
        ({"status": "error", "error_type": "timeout"}, False),
        ({"status": "error", "error_type": "server_error"}, False),
        ({"status": "error", "error_type": "prompt_truncated"}, False),
        ({"status": "error", "error_type": "context_overflow"}, True),
        ({"status": "error", "error_type": "content_filter"}, True),
        ({"status": "error", "error_type": "bad_request"}, True),
        # refused here: the window may be another tomorrow, and finding out is free
        ({"status": "error", "error_type": "context_overflow", "attempts": 0}, False),
        ({"status": "quarantined", "error_type": "quarantined"}, True),
        ({"status": "ok"}, True),
    ],
)
def test_what_would_come_again_is_kept_and_what_may_pass_is_not(
    journal: ResponseCache, changes: dict[str, object], is_kept: bool
) -> None:
    first = Scripted(echo, identity="m1", **changes)
    settled = answered(Client(first, journal), FIVE)
    second = Scripted(echo, identity="m1")
    later = answered(Client(second, journal), FIVE)
    assert len(second.calls) == (0 if is_kept else 5)
    if is_kept:
        assert dict(later) == dict(settled)


def test_an_answer_is_kept_before_it_counts(journal: ResponseCache, journal_path: Path) -> None:
    seen = []
    other = ResponseCache(journal_path)

    async def read() -> None:
        async for call, response in Client(Scripted(echo, identity="m1"), journal).stream(
            grouped(rendered(FIVE))
        ):
            seen.append(other.find([call.request.key or ""]) == {call.request.key: response})

    asyncio.run(read())
    other.close()
    assert seen == [True] * 5


def test_an_answer_that_cannot_be_kept_ends_the_run_and_releases_its_lease(
    journal: ResponseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Future[list[Response]]:
        raise CacheError("no space is left")

    with monkeypatch.context() as broken:
        broken.setattr(journal, "store", fails)
        with pytest.raises(CacheError, match="no space"):
            answered(Client(Sending(echo), journal, primes=True), FIVE)
    assert_free(journal)


# --- equal prompts --------------------------------------------------------------------------


def one_group_each(calls: Sequence[Call]) -> list[Group]:
    """Every call in a group of its own, as the plans of several steps may have it."""
    return [group for call in calls for group in grouped([call])]


@pytest.mark.parametrize("in_flight", [1, 2, 8])
def test_equal_prompts_in_different_groups_are_sent_once(
    journal: ResponseCache, in_flight: int
) -> None:
    engine = Sending(echo, in_flight=in_flight)
    twins = [question("A", "1?", f"twin {n}") for n in range(6)]
    settled = streamed(Client(engine, journal), one_group_each(rendered(twins)))
    assert len(engine.calls) == 1
    assert texts(settled) == {f"twin {n}": "to 1?" for n in range(6)}
    assert len(settled) == 6


class Charging(Scripted):
    """Charges half a dollar for failing."""

    async def answer(self, work: Work) -> None:
        async def charged(call: Call, response: Response) -> Sequence[Call]:
            return await work.answered(call, replace(response, cost_usd=0.5))

        handed = Handed(work.groups, charged)
        handed.open = work.open  # type: ignore[method-assign]
        await super().answer(handed)


def test_what_a_failure_has_cost_is_kept_though_the_call_is_asked_again(
    journal: ResponseCache,
) -> None:
    failing = Charging(lambda call: None, identity="m1")
    answered(Client(failing, journal), FIVE)
    assert len(sent(failing)) == 5
    again = Scripted(echo, identity="m1", cost_usd=0.25)
    assert set(texts(answered(Client(again, journal), FIVE)).values()) == {
        "to 1?",
        "to 2?",
        "to 3?",
    }
    paid = Counter((one.status, one.cost_usd) for one in bought(journal))
    assert paid == {("error", 0.5): 5, ("ok", 0.25): 5}


# --- whatever happens -----------------------------------------------------------------------


@settings(max_examples=30)
@given(
    asked=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=24),
    deaths=st.lists(st.integers(0, 12), max_size=4),
    in_flight=st.integers(1, 5),
    primes=st.booleans(),
    seed=st.integers(0, 99),
)
def test_however_often_a_run_dies_each_call_is_answered_once_and_little_is_sent_again(
    tmp_path_factory: pytest.TempPathFactory,
    asked: list[tuple[int, int]],
    deaths: list[int],
    in_flight: int,
    primes: bool,
    seed: int,
) -> None:
    journal_path = tmp_path_factory.mktemp("any") / "journal.sqlite"
    questions = [
        question(f"{context}", f"{query}?", f"s{n}") for n, (context, query) in enumerate(asked)
    ]
    engines = []
    for dies_after in [*deaths, None]:
        journal = ResponseCache(journal_path)
        engines.append(Sending(echo, dies_after=dies_after, in_flight=in_flight, seed=seed))
        try:
            settled = answered(Client(engines[-1], journal, primes=primes), questions)
        except Died:
            settled = []
        finally:
            journal.close()
    assert sorted(call.request.request_id for call, _ in settled if not call.is_primer) == sorted(
        call.request.request_id for call in rendered(questions)
    )
    assert all(response.text == echo(call) for call, response in settled)
    times = Counter(
        call.request.key for engine in engines for call in engine.calls if not call.is_primer
    )
    assert len(times) == len(set(asked))
    assert sum(times.values()) - len(times) <= in_flight * len(deaths)


def test_a_reader_that_leaves_ends_what_is_in_flight_and_releases_the_lease(
    journal: ResponseCache,
) -> None:
    async def leave() -> None:
        async with aclosing(Client(Sending(echo), journal).stream(grouped(rendered(FIVE)))) as it:
            async for _ in it:
                break
        # now, not at the end of `asyncio.run`: nest_asyncio's leaves other tasks running
        assert_free(journal)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(leave())
