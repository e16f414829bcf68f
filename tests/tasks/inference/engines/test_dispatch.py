"""The dispatcher: when it sends which calls, and settles each once; on a clock that jumps."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.budget import Purse
from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.engines.failures import Failure, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import cut_reply
from tasks.inference.operation import Call
from tests.handed import Handed
from tests.played import (
    PRICED,
    Heard,
    Played,
    all_ok,
    dispatched,
    groups_of,
    primed,
    rate_limited,
    server_error,
    well,
)
from tests.virtual_time import run_at_once


def test_every_call_is_settled_once_and_slots_are_never_exceeded() -> None:
    server = Played()
    heard = dispatched(groups_of([1, 7, 3, 40, 2] * 10), [server], Limits(in_flight=16))
    assert all_ok(heard, 530)
    assert set(server.n_sent.values()) == {1}
    assert server.most_in_flight == 16
    assert heard.took_s == pytest.approx(34, abs=1)  # 530 calls in waves of 16: no slot was idle


def test_groups_are_opened_as_slots_become_free_and_no_earlier() -> None:
    begun: list[tuple[int, int]] = []

    def count(heard: Heard) -> None:
        begun.append((len(heard.opened), len(heard.settled)))

    heard = dispatched(groups_of([4] * 50), [Played()], Limits(in_flight=8), meanwhile=count)
    assert all_ok(heard, 200)
    for n_opened, n_settled in begun:
        assert (
            4 * n_opened < n_settled + 8 + 4
        )  # the calls opened and not settled fit the slots but for one group


@pytest.mark.parametrize(
    "fails", [None, Refused("bad_request", "no"), rate_limited(), server_error()]
)
def test_a_primer_is_answered_before_its_siblings_are_sent_and_its_failure_is_not_theirs(
    fails: Failure | None,
) -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        return fails if call.is_primer and fails is not None else well(call, attempt)

    server = Played(behaves=behave)
    heard = dispatched(
        [primed(group, 3) for group in groups_of([3] * 6)], [server], Limits(in_flight=32)
    )
    assert heard.ended is None
    assert len(heard.responses) == 24
    for number in range(6):
        document = f"Document {number}."
        order = [call.is_primer for call in server.sent if call.prefix.text == document]
        n_primers = order.count(True)
        assert order == [True] * n_primers + [False] * 3
        together = [
            now for now in server.together if any(document in _prompt(server, one) for one in now)
        ]
        assert together
        assert heard.settled.index(document) < min(
            heard.settled.index(f"{document} Question {question}?") for question in range(3)
        )
        answered = [
            heard.responses[f"{document} Question {question}?"].status for question in range(3)
        ]
        assert answered == ["ok"] * 3


def _prompt(server: Played, request_id: str) -> str:
    return next(call.prompt for call in server.sent if call.request.request_id == request_id)


def test_the_prefixes_of_open_groups_stay_within_the_servers_cache() -> None:
    groups = groups_of([4] * 12)
    weight = groups[0].weight
    server = Played()
    heard = dispatched(groups, [server], Limits(in_flight=64, open_tokens=3 * weight))
    assert all_ok(heard, 48)
    documents_at_once = [
        len({_prompt(server, one).split(" Q")[0] for one in now}) for now in server.together
    ]
    assert max(documents_at_once) == 3


# --- what goes wrong on our side -------------------------------------------------------------


class DiskFull(RunFailed):
    pass


def test_an_answer_that_cannot_be_kept_ends_the_run_with_that_error() -> None:
    cause = OSError("no space left")

    def fail(heard: Heard) -> None:
        if len(heard.settled) == 10:
            raise DiskFull("the lake's disk is full") from cause

    heard = dispatched(groups_of([4] * 20), [Played()], Limits(in_flight=8), meanwhile=fail)  # type: ignore[arg-type]
    assert type(heard.ended) is DiskFull
    assert heard.ended.__cause__ is cause


def test_an_answer_is_kept_before_its_slot_is_free() -> None:
    server = Played(latency_s=1.0)
    heard = dispatched(groups_of([1] * 8), [server], Limits(in_flight=2), settle_s=9.0)
    assert all_ok(heard, 8)
    assert heard.took_s == pytest.approx(40.0)


def test_a_dispatch_that_is_cancelled_leaves_nothing_running_and_the_purse_whole() -> None:
    purse = Purse(1_000.0)
    server = Played(latency_s=100.0)

    async def settle(call: Call, response: Response) -> None:
        raise AssertionError("nothing is answered")

    async def main() -> None:
        running = asyncio.create_task(
            dispatch(Handed(groups_of([4] * 20, PRICED), settle, purse), [server], Limits(), PRICED)
        )
        await asyncio.sleep(5.0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_at_once(main())
    assert (purse.in_flight, purse.reserved) == (0, 0.0)
    assert server.answering == {}


# --- anything goes ---------------------------------------------------------------------------


FAULTS: dict[str, Callable[[], Failure] | None] = {
    "429": rate_limited,
    "later": lambda: rate_limited(retry_after_s=7.0),
    "500": server_error,
    "reset": lambda: Lost("connection", "reset"),
    "cut": cut_reply,
    "not json": lambda: Passing("unreadable_reply", "no JSON"),
    "filtered": lambda: Refused("content_filter", "no"),
    "never": None,
}


@settings(max_examples=40)
@given(
    sizes=st.lists(st.integers(1, 9), max_size=14),
    n_replicas=st.integers(1, 3),
    in_flight=st.integers(1, 12),
    open_tokens=st.sampled_from([None, 1, 20]),
    fates=st.dictionaries(
        st.tuples(st.integers(0, 13), st.integers(0, 8)),
        st.lists(st.sampled_from([*sorted(FAULTS)]), min_size=1, max_size=3),
        max_size=25,
    ),
    deaths=st.lists(st.tuples(st.integers(1, 80), st.integers(0, 2)), max_size=3),
)
def test_whatever_servers_do_each_call_is_settled_once(
    sizes: list[int],
    n_replicas: int,
    in_flight: int,
    open_tokens: int | None,
    fates: dict[tuple[int, int], list[str]],
    deaths: list[tuple[int, int]],
) -> None:
    by_prompt = {
        f"Document {document}. Question {question}?": fate
        for (document, question), fate in fates.items()
    }
    told: Counter[str] = Counter()

    def behave(call: Call, attempt: int) -> str | Failure | None:
        fate = by_prompt.get(call.prompt, [])
        told[call.prompt] += 1
        if told[call.prompt] > len(fate):
            return well(call, attempt)
        fault = FAULTS[fate[told[call.prompt] - 1]]
        return None if fault is None else fault()

    servers = [Played(str(number), behaves=behave, returns_s=6.0) for number in range(n_replicas)]

    def kill(heard: Heard) -> None:
        for after, number in deaths:
            if len(heard.settled) == after and number < n_replicas and servers[number].is_up:
                servers[number].die()

    limits = Limits(in_flight=in_flight, open_tokens=open_tokens, timeout_s=50.0)
    heard = dispatched(groups_of(sizes), servers, limits, meanwhile=kill)
    assert heard.ended is None
    assert len(heard.responses) == sum(sizes)
    for prompt, response in heard.responses.items():
        final = response.error_type or "ok"
        assert (
            final == ("content_filter" if "filtered" in by_prompt.get(prompt, []) else "ok")
            or final == "quarantined"
        )
    assert all(server.most_in_flight <= in_flight for server in servers)
