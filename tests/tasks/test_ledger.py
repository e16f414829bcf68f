"""The ledger: a call is sent once, answered wherever it was asked, and kept before it counts."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks import ledger as ledger_module
from tasks.answers.grounded import OPERATION, Inputs
from tasks.database import JournalError
from tasks.engines.dispatch import Limits, dispatch
from tasks.engines.failures import Refused
from tasks.errors import RunFailed
from tasks.journal import Journal
from tasks.ledger import Ledger, Recorded
from tasks.models import Model
from tasks.operations import PRIME, Call, Group, Question, Settle, ask, collect, grouped, render
from tasks.progress import Progress, listening
from tasks.schemas import Response
from tasks.stopping import Stopped, request_stop, withdraw_stop
from tests.scripted import Scripted, response_to

Asked = list[tuple[Call, Response]]


def question(context: str, query: str, subject: str | None = None) -> Question[Inputs]:
    return Question(subject or f"{context}/{query}", Inputs(context=f"Report {context}.", query=query))


FIVE = [
    question("A", "1?"),
    question("A", "2?"),
    question("A", "3?"),
    question("B", "1?"),
    question("B", "2?"),
]


def rendered(questions: Sequence[Question[Inputs]], identity: str = "m1") -> list[Call]:
    return render(OPERATION, "scripted", questions, identity)


def answered(engine: Ledger | Recorded, questions: Sequence[Question[Inputs]]) -> Asked:
    """What is settled, in the order in which it is."""
    settled: Asked = []

    async def settle(call: Call, response: Response) -> None:
        settled.append((call, response))

    asyncio.run(engine.answer(grouped(rendered(questions)), settle))
    return settled


def timeless(settled: Asked) -> Asked:
    """In an order of their own, without what is measured."""
    return sorted(((call, replace(response, latency_ms=None)) for call, response in settled), key=repr)


def texts(settled: Asked) -> dict[str, str | None]:
    return {call.request.subject_id: response.text for call, response in settled if not call.is_primer}


def sent(engine: Scripted | Sending) -> list[str]:
    """The subjects of the calls that reached the engine; a primer's is its group's operation."""
    return [PRIME if call.is_primer else call.request.subject_id for call in engine.calls]


class Sending:
    """An engine as those that reach servers are: the dispatcher, several calls at once.

    Args:
        reply: what a call is answered with; may raise a failure.
        dies_after: how many calls are sent before the process "dies".
    """

    model = "scripted"

    def __init__(
        self,
        reply: Callable[[Call], str],
        *,
        dies_after: int | None = None,
        in_flight: int = 4,
        seed: int = 0,
    ) -> None:
        self.identity = "m1"
        self.name = "here"
        self.reply = reply
        self.dies_after = dies_after
        self.limits = Limits(in_flight=in_flight)
        self.drawn = random.Random(seed)
        self.calls: list[Call] = []
        self.is_dead = False

    async def answer(self, groups: Sequence[Group], settle: Settle) -> None:
        model = Model(name="scripted", engine="openai", description="")
        await dispatch(groups, [self], self.limits, settle, model)

    async def send(self, call: Call) -> Response:
        if self.is_dead:
            raise Died("the dead send nothing")
        self.calls.append(call)
        for _ in range(self.drawn.randrange(4)):
            await asyncio.sleep(0)
        self.is_dead = self.dies_after is not None and len(self.calls) > self.dies_after
        if self.is_dead:
            raise Died("as a killed process would")
        return response_to(call, self.reply(call))

    async def is_alive(self) -> bool:
        return True


class Died(Exception):
    """Stands for the end of a process: nobody expects it."""


def echo(call: Call) -> str:
    return f"to {'' if call.is_primer else call.inputs()['query']}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "_ledger" / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal(path)
    yield opened
    opened.close()


# --- a finished key is never sent again -----------------------------------------------------


def test_what_was_answered_is_not_sent_again_by_any_run(path: Path) -> None:
    engines = [Scripted(echo, identity="m1") for _ in range(3)]
    first, again, other_subjects = (Journal(path) for _ in engines)
    settled = answered(Ledger(engines[0], first), FIVE)
    assert sorted(sent(engines[0])) == sorted(question.subject_id for question in FIVE)
    first.close()
    assert dict(answered(Ledger(engines[1], again), FIVE)) == dict(settled)
    renamed = [replace(question, subject_id=f"other {question.subject_id}") for question in FIVE]
    for call, response in answered(Ledger(engines[2], other_subjects), renamed):
        assert response.request_id == call.request.request_id
        assert response.text == echo(call)
    assert engines[1].calls == engines[2].calls == []
    again.close()
    other_subjects.close()


def test_another_identity_is_another_answer(journal: Journal) -> None:
    answered(Ledger(Scripted(echo, identity="m1"), journal), FIVE)
    other = Scripted(echo, identity="m2")
    asyncio.run(collect(Ledger(other, journal), rendered(FIVE, "m2")))
    assert len(other.calls) == 5


def test_rules_are_asked_each_time_and_leave_no_ledger(journal: Journal, path: Path) -> None:
    for _ in range(2):
        rule = Scripted(echo, identity=None)
        calls = render(OPERATION, "scripted", FIVE)
        assert len(asyncio.run(collect(Ledger(rule, journal, primes=True), calls))) == 5
        assert len(rule.calls) == 5
    assert not path.parent.exists()


def test_fresh_asks_again_once(path: Path) -> None:
    old = Journal(path)
    answered(Ledger(Scripted(lambda call: "old", identity="m1"), old), FIVE)
    old.close()
    started = time.time()
    fresh = Journal(path)
    engine = Scripted(lambda call: "new", identity="m1")
    for _ in range(2):  # the same program may come to the same call again
        settled = answered(Ledger(engine, fresh, fresh_since=started), FIVE)
        assert set(texts(settled).values()) == {"new"}
    assert len(engine.calls) == 5
    assert set(texts(answered(Ledger(Scripted(echo, identity="m1"), fresh), FIVE)).values()) == {"new"}
    fresh.close()


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
    journal: Journal, changes: dict[str, object], is_kept: bool
) -> None:
    first = Scripted(echo, identity="m1", **changes)
    settled = answered(Ledger(first, journal), FIVE)
    second = Scripted(echo, identity="m1")
    later = answered(Ledger(second, journal), FIVE)
    assert len(second.calls) == (0 if is_kept else 5)
    if is_kept:
        assert dict(later) == dict(settled)


def test_an_answer_is_kept_before_it_counts(journal: Journal, path: Path) -> None:
    seen = []
    other = Journal(path)

    async def settle(call: Call, response: Response) -> None:
        seen.append(other.find([call.request.key or ""]) == {call.request.key: response})

    asyncio.run(Ledger(Scripted(echo, identity="m1"), journal).answer(grouped(rendered(FIVE)), settle))
    other.close()
    assert seen == [True] * 5


def test_an_answer_that_cannot_be_kept_ends_the_run_and_gives_its_claims_up(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> Response:
        raise JournalError("no space is left")

    with monkeypatch.context() as broken:
        broken.setattr(journal, "add", fails)
        with pytest.raises(JournalError, match="no space"):
            answered(Ledger(Sending(echo), journal, primes=True), FIVE)
    keys = [call.request.key or "" for call in rendered(FIVE)]
    assert journal.claim(keys) == set(keys)


# --- equal prompts --------------------------------------------------------------------------

TWINS = [question("A", "1?", "twin 1"), question("A", "1?", "twin 2"), question("A", "2?")]


def test_equal_prompts_of_different_subjects_are_sent_once_and_answer_both(journal: Journal) -> None:
    engine = Scripted(echo, identity="m1")
    settled = answered(Ledger(engine, journal), TWINS)
    assert len(engine.calls) == 2
    assert texts(settled) == {"twin 1": "to 1?", "twin 2": "to 1?", "A/2?": "to 2?"}
    assert all(response.request_id == call.request.request_id for call, response in settled)


def test_a_failure_answers_both_too_and_is_tried_again_next_time(journal: Journal) -> None:
    failing = Scripted(lambda call: None, identity="m1")
    settled = answered(Ledger(failing, journal), TWINS)
    assert len(failing.calls) == 2
    assert [response.status for _, response in settled] == ["error"] * 3
    assert texts(answered(Ledger(Scripted(echo, identity="m1"), journal), TWINS))["twin 2"] == "to 1?"


def one_group_each(calls: Sequence[Call]) -> list[Group]:
    """Every call in a group of its own, as the plans of several steps may have it."""
    return [group for call in calls for group in grouped([call])]


@pytest.mark.parametrize("in_flight", [1, 2, 8])
def test_equal_prompts_in_different_groups_are_sent_once(journal: Journal, in_flight: int) -> None:
    engine = Sending(echo, in_flight=in_flight)
    settled: Asked = []

    async def settle(call: Call, response: Response) -> None:
        await asyncio.sleep(0)
        settled.append((call, response))

    twins = [question("A", "1?", f"twin {n}") for n in range(6)]
    asyncio.run(Ledger(engine, journal).answer(one_group_each(rendered(twins)), settle))
    assert len(engine.calls) == 1
    assert texts(settled) == {f"twin {n}": "to 1?" for n in range(6)}
    assert len(settled) == 6


def test_two_trips_of_one_program_send_each_key_once(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    engines = [Sending(echo, in_flight=2, seed=seed) for seed in range(3)]
    calls = rendered([question("A", f"{n}?") for n in range(10)])

    async def together() -> list[dict[str, Response]]:
        return await asyncio.gather(
            *(collect(Ledger(engine, journal, primes=True), calls) for engine in engines)
        )

    responses = asyncio.run(together())
    assert responses[0] == responses[1] == responses[2]
    times = Counter(
        call.request.request_id for engine in engines for call in engine.calls if not call.is_primer
    )
    assert times == {call.request.request_id: 1 for call in calls}


# --- primers --------------------------------------------------------------------------------


def test_a_group_of_two_or_more_is_primed_before_its_calls_are_sent(journal: Journal) -> None:
    engine = Sending(echo, in_flight=8)
    settled = answered(Ledger(engine, journal, primes=True), [*FIVE, question("C", "1?")])
    order = sent(engine)
    assert Counter(order)[PRIME] == 2
    first_of = {group: min(order.index(name) for name in order if name.startswith(group)) for group in "AB"}
    primers = [number for number, name in enumerate(order) if name == PRIME]
    assert primers[0] < first_of["A"]
    assert primers[1] < first_of["B"]
    for call, _ in settled:
        if call.is_primer:
            assert call.prompt == call.prefix.text
            assert call.request.sampling.max_tokens == 1
            assert call.request.case_id is None


def test_a_primer_is_a_row_and_nobody_s_answer(journal: Journal) -> None:
    heard: list[Progress] = []
    recorded = Recorded(Ledger(Scripted(echo, identity="m1", n_prompt=10), journal, primes=True))
    with listening(heard.append):
        replies = ask(recorded, OPERATION, FIVE)
    assert len(replies) == 5
    assert len(recorded.operations[PRIME].requests) == 2
    assert (heard[-1].done, heard[-1].total) == (5, 5)
    assert heard[-1].prompt_tokens == 70  # all seven calls were paid for


def test_a_primer_s_tokens_count_for_the_operation_that_it_serves(journal: Journal) -> None:
    other = replace(OPERATION, name="other")
    heard: dict[str, Progress] = {}
    calls = [
        *render(OPERATION, "scripted", [question("A", "1?")], "m1"),
        *render(other, "scripted", [question("B", "1?"), question("B", "2?")], "m1"),
    ]
    with listening(lambda progress: heard.update({progress.what: progress})):
        asyncio.run(collect(Ledger(Scripted(echo, identity="m1", n_prompt=10), journal, primes=True), calls))
    assert {what: progress.prompt_tokens for what, progress in heard.items()} == {
        f"{OPERATION.name} by scripted": 10,
        "other by scripted": 30,
    }


def test_a_failed_primer_does_not_fail_its_group(journal: Journal) -> None:
    def refuses(call: Call) -> str:
        if call.is_primer:
            raise Refused("bad_request", "no")
        return echo(call)

    settled = answered(Ledger(Sending(refuses), journal, primes=True), FIVE)
    assert set(texts(settled)) == {question.subject_id for question in FIVE}


@pytest.mark.parametrize("n_before", range(6))
def test_a_resumed_run_has_the_rows_of_an_undisturbed_one_primers_before_their_calls(
    path: Path, n_before: int
) -> None:
    undisturbed = Journal(path.with_name("undisturbed.sqlite"))
    expected = answered(Ledger(Sending(echo), undisturbed, primes=True), FIVE)
    undisturbed.close()
    interrupted, resumed = Journal(path), Journal(path)
    with pytest.raises(Died):
        answered(Ledger(Sending(echo, dies_after=n_before, in_flight=1), interrupted, primes=True), FIVE)
    settled = answered(Ledger(Sending(echo), resumed, primes=True), FIVE)
    assert timeless(settled) == timeless(expected)
    assert_primers_come_before_their_calls(settled)
    interrupted.close()
    resumed.close()


def assert_primers_come_before_their_calls(settled: Asked) -> None:
    last = {call.prefix.prefix_id: place for place, (call, _) in enumerate(settled) if not call.is_primer}
    for place, (call, _) in enumerate(settled):
        if call.is_primer:
            assert place < last[call.prefix.prefix_id]


# --- runs side by side ----------------------------------------------------------------------


def test_what_another_run_has_claimed_is_waited_for_with_its_primer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(path), Journal(path)
    mine, yours = Sending(echo, in_flight=1, seed=1), Sending(echo, in_flight=1, seed=2)
    both: dict[str, Asked] = {"mine": [], "yours": []}

    async def run(name: str, engine: Sending, journal: Journal) -> None:
        async def settle(call: Call, response: Response) -> None:
            both[name].append((call, response))

        await Ledger(engine, journal, primes=True).answer(grouped(rendered(FIVE)), settle)

    async def together() -> None:
        await asyncio.gather(run("mine", mine, ours), run("yours", yours, theirs))

    asyncio.run(together())
    assert sorted(both["mine"], key=repr) == sorted(both["yours"], key=repr)
    times = Counter(name for name in [*sent(mine), *sent(yours)] if name != PRIME)
    assert times == {question.subject_id: 1 for question in FIVE}
    for settled in both.values():
        assert len(settled) == 7
        assert_primers_come_before_their_calls(settled)
    ours.close()
    theirs.close()


def test_the_claims_of_a_run_that_failed_are_taken_over_and_primed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(path), Journal(path)
    theirs.claim([call.request.key or "" for call in rendered(FIVE)])
    engine = Scripted(echo, identity="m1")
    settled: Asked = []

    async def settle(call: Call, response: Response) -> None:
        settled.append((call, response))

    async def together() -> None:
        run = asyncio.create_task(Ledger(engine, ours, primes=True).answer(grouped(rendered(FIVE)), settle))
        await asyncio.sleep(0.05)
        assert not run.done()
        assert engine.calls == []
        theirs.close()
        await run

    asyncio.run(together())
    assert Counter(sent(engine)) == {PRIME: 2, **{question.subject_id: 1 for question in FIVE}}
    assert len(settled) == 7
    ours.close()


CLAIMS_AND_IS_KILLED = """
import os, signal, sys
from pathlib import Path
from tasks.journal import Journal

