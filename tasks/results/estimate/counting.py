"""An engine that counts calls and sends nothing: it uses kept replies, else rules' replies."""

from __future__ import annotations

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
    """Stand-ins for models' replies: the weightless engine's rules, each prompt played once."""

    def __init__(self, run: RunSettings, operations: Mapping[str, AnyOperation]) -> None:
        self.run = run
        self.operations = operations
        self.engines: dict[str, Backend] = {}
        self.known: dict[tuple[str, str, str], Response] = {}

    @cached_property
    def _rules(self) -> Mapping[str, Any]:
        return rules_of(self.run, RULES)

    def _engine(self, model: Model) -> Backend:
        player = model if model.engine == RULES else find_model(RULES)
        if player.name not in self.engines:
            engine = load_engine(player, self.operations, self.run.workers, self._rules)
            self.engines[player.name] = engine
        return self.engines[player.name]

    def _has_rule(self, call: Call) -> bool:
        return call.request.operation in self._rules

    async def play(self, calls: Sequence[Call], model: Model) -> list[Response]:
        """Reply to calls; a call that no rule plays fails."""
        engine = self._engine(model)

        def key(call: Call) -> tuple[str, str, str]:
            return engine.model, call.request.operation, call.request.prompt_sha256

        new = {
            key(call): call
            for call in calls
            if key(call) not in self.known and self._has_rule(call)
        }
        played = await replies_of(engine, list(new.values()))
        self.known |= {each: played[call.request.request_id] for each, call in new.items()}
        return [
            replace(self.known[key(call)], request_id=call.request.request_id)
            if key(call) in self.known
            else not_sent(call)
            for call in calls
        ]


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none.
        rules: play the calls without one; if None, these fail as calls that were not sent.
        weights: case_id -> how many cases it stands for, if not one.
    """

    def __init__(
        self,
        model: Model,
        find: Find | None,
        rules: Rules | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.played_as = model
        self.model = model.name
        self.is_rule = model.engine == RULES
        self.identity = None if self.is_rule else model.identity
        self.find = None if self.is_rule else find
        self.rules = rules
        self.weights = {} if weights is None else weights
        self.sums: dict[str, Calls] = {}  # by operation, in cl100k tokens
        self.heads: set[tuple[str, str]] = set()  # (operation, prefix_id)
        self.heard: dict[str, Response] = {}  # request_id -> reply
        self.n_guessed = 0
        self.n_unread = 0  # of the guessed replies, those that could not be read

    def calls(self, operation: str) -> Calls:
        """Sum the calls of an operation; tokens are of those without a kept reply."""
        return self.sums.get(operation, Calls())

    async def answer(self, work: Work) -> None:
        """Answer each call, and what its reply gives rise to."""
        calls = [call for group in work.groups for call in await work.open(group)]
        while calls:
            replies = await self._replies(calls)
            more = [
                await work.answered(call, reply) for call, reply in zip(calls, replies, strict=True)
            ]
            calls = [call for some in more for call in some]

    async def _replies(self, calls: Sequence[Call]) -> list[Response]:
        calls = [limit_answer(call, self.played_as) for call in calls]
        new = [call for call in calls if call.request.request_id not in self.heard]
        unknown = self.count(new)
        played = [not_sent(call) for call in unknown]
        if self.rules is not None and unknown:
            played = await self.rules.play(unknown, self.played_as)
        for call, reply in zip(unknown, played, strict=True):
            self._add_reply(call, reply)
        return [self.heard[call.request.request_id] for call in calls]

    def count(self, calls: Sequence[Call]) -> list[Call]:
        """Count calls that were not counted before; return those without a kept reply."""
        kept = self.find([call.key for call in calls]) if self.find is not None else {}
        unknown = []
        for call in calls:
            request = call.request
            reply = kept.get(request.key or "")
            if reply is not None:
                self.heard[request.request_id] = replace(reply, request_id=request.request_id)
            else:
                unknown.append(call)
            if request.repairs is None:  # a rule that cannot be read says nothing about a model
                self._add(call, is_kept=reply is not None)
        return unknown

    def _add(self, call: Call, *, is_kept: bool) -> None:
        request, prefix = call.request, call.prefix
        if is_kept:
            counted = Calls(requests=1, answered=1)
        else:
            most = request.sampling.max_tokens
            n_unique = request.n_prompt_tokens
            if (request.operation, prefix.prefix_id) in self.heads:
                n_unique -= prefix.n_tokens
            self.heads.add((request.operation, prefix.prefix_id))
            counted = Calls(
                requests=1,
                prompt=request.n_prompt_tokens,
                unique=n_unique,
                output=most * TYPICAL_SHARE,
                most_output=most,
            )
        weight = self.weights.get(request.case_id or "", 1.0)
        self.sums[request.operation] = self.calls(request.operation) + counted * weight

    def _add_reply(self, call: Call, reply: Response) -> None:
        request = call.request
        self.heard[request.request_id] = reply
        if not self.is_rule:
            self.n_guessed += request.repairs is None
            self.n_unread += request.repairs is not None
        if request.repairs is None:
            typical = request.sampling.max_tokens * TYPICAL_SHARE
            weight = self.weights.get(request.case_id or "", 1.0)
            more = max(0.0, (reply.n_output or 0) - typical)
            self.sums[request.operation].output += weight * more


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


def not_sent(call: Call) -> Response:
    """Return the failed response of a call that an estimate does not send."""
    why = Failure(NOT_SENT, "an estimate sends nothing")
    request_id = call.request.request_id
    return failed(request_id, why, engine="counting", attempts=0, cost_usd=None)
