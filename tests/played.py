"""A server in this process: a `Replica` that answers late, misbehaves as told, and counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tasks.core.budget import Purse
from tasks.core.ids import sha256_hex
from tasks.core.rows import Response
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.engines.failures import Failure, Lost, Passing
from tasks.inference.operation import Call, Group, grouped, primer
from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tests.calls import group_of
from tests.handed import Handed
from tests.scripted import response_to
from tests.virtual_time import run_at_once

MODEL = Model(name="played", engine="openai", description="")
# a dollar for 16 tokens of answer
PRICED = replace(MODEL, price=Price(prompt=0.0, output=62_500.0))

# What a server does with a call: answers with a text, fails, or (None) never answers.
Behaviour = Callable[[Call, int], "str | Failure | None"]


def well(call: Call, attempt: int) -> str:
    """The behaviour of a server that is well: equal prompts have equal answers."""
    return f"The answer is {sha256_hex(call.prompt)[:8]}."


def failing(
    failure: Callable[[], Failure], *, times: int = 1_000_000, match: str = ""
) -> Behaviour:
    """Fails each call that has `match` in its prompt so many times, then answers well."""

    def behave(call: Call, attempt: int) -> str | Failure | None:
        return failure() if match in call.prompt and attempt <= times else well(call, attempt)

    return behave


def rate_limited(retry_after_s: float | None = None) -> Passing:
    return Passing("rate_limited", "HTTP 429: too many", retry_after_s=retry_after_s)


def server_error() -> Passing:
    return Passing("server_error", "HTTP 500: oops")


@dataclass(eq=False)
class Played:
    """One server.

    latency_s   how long an answer or a refusal takes
    silences_s  besides, a reply is streamed: how long each of its tokens takes
    behaves     what it does with a call at its n-th attempt (the first is 1)
    poison      a call whose prompt has this in it kills the server as it arrives
    returns_s   after how long a dead server is back; None: never
    cost_usd    of each answer
    """

    name: str = "played"
    latency_s: float = 1.0
    silences_s: Sequence[float] = ()
    behaves: Behaviour = well
    poison: str | None = None
    returns_s: float | None = None
    cost_usd: float | None = None
    sent: list[Call] = field(default_factory=list)  # in the order in which they arrived
    deaths: int = 0
    most_in_flight: int = 0
    answering: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    # what was in flight as each call arrived
    together: list[tuple[str, ...]] = field(default_factory=list)
    is_up: bool = True
    _attempts: Counter[str] = field(default_factory=Counter)

    async def send(self, call: Call, heard: Callable[[], None]) -> Response:
        request_id = call.request.request_id
        if not self.is_up:
            raise Lost("connection", "connection refused", was_sent=False)
        self.sent.append(call)
        self._attempts[request_id] += 1
        dying = asyncio.get_running_loop().create_future()
        self.answering[request_id] = dying
        self.together.append(tuple(self.answering))
        self.most_in_flight = max(self.most_in_flight, len(self.answering))
        try:
            if self.poison is not None and self.poison in call.prompt:
                self.die()
            done, _ = await asyncio.wait([dying], timeout=self.latency_s)
            if done:
                raise Lost("connection", "connection reset by peer")
            for silence_s in self.silences_s:
                await asyncio.sleep(silence_s)
                heard()
            outcome = self.behaves(call, self._attempts[request_id])
            if outcome is None:
                await asyncio.wait([dying])
                raise Lost("connection", "connection reset by peer")
            if isinstance(outcome, Failure):
                raise outcome
            return response_to(call, outcome, cost_usd=self.cost_usd, engine="played")
        finally:
            del self.answering[request_id]

    async def is_alive(self) -> bool:
        return self.is_up

    def die(self) -> None:
        """End with all that is in flight; come back when told so."""
        self.is_up = False
        self.deaths += 1
        for dying in self.answering.values():
            if not dying.done():
                dying.set_result(None)
        if self.returns_s is not None:
            asyncio.get_running_loop().call_later(self.returns_s, self.come_back)

    def come_back(self) -> None:
        self.is_up = True

    @property
    def n_sent(self) -> Counter[str]:
        """Question -> how often it arrived."""
        return Counter(call.prompt for call in self.sent)


@dataclass(eq=False)
class Heard:
    """What a dispatch settled, and how it ended."""

    responses: dict[str, Response] = field(default_factory=dict)  # by prompt
    settled: list[str] = field(default_factory=list)  # prompts, in order
    opened: list[str] = field(default_factory=list)  # groups, in order
    ended: BaseException | None = None
    took_s: float = 0.0

    def statuses(self) -> Counter[str]:
        return Counter(response.status for response in self.responses.values())


def groups_of(sizes: Sequence[int], model: Model = MODEL, **options: object) -> list[Group]:
    """Groups of so many questions each, to documents `Document 0.`, `Document 1.` and so on."""
    return [
        group
        for number, size in enumerate(sizes)
        for group in grouped(group_of(f"Document {number}.", size, model, **options))  # type: ignore[arg-type]
    ]


def primed(group: Group, n_calls: int) -> Group:
    """The group with its primer first, as the ledger opens it; `n_calls` are the others."""

    async def opened() -> list[Call]:
        calls = list(await group.open())
        return [primer(calls, MODEL.identity), *calls]

    return replace(group, open=opened, n_calls=n_calls)


def dispatched(
    groups: Sequence[Group],
    servers: Sequence[Played],
    limits: Limits | None = None,
    *,
    model: Model = MODEL,
    meanwhile: Callable[[Heard], asyncio.Future[None] | None] | None = None,
    settle_s: float = 0.0,
    may_send: Callable[[], bool] = lambda: True,
    purse: Purse | None = None,
) -> Heard:
    """Have the groups answered by the servers, in no time.

    Every answer is settled once, whatever happens; what ends the dispatch is kept as `ended`.

    Args:
        meanwhile: called after each settled answer.
        settle_s: how long it takes to keep an answer.
    """
    heard = Heard()

    async def settle(call: Call, response: Response) -> None:
        assert response.request_id == call.request.request_id
        if settle_s:
            await asyncio.sleep(settle_s)
        assert call.prompt not in heard.responses, "settled twice"
        heard.responses[call.prompt] = response
        heard.settled.append(call.prompt)
        if meanwhile is not None:
            meanwhile(heard)

    def noted(group: Group) -> Group:
        async def opened() -> Sequence[Call]:
            heard.opened.append(group.name)
            return await group.open()

        return replace(group, open=opened)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            work = Handed([noted(group) for group in groups], settle, purse)
            work.may_send = may_send  # type: ignore[method-assign]
            await dispatch(work, servers, limits or Limits(), model)
        except Exception as ended:
            heard.ended = ended
        heard.took_s = loop.time() - start
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert not left, f"the dispatch has left tasks behind: {left}"

    run_at_once(main())
    return heard


def all_ok(heard: Heard, n_calls: int) -> bool:
    """Whether the run came to its end and so many calls were answered well."""
    return heard.ended is None and heard.statuses() == Counter(ok=n_calls)
