"""Cost of calls in tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import ceil
from typing import Literal

from tasks.models.catalogue import Model, cost_of, price_of

Stage = Literal["build", "infer", "judge", "all"]

COUNTED = "counted"

# The engine whose answers are made by rule, cost nothing and are not kept.
RULES = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateLine:
    """One operation of one model: its calls, and the cost of the unanswered ones.

    Tokens are the model's own.

    Attributes:
        basis: `counted`, or from what it is predicted.
        requests: all calls.
        answered: calls with an answer in the lake or its response cache, which are free.
        prompt: prompt tokens of the other calls, each prompt read whole.
        shared: the same if each shared prefix is read once.
        output: tokens of typical answers.
        most_output: tokens of the longest answers allowed.
        dollars: with typical answers, and with the cached price, if any, for repeated prefixes.
        most_dollars: with the longest answers and no cache. Both null if tokens
            cost nothing.
        is_rule: whether rules answer, which read no tokens and are in no total.
    """

    stage: Stage
    operation: str
    model: str
    basis: str
    requests: int
    answered: int
    prompt: int
    shared: int
    output: int
    most_output: int
    dollars: float | None
    most_dollars: float | None
    is_rule: bool


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

    def summed(name: str) -> float | None:
        values = [value for line in of_models if (value := getattr(line, name)) is not None]
        return sum(values) if values else None

    counts = ("requests", "answered", "prompt", "shared", "output", "most_output")
    return EstimateLine(
        stage="all",
        operation="total",
        model="",
        basis=next((line.basis for line in of_models if line.basis != COUNTED), COUNTED),
        **{name: sum(getattr(line, name) for line in of_models) for name in counts},
        dollars=summed("dollars"),
        most_dollars=summed("most_dollars"),
        is_rule=False,
    )
