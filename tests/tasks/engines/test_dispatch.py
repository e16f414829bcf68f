"""The dispatcher against servers played in this process, on a clock that jumps: what takes minutes takes none."""

from __future__ import annotations

import asyncio
import gc
import itertools
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.engines.dispatch import GaveUp, Limits, dispatch
from tasks.engines.failures import Failure, Hopeless, Lost, Passing, Refused
from tasks.errors import RunFailed
from tasks.operations import Call, Group, primer
from tasks.prices import Price
from tasks.schemas import Response
from tasks.spending import BudgetReached, spending
from tasks.stopping import Stopped, request_stop, withdraw_stop
from tests.played import MODEL, Behaviour, Heard, Played, dispatched, groups_of, well
from tests.virtual_time import run_at_once


@pytest.fixture(autouse=True)
def nobody_asks_to_stop() -> Iterator[None]:
    yield
    withdraw_stop()


def failing(failure: Callable[[], Failure], *, times: int = 1_000_000, match: str = "") -> Behaviour:
    """Fails each call that has `match` in its prompt so many times, then answers well."""

    def behave(call: Call, attempt: int) -> str | Failure | None:
        return failure() if match in call.prompt and attempt <= times else well(call, attempt)

    return behave


def rate_limited(retry_after_s: float | None = None) -> Passing:
    return Passing("rate_limited", "HTTP 429: too many", retry_after_s=retry_after_s, slows=True)


def server_error() -> Passing:
    return Passing("server_error", "HTTP 500: oops")


def all_ok(heard: Heard, n_calls: int) -> bool:
    return heard.ended is None and heard.statuses() == Counter(ok=n_calls)


# --- slots and order -------------------------------------------------------------------------


def test_every_call_is_settled_once_and_slots_are_never_exceeded() -> None:
    server = Played()
    heard = dispatched(groups_of([1, 7, 3, 40, 2] * 10), [server], Limits(in_flight=16))
    assert all_ok(heard, 530)
    assert set(server.n_sent.values()) == {1}
    assert server.most_in_flight == 16
    assert heard.took_s == pytest.approx(34, abs=1)  # 530 calls in waves of 16: no slot was idle


def test_no_groups_are_fine_and_so_are_groups_that_open_to_nothing() -> None:
    async def nothing() -> list[Call]:
        return []

    empty = [Group(f"empty-{number}", "ask", 5, 3, nothing) for number in range(200)]
    assert dispatched([], [Played()]).ended is None
    heard = dispatched([*empty, *groups_of([2]), *empty], [Played()])
    assert all_ok(heard, 2)


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


def test_calls_that_wait_for_another_attempt_do_not_let_all_groups_be_opened() -> None:
    most = 0

    def behave(call: Call, attempt: int) -> str | Failure:
        return rate_limited(retry_after_s=30.0) if attempt == 1 else well(call, attempt)

    opened: list[str] = []
    settled: list[str] = []

    def watched(group: Group) -> Group:
        async def open_it() -> Sequence[Call]:
            nonlocal most
            opened.append(group.name)
            most = max(most, len(opened) - len(settled))
            return await group.open()

        return replace(group, open=open_it)

    async def settle(call: Call, response: Response) -> None:
        settled.append(call.prompt)

    groups = [watched(group) for group in groups_of([1] * 2_000)]
    server = Played(behaves=behave, latency_s=0.1)
    run_at_once(dispatch(groups, [server], Limits(in_flight=16), settle, MODEL))
    assert len(settled) == 2_000
    assert most <= 4 * 16


