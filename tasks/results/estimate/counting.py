"""An engine that counts calls and sends nothing: it uses kept replies, else rules' replies."""

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
from tasks.pipeline.settings import RunSettings
from tasks.results.estimate.call_costs import RULES, Calls
from tasks.suites.suite import AnyOperation

Find = Callable[[Sequence[str]], Mapping[str, Response]]
Play = Callable[[Sequence[Call]], Awaitable[list[Response]]]

# A model's reply, as a share of the longest allowed: 256 tokens of an answer's 2,048, 32 of a
# verdict's 256. Assumed, not measured; the longest are shown too.
TYPICAL_SHARE = 1 / 8


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none.
        play: replies to calls without a kept reply; None: these fail as calls that were not sent.
    """

    def __init__(self, model: Model, find: Find | None, play: Play | None = None) -> None:
        is_rule = model.engine == RULES
        self.row = model
        self.model = model.name
        self.identity = None if is_rule else model.identity
        self.find = None if is_rule else find
        self.play = play
        self.sums: dict[str, Calls] = {}  # by operation, in cl100k tokens
        self.heads: set[tuple[str, str]] = set()  # (operation, prefix_id)
        self.replies: dict[str, Response] = {}  # by request_id

    def calls(self, operation: str) -> Calls:
        """Sum the calls of an operation; tokens are of those without a kept reply."""
        return self.sums.get(operation, Calls())

    async def answer(self, work: Work) -> None:
        """Answer each call, and what its reply gives rise to."""
        calls = [call for group in work.groups for call in await work.open(group)]
        while calls:
            calls = [limit_answer(call, self.row) for call in calls]
            unknown = self.count([c for c in calls if c.request.request_id not in self.replies])
            replies = [_not_sent(call) for call in unknown]
            if self.play is not None:
                replies = await self.play(unknown)
            self.replies |= {
                call.request.request_id: reply for call, reply in zip(unknown, replies, strict=True)
            }
            calls = [
                follow_up
                for call in calls
                for follow_up in await work.answered(call, self.replies[call.request.request_id])
            ]

    def count(self, calls: Sequence[Call]) -> list[Call]:
        """Count calls that were not counted before; return those without a kept reply."""
        kept = self.find([call.key for call in calls]) if self.find is not None else {}
        unknown = []
        for call in calls:
            request = call.request
            reply = kept.get(request.key or "")
            if reply is None:
                unknown.append(call)
            else:
                self.replies[request.request_id] = replace(reply, request_id=request.request_id)
            if request.repairs is None:  # a rule that cannot be read says nothing about a model
                counted = Calls(requests=1, answered=1) if reply else self._cost_of(call)
                self.sums[request.operation] = self.calls(request.operation) + counted
        return unknown

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
    """The free engine's rules, as stand-ins for models that build."""

    def __init__(self, run: RunSettings, operations: Mapping[str, AnyOperation]) -> None:
        self.rules = rules_of(run, RULES)
        self.engine = load_engine(find_model(RULES), operations, self.rules)

    async def play(self, calls: Sequence[Call]) -> list[Response]:
        """Reply to calls; if no rule plays one, as a model that agrees, or as a failed call."""
        played = [call for call in calls if call.request.operation in self.rules]
        replies = {
            call.request.request_id: response
            async for call, response in Client(self.engine, part=None).stream(grouped(played))
        }
        return [replies.get(call.request.request_id) or _agreeing(call) for call in calls]


def usual_answer(call: Call) -> Response:
    """Return words in place of an answer, for judges to read."""
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
    return replace(usual_answer(call), text=json.dumps(reply))


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
