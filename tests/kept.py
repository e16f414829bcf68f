"""Questions put through a ledger, to an engine that may die as a killed process does."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.operation import PRIME, Call, Question, Work, grouped, render
from tasks.models.catalogue import Model
from tasks.suites.failsafeqa.answer import OPERATION
from tasks.suites.shared.contexts import ContextInputs
from tests.calls import streamed
from tests.scripted import Scripted, response_to

Asked = list[tuple[Call, Response]]


def question(context: str, query: str, subject: str | None = None) -> Question[ContextInputs]:
    inputs = ContextInputs(context=f"Report {context}.", query=query)
    return Question(subject or f"{context}/{query}", inputs)


# Two groups: three questions to one report, two to another.
FIVE = [question(report, f"{number}?") for report, number in ("A1", "A2", "A3", "B1", "B2")]


def rendered(questions: Sequence[Question[ContextInputs]], identity: str = "m1") -> list[Call]:
    return render(OPERATION, "scripted", questions, identity)


def answered(client: Client, questions: Sequence[Question[ContextInputs]]) -> Asked:
    """What is settled, in the order in which it is."""
    return streamed(client, grouped(rendered(questions)))


def timeless(settled: Asked) -> Asked:
    """In an order of their own, without what is measured."""
    unmeasured = dict.fromkeys(("latency_ms", "first_token_ms"))
    return sorted(((call, replace(answer, **unmeasured)) for call, answer in settled), key=repr)


def texts(settled: Asked) -> dict[str, str | None]:
    return {call.request.subject_id: answer.text for call, answer in settled if not call.is_primer}


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

    async def answer(self, work: Work) -> None:
        model = Model(name="scripted", engine="openai", description="")
        await dispatch(work, [self], self.limits, model)

    async def send(self, call: Call, heard: Callable[[], None]) -> Response:
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


def assert_free(cache: ResponseCache) -> None:
    """Assert that another run can take the lease."""
    assert cache.lease("scripted", "m1")._try() is None


def assert_primers_come_before_their_calls(settled: Asked) -> None:
    asked: set[str] = set()
    for call, _ in reversed(settled):
        if call.is_primer:
            assert call.prefix.prefix_id in asked
        else:
            asked.add(call.prefix.prefix_id)