@pytest.fixture
def small_heap() -> Iterator[None]:
    """What other tests have left is not looked through each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def test_what_is_settled_is_not_kept_in_memory(small_heap: None) -> None:
    alive: list[weakref.ref[Call]] = []
    most = 0

    class Tracked(Call):
        __slots__ = ("__weakref__",)

    def tracked(group: Group) -> Group:
        async def opened() -> list[Call]:
            calls = [Tracked(call.request, call.prefix) for call in await group.open()]
            alive.extend(weakref.ref(call) for call in calls)
            return list(calls)

        return replace(group, open=opened)

    async def settle(call: Call, response: Response) -> None:
        nonlocal most
        if len(alive) % 50 == 0:
            gc.collect()
            most = max(most, sum(ref() is not None for ref in alive))

    class Forgetful(Played):
        async def send(self, call: Call) -> Response:
            try:
                return await super().send(call)
            finally:
                self.sent.clear()

    run_at_once(
        dispatch([tracked(group) for group in groups_of([2] * 300)], [Forgetful()], Limits(in_flight=8), settle, MODEL)
    )  # fmt: skip
    assert len(alive) == 600
    assert 8 <= most <= 32


def test_older_groups_have_the_slots_first() -> None:
    server = Played()
    dispatched(groups_of([10, 10, 10]), [server], Limits(in_flight=4))
    documents = [call.prefix.text for call in server.sent]
    assert documents == sorted(documents)


def primed(group: Group, n_calls: int) -> Group:
    """The group with its primer first, as the ledger opens it."""

    async def opened() -> list[Call]:
        calls = list(await group.open())
        return [primer(calls, MODEL.identity), *calls]

    return replace(group, open=opened, n_calls=n_calls)


@pytest.mark.parametrize("fails", [None, Refused("bad_request", "no"), rate_limited(), server_error()])
def test_a_primer_is_answered_before_its_siblings_are_sent_and_its_failure_is_not_theirs(
    fails: Failure | None,
) -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        return fails if call.is_primer and fails is not None else well(call, attempt)

    server = Played(behaves=behave)
    heard = dispatched([primed(group, 3) for group in groups_of([3] * 6)], [server], Limits(in_flight=32))
    assert heard.ended is None
    assert len(heard.responses) == 24
    for number in range(6):
        document = f"Document {number}."
        order = [call.is_primer for call in server.sent if call.prefix.text == document]
        n_primers = order.count(True)
        assert order == [True] * n_primers + [False] * 3
        together = [now for now in server.together if any(document in _prompt(server, one) for one in now)]
        assert together
        assert heard.settled.index(document) < min(
            heard.settled.index(f"{document} Question {question}?") for question in range(3)
        )
        answered = [heard.responses[f"{document} Question {question}?"].status for question in range(3)]
        assert answered == ["ok"] * 3


def _prompt(server: Played, request_id: str) -> str:
    return next(call.prompt for call in server.sent if call.request.request_id == request_id)


def test_a_groups_first_call_leads_where_answers_warm_the_cache() -> None:
    server = Played()
    heard = dispatched(groups_of([4]), [server], Limits(in_flight=8, leads=True))
    assert all_ok(heard, 4)
    assert [len(now) for now in server.together] == [1, 1, 2, 3]
    assert heard.took_s == 2.0


def test_the_prefixes_of_open_groups_stay_within_the_servers_cache() -> None:
    groups = groups_of([4] * 12)
    weight = groups[0].weight
    server = Played()
    heard = dispatched(groups, [server], Limits(in_flight=64, open_tokens=3 * weight))
    assert all_ok(heard, 48)
    documents_at_once = [len({_prompt(server, one).split(" Q")[0] for one in now}) for now in server.together]
    assert max(documents_at_once) == 3


def test_a_prefix_larger_than_the_cache_is_sent_alone() -> None:
    heard = dispatched(groups_of([2] * 3), [Played()], Limits(in_flight=64, open_tokens=1))
    assert all_ok(heard, 6)
    assert heard.took_s == 3.0


# --- several replicas ------------------------------------------------------------------------


def where(servers: Sequence[Played]) -> dict[str, set[int]]:
    """Document -> the servers that were sent some of its calls."""
    found: dict[str, set[int]] = {}
    for number, server in enumerate(servers):
        for call in server.sent:
            found.setdefault(call.prefix.text, set()).add(number)
    return found


def test_a_group_is_answered_by_one_replica() -> None:
    servers = [Played("a"), Played("b"), Played("c")]
    heard = dispatched(groups_of([7] * 30), servers, Limits(in_flight=8))
    assert all_ok(heard, 210)
    assert {len(replicas) for replicas in where(servers).values()} == {1}
    assert [len(server.sent) for server in servers] == [70, 70, 70]


def test_an_idle_replica_takes_whole_groups_from_a_slow_one() -> None:
    servers = [Played("fast", latency_s=1.0), Played("slow", latency_s=20.0)]
    heard = dispatched(groups_of([4] * 20), servers, Limits(in_flight=4))
    assert all_ok(heard, 80)
    assert len(servers[0].sent) > 2 * len(servers[1].sent)
    assert {len(replicas) for replicas in where(servers).values()} == {1}
    stolen = [call.prefix.text for call in servers[0].sent]
    assert stolen.index("Document 19.") < len(stolen)  # from the far end


def test_a_dead_replicas_groups_are_taken_over_whole() -> None:
    servers = [Played("stays"), Played("goes")]

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 40 and servers[1].is_up:
            servers[1].die()

    heard = dispatched(groups_of([8] * 30), servers, Limits(in_flight=8, patience_s=20), meanwhile=kill)
    assert all_ok(heard, 240)
    seen = where(servers)
    after = {call.prefix.text for call in servers[1].sent}
    assert {text for text, replicas in seen.items() if replicas == {0, 1}} <= after
    resent = [prompt for prompt, n in (servers[0].n_sent + servers[1].n_sent).items() if n > 1]
    assert len(resent) <= 8  # what was in flight


def test_groups_that_a_dying_replica_had_begun_are_not_split_over_the_others() -> None:
    servers = [Played("a"), Played("b"), Played("dies")]

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 12 and servers[2].is_up:
            servers[2].die()

    heard = dispatched(groups_of([12] * 9), servers, Limits(in_flight=6, patience_s=5), meanwhile=kill)
    assert all_ok(heard, 108)
    assert servers[2].deaths == 1
    for replicas in where(servers).values():
        assert len(replicas - {2}) <= 1


def test_when_the_last_replica_is_gone_the_run_ends_with_a_sentence() -> None:
    servers = [Played("http://one"), Played("http://two")]

    def kill(heard: Heard) -> None:
        for server in servers:
            if len(heard.settled) >= 20 and server.is_up:
                server.die()

    heard = dispatched(groups_of([2] * 60), servers, Limits(in_flight=4, patience_s=30), meanwhile=kill)
    assert isinstance(heard.ended, GaveUp)
    said = str(heard.ended)
    assert "has not answered for 30 s" in said
    assert "run the same command again" in said
    assert f"{len(heard.settled)} of 120 calls" in said


def test_a_server_that_never_was_there_is_not_waited_for_long() -> None:
    server = Played("http://nowhere", is_up=False)
    heard = dispatched(groups_of([2] * 60), [server], Limits(in_flight=4))
    assert isinstance(heard.ended, GaveUp)
    assert "http://nowhere" in str(heard.ended)
    assert heard.took_s < 15
    assert server.sent == []


# --- trying again ----------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [rate_limited, server_error], ids=["429", "500"])
def test_what_may_pass_is_tried_again_and_attempts_are_counted(failure: Callable[[], Failure]) -> None:
    server = Played(behaves=failing(failure, times=3, match="Question 1?"))
    heard = dispatched(groups_of([3] * 5), [server])
    assert all_ok(heard, 15)
    attempts = {prompt: response.attempts for prompt, response in heard.responses.items()}
    assert attempts == dict(server.n_sent)
    assert {n for prompt, n in attempts.items() if "Question 1?" in prompt} == {4}
    assert {response.latency_ms for response in heard.responses.values()} == {
        1_000.0
    }  # of the attempt that succeeded


def test_after_the_last_attempt_a_failure_is_a_row() -> None:
    server = Played(behaves=failing(server_error, match="Document 2. Question 1?"))
    heard = dispatched(groups_of([3] * 5), [server], Limits(attempts=4))
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=14, error=1)
    response = heard.responses["Document 2. Question 1?"]
    assert (response.error_type, response.error, response.attempts) == ("server_error", "HTTP 500: oops", 4)
    assert (response.text, response.cost_usd, response.latency_ms) == (None, None, None)
    assert server.n_sent["Document 2. Question 1?"] == 4


@pytest.mark.parametrize(
    "error_type", ["context_overflow", "content_filter", "bad_request", "prompt_truncated"]
)
def test_what_cannot_succeed_is_sent_once(error_type: str) -> None:
    server = Played(behaves=failing(lambda: Refused(error_type, "never"), match="Question 0?"))
    heard = dispatched(groups_of([3] * 5), [server])
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=10, error=5)
    assert set(server.n_sent.values()) == {1}
    refused = heard.responses["Document 0. Question 0?"]
    assert (refused.error_type, refused.error, refused.attempts) == (error_type, "never", 1)


def test_a_prompt_longer_than_the_window_is_never_sent() -> None:
    model = replace(MODEL, window=40, token_ratio=2.0)
    server = Played()
    groups = groups_of([2], model) + groups_of([0, 1], model, max_tokens=30)
    heard = dispatched(groups, [server], model=model)
    assert len(server.sent) == 2 == heard.statuses()["ok"]
    response = next(one for one in heard.responses.values() if one.status == "error")
    assert (response.error_type, response.attempts) == ("context_overflow", 0)
    assert "do not fit the window of 40" in (response.error or "")


def test_waits_are_drawn_from_all_of_the_time_up_to_their_bound() -> None:
    at: dict[str, list[float]] = {}

    def behave(call: Call, attempt: int) -> str | Failure:
        at.setdefault(call.prompt, []).append(asyncio.get_running_loop().time())
        return server_error() if attempt <= 5 else well(call, attempt)

    many = Limits(in_flight=300, hopeless_after=1_000)
    heard = dispatched(groups_of([1] * 300), [Played(behaves=behave, latency_s=0.001)], many)
    assert all_ok(heard, 300)
    for attempt in range(5):
        waits = sorted(times[attempt + 1] - times[attempt] for times in at.values())
        bound = waits[-1]
        assert waits[30] < 0.2 * bound  # full jitter: short waits are as likely as long ones
        assert waits[150] == pytest.approx(bound / 2, rel=0.3)
    longest = [max(times[n + 1] - times[n] for times in at.values()) for n in range(5)]
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(longest))


def test_the_servers_own_wish_is_heeded() -> None:
    at: list[float] = []

    def behave(call: Call, attempt: int) -> str | Failure:
        at.append(asyncio.get_running_loop().time())
        return rate_limited(retry_after_s=40.0) if attempt == 1 else well(call, attempt)

    heard = dispatched(groups_of([1]), [Played(behaves=behave)])
    assert all_ok(heard, 1)
    assert 41.0 <= at[1] - at[0] <= 46.0


def test_a_server_that_asks_for_a_day_is_not_waited_for() -> None:
    heard = dispatched(groups_of([1]), [Played(behaves=failing(lambda: rate_limited(86_400.0)))])
    assert heard.took_s < 3_600
    assert heard.ended is not None or heard.statuses() == Counter(error=1)


def test_rate_limits_that_others_pass_use_up_attempts_four_times_slower() -> None:
    server = Played(behaves=failing(rate_limited, times=12, match="Document 0."))
    limits = Limits(in_flight=2, attempts=4, longest_wait_s=5.0)
    heard = dispatched(groups_of([1] * 300), [server], limits)
    assert all_ok(heard, 300)
    assert heard.responses["Document 0. Question 0?"].attempts == 13
    alone = dispatched(groups_of([1]), [Played(behaves=failing(rate_limited))], limits)
    assert alone.responses["Document 0. Question 0?"].attempts == 4


def test_a_call_that_waits_for_its_next_attempt_holds_no_slot() -> None:
    server = Played(behaves=failing(lambda: rate_limited(retry_after_s=100.0), times=1, match="Question 0?"))
    heard = dispatched(groups_of([1, 30]), [server], Limits(in_flight=2))
    assert all_ok(heard, 31)
    assert heard.settled.index("Document 0. Question 0?") >= 29
    assert heard.took_s < 125


def test_an_empty_answer_is_asked_for_once_more_then_kept() -> None:
    def behave(call: Call, attempt: int) -> str:
        return "" if "Question 0?" in call.prompt or attempt == 1 else "At last."

    server = Played(behaves=behave, cost_usd=0.5)
    heard = dispatched(groups_of([2]), [server])
    mute, late = (heard.responses[f"Document 0. Question {number}?"] for number in (0, 1))
    assert (mute.status, mute.text, mute.attempts) == ("ok", "", 2)
    assert (late.status, late.text, late.attempts) == ("ok", "At last.", 2)
    assert mute.cost_usd == late.cost_usd == 1.0  # both answers were paid for


def test_an_empty_answer_to_the_last_attempt_is_kept() -> None:
    heard = dispatched(groups_of([1]), [Played(behaves=lambda call, attempt: "")], Limits(attempts=1))
    assert all_ok(heard, 1)


def test_a_primers_answer_may_be_empty() -> None:
    server = Played(behaves=lambda call, attempt: "" if call.is_primer else "Yes.")
    heard = dispatched([primed(group, 2) for group in groups_of([2])], [server])
    assert heard.ended is None
    assert set(server.n_sent.values()) == {1}


def test_a_reply_that_never_comes_is_given_up_and_asked_for_again() -> None:
    def behave(call: Call, attempt: int) -> str | None:
        return None if attempt == 1 and "Question 0?" in call.prompt else well(call, attempt)

    server = Played(behaves=behave)
    heard = dispatched(groups_of([3] * 4), [server], Limits(timeout_s=60.0))
    assert all_ok(heard, 12)
    assert heard.responses["Document 0. Question 0?"].attempts == 2
    assert heard.took_s < 70


def test_a_reply_that_never_comes_ends_as_a_row() -> None:
    def behave(call: Call, attempt: int) -> str | None:
        return None if "Document 0." in call.prompt else well(call, attempt)

    heard = dispatched(
        groups_of([1, 40]), [Played(behaves=behave)], Limits(in_flight=2, timeout_s=5.0, attempts=2)
    )
    assert heard.ended is None
    response = heard.responses["Document 0. Question 0?"]
    assert (response.error_type, response.error) == ("timeout", "no answer in 5 s")


# --- how much a server bears -----------------------------------------------------------------


def test_a_server_that_slows_tenfold_fails_nothing_and_is_asked_nothing_twice() -> None:
    slow = {"now": False}
    server = Played()

    async def send(call: Call) -> Response:
        server.latency_s = 10.0 if slow["now"] else 1.0
        return await Played.send(server, call)

    server.send = send  # type: ignore[method-assign]

    def change(heard: Heard) -> None:
        slow["now"] = 100 <= len(heard.settled) < 200

    heard = dispatched(groups_of([5] * 60), [server], Limits(in_flight=10), meanwhile=change)
    assert all_ok(heard, 300)
    assert set(server.n_sent.values()) == {1}
    assert heard.took_s < 10 + 120 + 20


def limited_server(bears: int, until_s: float = 1e9) -> Played:
    """Refuses whatever is more than so many at once, up to a moment."""
    server = Played()

    def behave(call: Call, attempt: int) -> str | Failure:
        start = getattr(server, "start", None)
        now = asyncio.get_running_loop().time()
        if start is None:
            server.start = start = now  # type: ignore[attr-defined]
        return (
            rate_limited() if len(server.answering) > bears and now - start < until_s else well(call, attempt)
        )

    server.behaves = behave
    return server


def test_concurrency_falls_to_what_the_server_bears() -> None:
    server = limited_server(bears=16)
    heard = dispatched(groups_of([4] * 250), [server], Limits(in_flight=64))
    assert all_ok(heard, 1_000)
    most = [max(len(now) for now in server.together[start : start + 50]) for start in range(300, 900, 50)]
    assert all(14 <= each <= 32 for each in most)
    assert len(server.sent) < 1_500


def test_concurrency_climbs_back() -> None:
    server = limited_server(bears=8, until_s=20.0)
    heard = dispatched(groups_of([4] * 750), [server], Limits(in_flight=64))
    assert all_ok(heard, 3_000)
    assert max(len(now) for now in server.together[-300:]) == 64
    in_the_middle = [len(now) for now in server.together[200:260]]
    assert sum(in_the_middle) / len(in_the_middle) < 48


@pytest.mark.parametrize("in_flight", [4, 16, 64])
def test_one_refusal_in_a_hundred_costs_less_than_a_tenth(in_flight: int) -> None:
    groups = groups_of([1] * (in_flight * 30))

    def behave(call: Call, attempt: int) -> str | Failure:
        drawn = int(call.request.prompt_sha256[:8], 16) / 2**32
        return rate_limited() if attempt == 1 and drawn < 0.01 else well(call, attempt)

    clean = dispatched(groups, [Played(latency_s=0.5)], Limits(in_flight=in_flight))
    faulty = dispatched(groups, [Played(latency_s=0.5, behaves=behave)], Limits(in_flight=in_flight))
    assert all_ok(faulty, len(groups))
    assert faulty.took_s <= 1.1 * clean.took_s + 1.0  # and a retry at the very end


# --- a server that dies ----------------------------------------------------------------------


def test_a_server_that_dies_and_returns_loses_no_call() -> None:
    server = Played(returns_s=25.0)

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 30 and not server.deaths:
            server.die()

    heard = dispatched(groups_of([4] * 20), [server], Limits(in_flight=8), meanwhile=kill)
    assert all_ok(heard, 80)
    assert server.deaths == 1
    assert sum(n - 1 for n in server.n_sent.values()) <= 8  # only what was in flight was sent again


def test_a_call_in_flight_at_two_deaths_of_its_server_is_quarantined_and_the_others_are_not() -> None:
    server = Played(poison="Document 7. Question 2?", returns_s=5.0)
    heard = dispatched(groups_of([4] * 20), [server], Limits(in_flight=16))
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=79, quarantined=1)
    response = heard.responses["Document 7. Question 2?"]
    assert (response.error_type, response.attempts, response.text) == ("quarantined", 2, None)
    assert server.n_sent["Document 7. Question 2?"] == 2
    assert server.deaths == 2


@pytest.mark.parametrize("in_flight", [2, 8, 64])
def test_the_innocent_are_spared_however_many_poison_calls_there_are(in_flight: int) -> None:
    server = Played(poison="Question 3?", returns_s=3.0)
    heard = dispatched(groups_of([4] * 12), [server], Limits(in_flight=in_flight))
    assert heard.ended is None
    quarantined = {prompt for prompt, response in heard.responses.items() if response.status == "quarantined"}
    assert quarantined == {f"Document {number}. Question 3?" for number in range(12)}
    assert heard.statuses() == Counter(ok=36, quarantined=12)


def test_a_call_that_may_have_killed_its_server_is_alone_when_it_is_sent_again() -> None:
    server = Played(poison="Question 3?", returns_s=3.0)
    dispatched(groups_of([4] * 12), [server], Limits(in_flight=8))
    attempts: Counter[str] = Counter()
    for call, now in zip(server.sent, server.together, strict=True):
        attempts[call.prompt] += 1
        if "Question 3?" in call.prompt and attempts[call.prompt] == 2:
            assert now == (call.request.request_id,)


def test_calls_that_never_reached_a_dead_server_are_not_suspected() -> None:
    server = Played(returns_s=3.0)

    def kill(heard: Heard) -> None:
        if len(heard.settled) in (8, 24, 40) and server.is_up:
            server.die()  # between two waves: nothing else has arrived

    heard = dispatched(groups_of([1] * 64), [server], Limits(in_flight=8), meanwhile=kill)
    assert all_ok(heard, 64)


def test_a_poison_call_of_a_dead_replica_does_not_kill_two_more() -> None:
    servers = [Played(name, poison="Document 5. Question 1?", returns_s=4.0) for name in ("a", "b", "c")]
    heard = dispatched(groups_of([3] * 30), servers, Limits(in_flight=4))
    assert heard.statuses() == Counter(ok=89, quarantined=1)
    assert sum(server.deaths for server in servers) == 2


def test_a_server_too_busy_to_say_that_it_is_well_is_well_while_it_answers() -> None:
    class Busy(Played):
        async def is_alive(self) -> bool:
            await asyncio.sleep(3.0)
            return False

    server = Busy(behaves=failing(lambda: Lost("connection", "reset"), times=1, match="Document 0."))
    uneven = groups_of([1]) + groups_of([1] * 20)[1:]

    async def slowly(call: Call) -> Response:
        await asyncio.sleep(0.0 if "Document 0." in call.prompt else 1.5)
        return await Played.send(server, call)

    server.send = slowly  # type: ignore[method-assign]
    heard = dispatched(uneven, [server], Limits(in_flight=8))
    assert all_ok(heard, 20)
    assert max(server.n_sent.values()) == 2


def test_what_a_server_never_received_has_not_killed_it() -> None:
    server = Played(is_up=False)

    async def late() -> Sequence[Call]:
        asyncio.get_running_loop().call_later(3.0, server.come_back)
        return await groups_of([16])[0].open()

    heard = dispatched([Group("late", "ask", 5, 16, late)], [server], Limits(in_flight=16))
    assert all_ok(heard, 16)
    assert server.most_in_flight == 16  # suspects would go one at a time
    assert heard.took_s < 6


def test_a_lost_connection_to_a_server_that_lives_is_no_death() -> None:
    reset = failing(lambda: Lost("connection", "reset"), times=4, match="Question 0?")
    server = Played(behaves=reset)
    heard = dispatched(groups_of([3] * 10), [server])
    assert all_ok(heard, 30)
    assert server.n_sent["Document 0. Question 0?"] == 5


def test_groups_are_not_opened_for_a_server_that_is_gone() -> None:
    server = Played(returns_s=50.0)
    opened_when_dead: list[int] = []

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 8:
            server.die()
            loop = asyncio.get_running_loop()
            for after_s in (5.0, 45.0):
                loop.call_later(after_s, lambda: opened_when_dead.append(len(heard.opened)))

    heard = dispatched(groups_of([1] * 40), [server], Limits(in_flight=8), meanwhile=kill)
    assert all_ok(heard, 40)
    assert opened_when_dead[0] == opened_when_dead[1] <= 24


# --- giving up -------------------------------------------------------------------------------


def test_a_hopeless_run_is_stopped_early_with_one_sentence() -> None:
    server = Played("http://broken", behaves=failing(server_error), latency_s=0.05)
    heard = dispatched(groups_of([1] * 5_000), [server], Limits(in_flight=16))
    assert isinstance(heard.ended, GaveUp)
    said = str(heard.ended)
    assert "server_error" in said
    assert "HTTP 500: oops" in said
    assert "run the same command again" in said
    assert "\n" not in said
    assert 60 <= heard.took_s <= 150
    assert len(server.sent) < 5_000


def test_an_outage_that_ends_in_time_costs_no_row() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        return server_error() if asyncio.get_running_loop().time() < 1_045.0 else well(call, attempt)

    heard = dispatched(groups_of([1] * 500), [Played(behaves=behave, latency_s=0.1)], Limits(in_flight=32))
    assert all_ok(heard, 500)


def test_a_few_calls_that_always_fail_do_not_end_the_run() -> None:
    server = Played(behaves=failing(server_error, match="Question 0?"), latency_s=5.0)
    heard = dispatched(groups_of([2] * 8), [server], Limits(in_flight=16, attempts=8))
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=8, error=8)


def test_a_server_that_said_when_it_will_answer_is_waited_for() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        left = 1_300.0 - asyncio.get_running_loop().time()
        return rate_limited(retry_after_s=left) if left > 0 else well(call, attempt)

    heard = dispatched(groups_of([1] * 60), [Played(behaves=behave)], Limits(in_flight=30))
    assert all_ok(heard, 60)


def test_a_server_that_keeps_saying_when_to_come_back_is_not_given_up_meanwhile() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        overloaded = Passing("server_error", "HTTP 503: full", retry_after_s=100.0, slows=True)
        return overloaded if attempt <= 2 else well(call, attempt)

    heard = dispatched(groups_of([1] * 40), [Played(behaves=behave)], Limits(in_flight=40, patience_s=60.0))
    assert all_ok(heard, 40)


def test_what_is_hopeless_ends_the_run_at_once() -> None:
    server = Played(
        behaves=failing(lambda: Hopeless("played: the key is refused; set a valid one"), match="Document 3.")
    )
    heard = dispatched(groups_of([4] * 50), [server], Limits(in_flight=4))
    assert isinstance(heard.ended, GaveUp)
    assert str(heard.ended).startswith("played: the key is refused; set a valid one")
    assert len(server.sent) <= 4 * 4 + 4
    assert heard.took_s < 12


def test_answers_in_flight_are_kept_when_the_run_gives_up() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        return Hopeless("over") if "Document 0." in call.prompt else well(call, attempt)

    class Uneven(Played):
        async def send(self, call: Call) -> Response:
            if "Document 0." not in call.prompt:
                await asyncio.sleep(5.0)
            return await super().send(call)

    heard = dispatched(groups_of([1] * 30), [Uneven(behaves=behave)], Limits(in_flight=8))
    assert isinstance(heard.ended, GaveUp)
    assert heard.statuses() == Counter(ok=7)


def test_a_run_that_gives_up_does_not_wait_for_what_hangs() -> None:
    def behave(call: Call, attempt: int) -> str | Failure | None:
        return Hopeless("over") if "Document 0." in call.prompt else None

    heard = dispatched(groups_of([1] * 30), [Played(behaves=behave)], Limits(in_flight=8, grace_s=10.0))
    assert isinstance(heard.ended, GaveUp)
    assert heard.took_s < 15


def test_a_replica_that_holds_calls_and_answers_none_ends_the_run() -> None:
    def behave(call: Call, attempt: int) -> str | None:
        return well(call, attempt) if "Document 0." in call.prompt else None

    server = Played("http://stuck", behaves=behave)
    heard = dispatched(
        groups_of([1] * 30), [server], Limits(in_flight=8, no_progress_s=300.0, timeout_s=10_000.0)
    )
    assert isinstance(heard.ended, GaveUp)
    said = str(heard.ended)
    assert "http://stuck holds 8 calls" in said
    assert "restart it" in said
    assert 300 <= heard.took_s <= 330


def test_a_server_that_lets_all_calls_time_out_is_noticed_between_their_attempts() -> None:
    server = Played("http://stuck", behaves=lambda call, attempt: None)
    heard = dispatched(groups_of([1]), [server], Limits(timeout_s=100.0, no_progress_s=250.0))
    assert isinstance(heard.ended, GaveUp)
    assert "has answered none" in str(heard.ended)
    assert 250 <= heard.took_s <= 400


def test_a_pause_before_the_first_call_is_not_the_servers_silence() -> None:
    async def late() -> list[Call]:
        await asyncio.sleep(1_000.0)
        return list(await groups_of([1])[0].open())

    heard = dispatched(
        [Group("late", "ask", 5, 1, late)], [Played(latency_s=200.0)], Limits(no_progress_s=300.0)
    )
    assert all_ok(heard, 1)


# --- stopping, and the budget ----------------------------------------------------------------


def test_a_request_to_stop_sends_no_more_and_settles_what_is_in_flight() -> None:
    server = Played()

    def stop(heard: Heard) -> None:
        if len(heard.settled) == 24:
            request_stop()

    heard = dispatched(groups_of([4] * 50), [server], Limits(in_flight=8), meanwhile=stop)
    assert isinstance(heard.ended, Stopped)
    assert len(server.sent) == len(heard.settled)
    assert len(heard.settled) <= 24 + 8
    assert f"{len(heard.settled)} of 200 calls" in str(heard.ended)


def test_what_was_answered_before_is_not_said_to_be_answered_now() -> None:
    async def nothing() -> list[Call]:
        return []

    def stop(heard: Heard) -> None:
        request_stop()

    finished = [Group(str(number), "ask", 5, 7, nothing) for number in range(10)]
    heard = dispatched([*finished, *groups_of([30])], [Played()], Limits(in_flight=1), meanwhile=stop)
    assert "; 1 of 100 calls of this step " in str(heard.ended)


def test_whoever_waits_for_another_attempt_heeds_a_request_to_stop() -> None:
    server = Played(behaves=failing(lambda: rate_limited(retry_after_s=500.0)))

    def stop_soon() -> Group:
        async def opened() -> Sequence[Call]:
            asyncio.get_running_loop().call_later(5.0, request_stop)
            return await groups_of([2])[0].open()

        return Group("first", "ask", 5, 2, opened)

    heard = dispatched([stop_soon()], [server])
    assert isinstance(heard.ended, Stopped)
    assert heard.took_s < 7


def test_whoever_waits_for_a_dead_server_heeds_a_request_to_stop() -> None:
    server = Played()

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 8:
            server.die()
            asyncio.get_running_loop().call_later(5.0, request_stop)

    heard = dispatched(groups_of([2] * 20), [server], Limits(in_flight=4), meanwhile=kill)
    assert isinstance(heard.ended, Stopped)
    assert heard.took_s < 15


PRICED = replace(MODEL, price=Price(prompt=0.0, output=62_500.0))  # a dollar for 16 tokens of answer


def test_the_budget_counts_calls_in_flight_and_is_never_exceeded() -> None:
    with spending(10.0) as purse:
        server = Played(cost_usd=0.25)
        heard = dispatched(groups_of([4] * 50, PRICED), [server], Limits(in_flight=8), model=PRICED)
        assert isinstance(heard.ended, BudgetReached)
        paid = sum(response.cost_usd or 0.0 for response in heard.responses.values())
        assert purse.spent == pytest.approx(paid)
        assert 9.0 < paid <= 10.0
        assert (purse.in_flight, purse.reserved) == (0, 0.0)
    assert len(server.sent) == len(heard.settled)  # nothing in flight was left
    assert f"{len(heard.settled)} of 200 calls" in str(heard.ended)


@pytest.mark.parametrize(
    ("failure", "is_paid"),
    [
        (rate_limited, False),
        (server_error, False),
        (lambda: Lost("connection", "refused", was_sent=False), False),
        (lambda: Lost("cut_reply", "half"), True),
        (lambda: Passing("unreadable_reply", "no JSON"), True),
        (lambda: Refused("bad_request", "no"), False),
    ],
    ids=["429", "500", "refused", "cut", "not json", "400"],
)
def test_the_purse_gets_back_what_was_set_aside(failure: Callable[[], Failure], is_paid: bool) -> None:
    with spending(1_000.0) as purse:
        server = Played(behaves=failing(failure, times=1), cost_usd=0.25)
        heard = dispatched(groups_of([4], PRICED), [server], model=PRICED)
        assert heard.ended is None
        assert (purse.in_flight, purse.reserved) == (0, 0.0)
        answered = heard.statuses()["ok"]
        assert purse.spent == pytest.approx(0.25 * answered + (4.0 if is_paid else 0.0))


def test_what_a_refused_answer_has_cost_is_in_its_row_and_in_the_purse() -> None:
    def filtered() -> Refused:
        return Refused("content_filter", "ended", cost_usd=0.5)

    with spending(1_000.0) as purse:
        server = Played(behaves=failing(filtered, match="Question 0?"), cost_usd=0.25)
        heard = dispatched(groups_of([3], PRICED), [server], model=PRICED)
        assert heard.responses["Document 0. Question 0?"].cost_usd == 0.5
        assert purse.spent == pytest.approx(1.0)


def test_the_purse_gets_back_what_was_set_aside_when_the_run_gives_up() -> None:
    def behave(call: Call, attempt: int) -> str | Failure | None:
        return Hopeless("over") if "Document 0." in call.prompt else None

    with spending(1_000.0) as purse:
        heard = dispatched(
            groups_of([1] * 30, PRICED), [Played(behaves=behave)], Limits(in_flight=8), model=PRICED
        )
        assert isinstance(heard.ended, GaveUp)
        assert (purse.in_flight, purse.reserved) == (0, 0.0)


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


def test_a_group_that_cannot_be_opened_ends_the_run_with_that_error() -> None:
    async def broken() -> list[Call]:
        raise DiskFull("cannot read the context")

    groups = [*groups_of([4] * 3), Group("broken", "ask", 5, 1, broken), *groups_of([4] * 3)]
    heard = dispatched(groups, [Played()], Limits(in_flight=8))
    assert type(heard.ended) is DiskFull


@pytest.mark.parametrize("where_it_fails", ["send", "is_alive"])
def test_a_bug_in_a_replica_is_not_swallowed(where_it_fails: str) -> None:
    class Buggy(Played):
        async def send(self, call: Call) -> Response:
            if where_it_fails == "send":
                raise ZeroDivisionError
            raise Lost("connection", "reset")

        async def is_alive(self) -> bool:
            raise ZeroDivisionError

    heard = dispatched(groups_of([4] * 3), [Buggy()])
    assert type(heard.ended) is ZeroDivisionError


def test_an_answer_is_kept_before_its_slot_is_free() -> None:
    server = Played(latency_s=1.0)
    heard = dispatched(groups_of([1] * 8), [server], Limits(in_flight=2), settle_s=9.0)
    assert all_ok(heard, 8)
    assert heard.took_s == pytest.approx(40.0)


def test_a_dispatch_that_is_cancelled_leaves_nothing_running_and_the_purse_whole() -> None:
    server = Played(latency_s=100.0)

    async def settle(call: Call, response: Response) -> None:
        raise AssertionError("nothing is answered")

    async def main() -> None:
        running = asyncio.create_task(
            dispatch(groups_of([4] * 20, PRICED), [server], Limits(), settle, PRICED)
        )
        await asyncio.sleep(5.0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with spending(1_000.0) as purse:
        run_at_once(main())
        assert (purse.in_flight, purse.reserved) == (0, 0.0)
    assert server.answering == {}


# --- anything goes ---------------------------------------------------------------------------

FAULTS: dict[str, Callable[[], Failure] | None] = {
    "429": rate_limited,
    "later": lambda: rate_limited(retry_after_s=7.0),
    "500": server_error,
    "reset": lambda: Lost("connection", "reset"),
    "cut": lambda: Lost("cut_reply", "half"),
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
    leads=st.booleans(),
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
    leads: bool,
    fates: dict[tuple[int, int], list[str]],
    deaths: list[tuple[int, int]],
) -> None:
    by_prompt = {
        f"Document {document}. Question {question}?": fate for (document, question), fate in fates.items()
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

    limits = Limits(in_flight=in_flight, open_tokens=open_tokens, leads=leads, timeout_s=50.0)
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


def test_a_server_that_does_not_say_what_it_took_is_paid_what_it_could_have() -> None:
    with spending(1_000.0) as purse:
        dispatched(groups_of([4], PRICED), [Played(cost_usd=None)], model=PRICED)
        assert purse.spent > 0


def test_a_run_whose_every_prompt_is_cut_ends() -> None:
    server = Played(behaves=lambda call, attempt: Refused("prompt_truncated", "the server read half of it"))
    heard = dispatched(groups_of([1] * 200), [server], Limits(in_flight=4, hopeless_after=20))
    assert isinstance(heard.ended, GaveUp)
    assert "took none of the last 20 calls" in str(heard.ended)
    assert sum(server.n_sent.values()) < 60
