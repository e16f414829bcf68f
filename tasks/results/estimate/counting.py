"""An engine that counts calls and sends nothing: it uses kept replies, else rules' replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from tasks.core.rows import Response
from tasks.inference.client import Client
from tasks.inference.cutting import limit_answer
from tasks.inference.engines import load_engine
from tasks.inference.engines.failures import Failure
from tasks.inference.engines.openai_protocol import failed
from tasks.inference.operation import Backend, Call, Work, grouped
from tasks.models.catalogue import Model, find_model
from tasks.pipeline.clients import rules_of
from tasks.pipeline.settings import RunSettings
from tasks.results.estimate.call_costs import RULES, Calls
from tasks.suites.suite import AnyOperation

Find = Callable[[Sequence[str]], Mapping[str, Response]]

# A model's reply, as a share of the longest allowed, unless the rule's reply is longer: 256 tokens
# of an answer's 2,048, 32 of a verdict's 256. Assumed, not measured; the longest are shown too.
TYPICAL_SHARE = 1 / 8
NOT_SENT = "not_sent"


class Rules:
    """Stand-ins for models' replies: the rules of the free engine, each prompt played once."""

    def __init__(self, run: RunSettings, operations: Mapping[str, AnyOperation]) -> None:
        self.run, self.operations = run, operations
        self.engines: dict[str, Backend] = {}
        self.replies: dict[tuple[str, str, str], Response] = {}  # by engine, operation and prompt

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """Map each operation that a rule plays to the rule."""
        return rules_of(self.run, RULES)

    async def play(self, calls: Sequence[Call], model: Model) -> list[Response]:
        """Reply to calls; if no rule plays one, as a model that agrees, or as a failed call."""
        engine = self._engine(model)
        keys = [(engine.model, c.request.operation, c.request.prompt_sha256) for c in calls]
        new = {
            key: call
            for key, call in zip(keys, calls, strict=True)
            if call.request.operation in self.rules and key not in self.replies
        }
        played = await replies_of(engine, list(new.values()))
        self.replies |= {key: played[call.request.request_id] for key, call in new.items()}
        return [
            replace(self.replies[key], request_id=call.request.request_id)
            if key in self.replies
            else _agreeing(call)
            for key, call in zip(keys, calls, strict=True)
        ]

    def _engine(self, model: Model) -> Backend:
        player = model if model.engine == RULES else find_model(RULES)
        if player.name not in self.engines:
            engine = load_engine(player, self.operations, self.rules)
            self.engines[player.name] = engine
        return self.engines[player.name]


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none.
        rules: play the calls without one; if None, these fail as calls that were not sent.
    """

    def __init__(self, model: Model, find: Find | None, rules: Rules | None = None) -> None:
        self.row = model
        self.model = model.name
        self.is_rule = model.engine == RULES
        self.identity = None if self.is_rule else model.identity
        self.find = None if self.is_rule else find
        self.rules = rules
        self.sums: dict[str, Calls] = {}  # by operation, in cl100k tokens
        self.heads: set[tuple[str, str]] = set()  # (operation, prefix_id)
        self.replies: dict[str, Response] = {}  # by request_id
        self.n_guessed = 0

    def calls(self, operation: str) -> Calls:
        """Sum the calls of an operation; tokens are of those without a kept reply."""
        return self.sums.get(operation, Calls())

    async def answer(self, work: Work) -> None:
        """Answer each call, and what its reply gives rise to."""
        calls = [call for group in work.groups for call in await work.open(group)]
        while calls:
            calls = [limit_answer(call, self.row) for call in calls]
            await self._reply([c for c in calls if c.request.request_id not in self.replies])
            more = [
                await work.answered(call, self.replies[call.request.request_id]) for call in calls
            ]
            calls = [call for some in more for call in some]

    async def _reply(self, calls: Sequence[Call]) -> None:
        unknown = self.count(calls)
        played = [_not_sent(call) for call in unknown]
        if self.rules is not None and unknown:
            played = await self.rules.play(unknown, self.row)
        for call, reply in zip(unknown, played, strict=True):
            request = call.request
            self.replies[request.request_id] = reply
            if request.repairs is None:
                self.n_guessed += not self.is_rule
                typical = request.sampling.max_tokens * TYPICAL_SHARE
                self.sums[request.operation].output += max(0.0, (reply.n_output or 0) - typical)

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
                counted = Calls(requests=1, answered=1) if reply else self._costs(call)
                self.sums[request.operation] = self.calls(request.operation) + counted
        return unknown

    def _costs(self, call: Call) -> Calls:
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


async def replies_of(engine: Backend, calls: Sequence[Call]) -> dict[str, Response]:
    """Give the replies to calls by request_id, without a cache; nothing is asked again."""
    replies: dict[str, Response] = {}
    async for call, response in Client(engine, part=None).stream(grouped(calls)):
        replies[call.request.request_id] = response
    return replies


def of_typical_length(call: Call) -> Response:
    """Return words in place of an answer that no rule gives, for judges to read."""
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
    known = call.inputs()
    reply = {name: _yes(value, known.get(name)) for name, value in properties.items()}
    return replace(of_typical_length(call), text=json.dumps(reply))


def _yes(schema: Mapping[str, Any], known: str | None) -> object:
    """Return true, the option that the prompt names, or a word."""
    if "enum" in schema:
        return known if known in schema["enum"] else schema["enum"][0]
    return True if schema.get("type") == "boolean" else "yes"


def _not_sent(call: Call) -> Response:
    """Return the failed response of a call that an estimate does not send."""
    why = Failure(NOT_SENT, "an estimate sends nothing")
    request_id = call.request.request_id
    return failed(request_id, why, engine="counting", attempts=0, cost_usd=None)
