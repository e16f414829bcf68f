"""The client of a model; every step sends its calls through it.

async with aclosing(client.stream(groups)) as answers:
    async for call, response in answers:
        ...
        client.submit(repair(call, reply))  # sent next, to the same replica, which has the prefix

Without `aclosing`, a reader that fails may keep the model's lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from tasks.core.budget import Purse
from tasks.core.cancellation import sending
from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.call_records import OperationRecord
from tasks.inference.context import Readings, RunContext
from tasks.inference.engines import load_engine
from tasks.inference.operation import (
    Backend,
    Call,
    Engine,
    Group,
    Inputs,
    Operation,
    Question,
    Reply,
    Value,
    grouped,
    read_reply,
    render,
    repair,
)
from tasks.inference.work import CachedWork, Unread
from tasks.models.catalogue import IMPORTED, Model
from tasks.models.windows import Need, check_window
from tasks.text.tokens import encoding

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules


Shorter = Callable[[Call, int], str]


@dataclass(eq=False)
class Client:
    """A client of one model: the response cache first, then the engine; one stream at a time."""

    engine: Backend
    cache: ResponseCache | None = None  # stores the answers; unused for rules
    _: KW_ONLY
    purse: Purse = field(default_factory=Purse)  # pays for the calls
    primes: bool = False  # whether to warm up a group of two or more calls first
    fresh_after: int | None = None  # ignore answers up to this number (`ResponseCache.latest`)
    failures_after: int | None = None  # replace failures up to this number with new answers
    part: str | None = ""  # of the step, for progress; None: show no progress
    readings: Readings = field(default_factory=Readings)  # counts unreadable replies
    # Whether to keep the rows of its calls in `records` and to repeat known answers.
    remembers: bool = False
    row: Model | None = None  # whose window limits answers; None: no window is known
    # (call, tokens) -> options by which its prompt has no more, or an empty string
    shorter: Shorter = lambda call, most: ""
    records: dict[str, OperationRecord] = field(default_factory=dict)  # by operation
    _has_fit: bool = False
    _n_streams: int = 0
    _reading: Unread | None = None

    def __post_init__(self) -> None:
        self.model, self.identity = self.engine.model, self.engine.identity
        if self.identity is None:
            self.cache = None

    async def stream(self, groups: Sequence[Group]) -> AsyncGenerator[tuple[Call, Response], None]:
        """Yield each call once, in any order, with its answer or failure.

        Primers are included. A call keeps its slot until the reader asks for the next one, so a
        crash costs at most the calls in flight.
        """
        self._n_streams += 1
        work = CachedWork(self, groups)
        asking = asyncio.create_task(self._ask(work))
        asking.add_done_callback(lambda _: work.unread.put_nowait(None))
        try:
            while (unread := await work.unread.get()) is not None:
                self._reading = unread
                if self.remembers:
                    record = self.records.setdefault(
                        unread.call.request.operation, OperationRecord()
                    )
                    record.add(unread.call, unread.response, self._n_streams)
                yield unread.call, unread.response
                if not unread.read.done():  # the waiting task may have been cancelled
                    unread.read.set_result(None)
                    await asyncio.sleep(0)  # free the slot first, so that prompts do not pile up
            await asking
        finally:
            self._reading = None
            if not asking.done():  # the reader has stopped early
                asking.cancel()
                await asyncio.wait([asking])

    async def _ask(self, work: CachedWork) -> None:
        # In a task of its own, so that the work is closed even if the reader leaves.
        try:
            with nullcontext() if self.cache is None else sending():
                await self.engine.answer(work)
        finally:
            work.close()

    def check_fit(self, calls: Collection[Call]) -> None:
        """Raise `DoesNotFit` if no prompt so far fits the model's window; one more cannot help."""
        if self.row is None or self._has_fit or not calls:
            return
        shortest = min(calls, key=lambda call: call.request.n_prompt_tokens)
        n_prompt, most = shortest.request.n_prompt_tokens, shortest.request.sampling.max_tokens
        shorter = partial(self.shorter, shortest)
        check_window(Need(self.row, n_prompt, most, "the shortest prompt", shorter))
        self._has_fit = True

    def submit(self, call: Call) -> None:
        """Send a follow-up to the answer being read, in its slot."""
        assert self._reading is not None, "nothing is being read"
        self._reading.submitted.append(call)


