"""An engine that counts calls and sends nothing: it uses kept replies, else plays them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.core.rows import Response
from tasks.inference.client import Client
from tasks.inference.cutting import limit_answer
from tasks.inference.engines import load_engine
from tasks.inference.engines.failures import Failure
from tasks.inference.engines.openai_protocol import failed
from tasks.inference.operation import Call, Work, grouped
from tasks.models.catalogue import Model, find_model
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.results.estimate.call_costs import RULES, Calls

Find = Callable[[Sequence[str]], Mapping[str, Response]]
Play = Callable[[Sequence[Call]], Awaitable[list[Response]]]

# A model's reply, as a share of the longest allowed: 256 tokens of an answer's 2,048, 32 of a
# verdict's 256. Assumed, not measured; the longest are shown too.
TYPICAL_SHARE = 1 / 8


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none.
        play: replies to calls without a kept reply.
    """

    def __init__(self, model: Model, find: Find | None, play: Play) -> None:
        is_rule = model.engine == RULES
        self.row = model
        self.model = model.name
        self.identity = None if is_rule else model.identity
        self.find = None if is_rule else find
        self.play = play
        self.sums: dict[str, Calls] = {}  # by operation, in cl100k tokens
        self.heads: set[tuple[str, str]] = set()  # (operation, prefix_id)
        self.replies: dict[str, Response] = {}  # by request_id

    async def answer(self, work: Work) -> None:
        """Answer each call, and what its reply gives rise to."""
        for group in work.groups:
            calls = await work.open(group)
            while calls:
                calls = [limit_answer(call, self.row) for call in calls]
                await self._reply([c for c in calls if c.request.request_id not in self.replies])
                calls = [
                    follow_up
                    for call in calls
                    for follow_up in await work.answered(
                        call, self.replies[call.request.request_id]
                    )
                ]

    async def _reply(self, calls: Sequence[Call]) -> None:
        """Count calls and note their replies: kept ones, which are free, and others."""
        kept = self.find([call.key for call in calls]) if self.find is not None else {}
        unknown = [call for call in calls if call.request.key not in kept]
        played = await self.play(unknown)
        for call, reply in zip(unknown, played, strict=True):
            self.replies[call.request.request_id] = reply
        for call in calls:
            request = call.request
            if request.request_id not in self.replies:
                reply = kept[request.key or ""]
                self.replies[request.request_id] = replace(reply, request_id=request.request_id)
                cost = Calls(requests=1, answered=1)
            else:
                cost = self._cost_of(call)
            if request.repairs is None:  # a rule that cannot be read says nothing about a model
                self.sums[request.operation] = self.sums.get(request.operation, Calls()) + cost

    def _cost_of(self, call: Call) -> Calls:
        request, head = call.request, (call.request.operation, call.prefix.prefix_id)
        n_shared = call.prefix.n_tokens if head in self.heads else 0
        self.heads.add(head)
        most = request.sampling.max_tokens
        return Calls(
            requests=1,
            prompt=request.n_prompt_tokens,
            unique=request.n_prompt_tokens - n_shared,
            output=most * TYPICAL_SHARE,
            most_output=most,
        )


class Rules:
    """The free engine's rules, as stand-ins for models."""

    def __init__(self, run: ResolvedRun) -> None:
        self.rules = rules_of(run, RULES)
        self.engine = load_engine(find_model(RULES), run.suite.operations, self.rules)

    async def play(self, calls: Sequence[Call]) -> list[Response]:
        """Reply to calls; if no rule plays one, as a model that agrees, or as a failed call."""
        played = [call for call in calls if call.request.operation in self.rules]
        replies = {
            call.request.request_id: response
            async for call, response in Client(self.engine, part=None).stream(grouped(played))
        }
        return [replies.get(call.request.request_id) or _agreeing(call) for call in calls]


async def usual_answers(calls: Sequence[Call]) -> list[Response]:
    """Reply with as many words as an answer usually has, for judges to read."""
    return [_usual(call) for call in calls]


async def no_answers(calls: Sequence[Call]) -> list[Response]:
    """Reply to each call as one that was not sent."""
    return [_not_sent(call) for call in calls]


def _usual(call: Call) -> Response:
    words = " word" * round(call.request.sampling.max_tokens * TYPICAL_SHARE)
    return Response(
        request_id=call.request.request_id, status="ok", text=words, attempts=0, engine="counting"
    )


def _agreeing(call: Call) -> Response:
    """Say yes to whatever an operation's schema asks; fail if it asks nothing.

    So what a verifier without a rule would let through is counted in the steps after it.
    """
    properties = (call.schema or {}).get("properties", {})
    if not properties:
        return _not_sent(call)
    inputs = call.inputs()
    reply = {name: _agree(schema, inputs.get(name)) for name, schema in properties.items()}
    return replace(_usual(call), text=json.dumps(reply))


def _agree(schema: Mapping[str, Any], known: str | None) -> object:
    """Return true, the option that the prompt names, or a word."""
    if "enum" in schema:
        return known if known in schema["enum"] else schema["enum"][0]
    return True if schema.get("type") == "boolean" else "yes"


def _not_sent(call: Call) -> Response:
    """Return the failed response of a call that an estimate does not send."""
    failure = Failure("not_sent", "an estimate sends nothing")
    request_id = call.request.request_id
    return failed(request_id, failure, engine="counting", attempts=0, cost_usd=None)
