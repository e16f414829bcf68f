"""An engine that counts calls and sends none: it uses kept replies, else plays them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.core.rows import Case, Response
from tasks.inference.cutting import limit_answer
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import Call, Question, Work
from tasks.models.catalogue import Model, Shown
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.results.estimate.call_costs import RULES, Calls
from tasks.suites.suite import AnyOperation

Find = Callable[[Sequence[str]], Mapping[str, Response]]
Play = Callable[[Call], Response]

# A model's reply, as a share of the longest allowed: 256 tokens of an answer's 2,048, 32 of a
# verdict's 256. Assumed, not measured; the longest are shown too.
TYPICAL_SHARE = 1 / 8


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none.
        play: replies to a call without a kept reply.
    """

    def __init__(self, row: Model, find: Find | None, play: Play) -> None:
        is_rule = row.engine == RULES
        self.row = row
        self.model = row.name
        self.identity = None if is_rule else row.identity
        self.find = None if is_rule else find
        self.play = play
        self.sums: dict[str, Calls] = {}  # by operation, in cl100k tokens
        self.replies: dict[str, Response] = {}  # by request_id
        self._heads: set[tuple[str, str]] = set()  # (operation, prefix_id)

    async def answer(self, work: Work) -> None:
        """Answer each call, and what its reply gives rise to."""
        for group in work.groups:
            calls = await work.open(group)
            while calls:
                calls = [limit_answer(call, self.row) for call in calls]
                self._reply(calls)
                replies = [(call, self.replies[call.request.request_id]) for call in calls]
                calls = [more for reply in replies for more in await work.answered(*reply)]

    def _reply(self, calls: Sequence[Call]) -> None:
        """Count new calls and note their replies: kept ones, which are free, or others."""
        new = [call for call in calls if call.request.request_id not in self.replies]
        cached = {} if self.find is None else self.find([call.key for call in new])
        for call in new:
            request = call.request
            reply = cached.get(request.key or "")
            cost = self._cost_of(call) if reply is None else Calls(requests=1, answered=1)
            self.replies[request.request_id] = replace(
                reply or self.play(call), request_id=request.request_id
            )
            if request.repairs is None:  # a rule that cannot be read says nothing about a model
                self.sums[request.operation] = self.sums.get(request.operation, Calls()) + cost

    def _cost_of(self, call: Call) -> Calls:
        request, head = call.request, (call.request.operation, call.prefix.prefix_id)
        n_shared = call.prefix.n_tokens if head in self._heads else 0
        self._heads.add(head)
        most = request.sampling.max_tokens
        return Calls(
            requests=1,
            prompt=request.n_prompt_tokens,
            unique=request.n_prompt_tokens - n_shared,
            output=most * TYPICAL_SHARE,
            most_output=most,
        )


def questions_of(
    run: ResolvedRun, shown: Shown, cases: Iterable[Case], texts: Mapping[str, str]
) -> dict[AnyOperation, list[Question]]:
    """List questions about cases by the operations that ask them, as a run would.

    Args:
        texts: of contexts, by their ids.
    """
    questions: dict[AnyOperation, list[Question]] = {}
    for case in cases:
        operation = run.operation_of(case, shown)
        inputs = operation.inputs.of(case, texts.get(case.context_id or "", ""))
        questions.setdefault(operation, []).append(Question(case.case_id, inputs, case.case_id))
    return questions


def by_rules(run: ResolvedRun) -> Play:
    """Reply by the suite's rules; without one, as a model that agrees, or as a failed call.

    So what a verifier without a rule would let through is counted in the steps after it.
    """
    engine = Extractive(run.suite.operations, rules_of(run, RULES))

    def play(call: Call) -> Response:
        if call.request.operation in engine.rules:
            return engine.response_to(call)
        properties, inputs = (call.schema or {}).get("properties", {}), call.inputs()
        agreed = {name: _agree(schema, inputs.get(name)) for name, schema in properties.items()}
        return _reply(call, json.dumps(agreed)) if agreed else not_sent(call)

    return play


def usual_words(call: Call) -> Response:
    """Reply with as many words as an answer usually has, for judges to read."""
    return _reply(call, " word" * round(call.request.sampling.max_tokens * TYPICAL_SHARE))


def not_sent(call: Call) -> Response:
    """Fail, for calls whose reply nobody reads."""
    return replace(_reply(call, None), status="error", error_type="not_sent", error="not sent")


def _reply(call: Call, text: str | None) -> Response:
    request_id = call.request.request_id
    return Response(request_id=request_id, status="ok", text=text, attempts=0, engine="counting")


def _agree(schema: Mapping[str, Any], known: str | None) -> object:
    """Return true, the option that the prompt names, or a word."""
    if "enum" in schema:
        return known if known in schema["enum"] else schema["enum"][0]
    return True if schema.get("type") == "boolean" else "yes"
