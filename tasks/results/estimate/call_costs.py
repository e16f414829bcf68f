"""Counts of calls, by an engine that sends none, and what they cost in tokens and dollars."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import Any, Literal

from tasks.core.rows import Case, Response
from tasks.inference.cutting import limit_answer
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import Call, Question, Work
from tasks.models.catalogue import Model, Shown, cost_of, price_of
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.suites.suite import AnyOperation

Stage = Literal["build", "infer", "judge", "all"]

COUNTED = "counted"

# The engine whose answers are made by rule, cost nothing and are not kept.
RULES = "extractive"

# A model's reply, as a share of the longest allowed: 2,706 replies of an able model had 0.065 of
# it, those of a suite 0.05 to 0.12. The longest are shown too.
TYPICAL_SHARE = 1 / 15

Find = Callable[[Sequence[str]], Mapping[str, Response]]
Play = Callable[[Call], Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateLine:
    """One operation of one model: its calls, and the cost of the unanswered ones."""

    stage: Stage
    operation: str
    model: str
    basis: str  # `counted`, or from what it is predicted
    requests: int  # all calls
    answered: int  # those with an answer in the lake or its response cache, which are free
    prompt: int  # the model's own tokens of the other calls' prompts, each read whole
    shared: int  # the same if each shared prefix is read once
    output: int  # tokens of typical answers
    most_output: int  # tokens of the longest answers allowed
    dollars: float | None  # with typical answers, and the cached price, if any, for prefixes
    most_dollars: float | None  # with the longest answers and no cache; None if tokens are free
    is_rule: bool  # whether rules answer, which read no tokens and are in no total


@dataclass
class Calls:
    """Calls of one operation in cl100k tokens, before a model's own tokens and prices.

    `more_prompt` are tokens that prompts can have more, as they quote answers.
    """

    requests: float = 0
    answered: float = 0
    prompt: float = 0
    unique: float = 0
    output: float = 0
    most_output: float = 0
    more_prompt: float = 0

    def __add__(self, other: Calls) -> Calls:
        return Calls(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __mul__(self, factor: float) -> Calls:
        return Calls(*(getattr(self, f.name) * factor for f in fields(self)))

    def line(self, stage: Stage, operation: str, model: Model, basis: str) -> EstimateLine:
        """Convert to a line, in the model's own tokens and prices."""
        remaining = round(self.requests) - round(self.answered)
        prompt, shared = (round(n * model.token_ratio) for n in (self.prompt, self.unique))
        most_output = round(self.most_output) + remaining * model.thinking_tokens
        output = most_output if model.thinks else min(round(self.output), most_output)
        price = price_of(model)
        most_prompt = (self.prompt + self.more_prompt) * model.token_ratio
        n_cached = 0 if price is None or price.cached is None else prompt - shared
        # a warm-up request reads a prefix once more; prefixes are at most what is read once
        warmed = min(shared, prompt - shared) if price is not None and model.primes else 0
        return EstimateLine(
            stage=stage,
            operation=operation,
            model=model.name,
            basis=basis,
            requests=round(self.requests),
            answered=round(self.answered),
            prompt=prompt,
            shared=shared,
            output=output,
            most_output=most_output,
            dollars=cost_of(model, prompt + warmed, n_cached + warmed, output),
            most_dollars=cost_of(model, ceil(most_prompt) + warmed, 0, most_output),
            is_rule=model.engine == RULES,
        )


def total(lines: Iterable[EstimateLine]) -> EstimateLine:
    """All lines as one, without those of rules."""
    of_models = [line for line in lines if not line.is_rule]
    counts = ("requests", "answered", "prompt", "shared", "output", "most_output")
    dollars = [line.dollars for line in of_models if line.dollars is not None]
    most_dollars = [line.most_dollars for line in of_models if line.most_dollars is not None]
    return EstimateLine(
        stage="all",
        operation="total",
        model="",
        basis=next((line.basis for line in of_models if line.basis != COUNTED), COUNTED),
        **{name: sum(getattr(line, name) for line in of_models) for name in counts},
        dollars=sum(dollars) if dollars else None,
        most_dollars=sum(most_dollars) if most_dollars else None,
        is_rule=False,
    )


class Counting:
    """An engine with a model's name and identity that counts each call once.

    Args:
        find: looks kept replies up by key; None if there are none. The others are played.
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
    """List questions about cases by their operations, as a run would; `texts` are by context_id."""
    questions: dict[AnyOperation, list[Question]] = {}
    for case in cases:
        operation = run.operation_of(case, shown)
        inputs = operation.inputs.of(case, texts.get(case.context_id or "", ""))
        questions.setdefault(operation, []).append(Question(case.case_id, inputs, case.case_id))
    return questions


def by_rules(run: ResolvedRun, *, usual: bool = False) -> Play:
    """Reply by the suite's rules; without one, as a model that agrees, or as a failed call.

    So what a verifier without a rule would let through is counted in the steps after it.

    Args:
        usual: reply as a usual model does where rules differ from it.
    """
    engine = Extractive(run.suite.operations, rules_of(run, RULES, usual=usual))

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