kept = Journal(Path(sys.argv[1]))
assert len(kept.claim(sys.argv[2:])) == len(sys.argv[2:])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_claims_of_a_killed_run_hold_nobody_up(journal: Journal, path: Path) -> None:
    keys = [call.request.key or "" for call in rendered(FIVE)]
    killed = subprocess.run(
        [sys.executable, "-c", CLAIMS_AND_IS_KILLED, str(path), *keys],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert killed.returncode == -signal.SIGKILL
    engine = Scripted(echo, identity="m1")
    assert len(texts(answered(Ledger(engine, journal), FIVE))) == 5
    assert len(engine.calls) == 5


def test_a_run_that_waits_for_another_can_be_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(path), Journal(path)
    theirs.claim([call.request.key or "" for call in rendered(FIVE)])
    request_stop()
    try:
        with pytest.raises(Stopped, match="another run was asking 5 of this run's calls"):
            answered(Ledger(Scripted(echo, identity="m1"), ours), FIVE)
    finally:
        withdraw_stop()
        ours.close()
        theirs.close()


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
    path = tmp_path_factory.mktemp("any") / "journal.sqlite"
    questions = [question(f"{context}", f"{query}?", f"s{n}") for n, (context, query) in enumerate(asked)]
    engines = []
    for dies_after in [*deaths, None]:
        journal = Journal(path)
        engines.append(Sending(echo, dies_after=dies_after, in_flight=in_flight, seed=seed))
        try:
            settled = answered(Ledger(engines[-1], journal, primes=primes), questions)
        except Died:
            settled = []
        finally:
            journal.close()
    assert sorted(call.request.request_id for call, _ in settled if not call.is_primer) == sorted(
        call.request.request_id for call in rendered(questions)
    )
    assert all(response.text == echo(call) for call, response in settled)
    times = Counter(call.request.key for engine in engines for call in engine.calls if not call.is_primer)
    assert len(times) == len(set(asked))
    assert sum(times.values()) - len(times) <= in_flight * len(deaths)


def test_an_error_of_the_engine_comes_through_as_it_is(journal: Journal) -> None:
    class Broke(RunFailed):
        """Of this test alone."""

    def breaks(call: Call) -> str:
        raise Broke("it broke")

    with pytest.raises(Broke):
        answered(Ledger(Scripted(breaks, identity="m1"), journal), FIVE)
    keys = [call.request.key or "" for call in rendered(FIVE)]
    assert journal.claim(keys) == set(keys)
