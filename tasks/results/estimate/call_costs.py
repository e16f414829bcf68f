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