def open_client(
    context: RunContext,
    model: Model,
    operations: Mapping[str, Operation[Any, Any]],
    part: str = "",
    *,
    remembers: bool = True,
    rules: Rules | None = None,
    shorter: Shorter = lambda call, most: "",
) -> Client:
    """Open the client of a model, with the lake's response cache; see `Client`."""
    # Load the tokenizer while the engine's client is imported: each takes about 0.2 s.
    Thread(target=encoding, name="tokenizer", daemon=True).start()
    engine = load_engine(model, operations, rules)
    fresh_after, failures_after = context.fresh_after(), context.failures_after
    if model.engine == IMPORTED:  # nobody can be asked again
        fresh_after = failures_after = None
    if model.name in context.answers:
        from tasks.inference.imported import ImportedAnswers

        engine = ImportedAnswers(model, context.answers[model.name])
        fresh_after = context.cache.latest()
    return Client(
        engine,
        context.cache,
        primes=model.primes,
        purse=context.purse,
        fresh_after=fresh_after,
        failures_after=failures_after,
        part=None if model.engine == IMPORTED else part,  # nobody is asked
        readings=context.readings,
        remembers=remembers,
        row=model,
        shorter=shorter,
    )


# --- ask -----------------------------------------------------------------------------------


def ask(
    engine: Engine, operation: Operation[Inputs, Value], questions: Sequence[Question[Inputs]]
) -> list[Reply[Value]]:
    """Ask an operation's questions; return one reply per question, in order.

    An unreadable reply is requested once more, with the problem named. The second request names
    the first in `repairs`.

    Raises:
        DoesNotFit: no prompt fits the model's window.
    """
    return ask_each(engine, [(operation, questions)])[0]


def ask_each(
    engine: Engine, questions_of: Sequence[tuple[Operation[Any, Any], Sequence[Question[Any]]]]
) -> list[list[Reply[Any]]]:
    """Ask several operations at once, as one stream of calls; see `ask`."""
    client = engine if isinstance(engine, Client) else Client(cast(Backend, engine), part=None)
    rendered = [
        (operation, render(operation, client.model, questions, client.identity))
        for operation, questions in questions_of
    ]
    # The same question about the same subject, asked twice in one stream, is one call.
    unique = {
        call.request.request_id: (operation, call)
        for operation, calls in rendered
        for call in calls
    }
    if not unique:
        return [[] for _ in rendered]
    client.check_fit([call for _, call in unique.values()])
    replies = asyncio.run(_replies(client, unique))
    return [[replies[call.request.request_id] for call in calls] for _, calls in rendered]


async def _replies(
    client: Client, unique: Mapping[str, tuple[Operation[Any, Any], Call]]
) -> dict[str, Reply[Any]]:
    """Return replies by the request_id of the original question, repaired or not."""
    replies: dict[str, Reply[Any]] = {}
    waiting = set(unique)
    groups = grouped([call for _, call in unique.values()])
    async with aclosing(client.stream(groups)) as answers:
        async for call, response in answers:
            if call.is_primer:
                continue
            request = call.request
            if request.request_id not in waiting:
                raise RuntimeError(
                    f"engine {client.model} answered request {request.request_id} twice"
                )
            waiting.remove(request.request_id)
            asked_first = request.repairs or request.request_id
            operation = unique[asked_first][0]
            reply = read_reply(operation, request, response)
            if request.repairs is None or reply.value is not None:
                replies[asked_first] = reply
            if client.identity is None:  # a rule would give the same answer again
                continue
            if request.repairs is None and reply.value is None and response.status == "ok":
                again = repair(call, reply)
                waiting.add(again.request.request_id)
                client.submit(again)
            else:
                client.readings.count(operation, replies[asked_first])
    if waiting:
        n_asked = len(waiting) + len(replies)
        raise RuntimeError(
            f"engine {client.model} lost {len(waiting)} of {n_asked} requests, first {min(waiting)}"
        )
    return replies
