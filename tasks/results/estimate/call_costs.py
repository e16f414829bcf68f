"""Cost of calls in tokens, dollars and GPU-hours.

Modelled GPU-hours are those of one H100 SXM with 80 GB, and never measured. Reading prompts is
bound by arithmetic: two operations per parameter and uncached token. Writing answers is bound by
memory: each step reads the weights once for all current answers, and each answer's cache.
Attention's arithmetic, start-up, weight loading and idle replicas are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import ceil
from typing import Literal

from tasks.models.catalogue import Model, cost_of, price_of
from tasks.models.gpu_memory import cache_tokens

Stage = Literal["build", "infer", "judge", "all"]

COUNTED = "counted"

# The engine whose answers are made by rule, cost nothing and are not kept.
RULES = "extractive"


# NVIDIA's data sheet of the H100 SXM: bf16 without sparsity, and HBM3.
PEAK_FLOPS = 989e12
PEAK_BYTES = 3.35e12
# Shares of these peaks that serving reaches: usual for dense models on vLLM, not measured here.
ARITHMETIC_SHARE = 0.4
MEMORY_SHARE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One operation of one model: its calls, and the cost of the unanswered ones.

    Tokens are the model's own.

    Attributes:
        basis: `counted`, or from how many filings it is predicted.
        requests: all calls.
        answered: calls with an answer in the lake or its response cache, which are free.
        prompt: prompt tokens of the other calls, each prompt read whole.
        shared: the same if each shared prefix is read once.
        output: tokens of typical answers.
        most_output: tokens of the longest answers allowed.
        dollars: with typical answers, and with the cached price, if any, for repeated prefixes.
        most_dollars: with the longest answers and no cache. Both null if tokens
            cost nothing.
        gpu_hours: by a model; null if the model does not run on our GPUs.
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
    gpu_hours: float | None
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

    def line(self, stage: Stage, operation: str, model: Model, basis: str) -> Line:
        """Convert to a line, in the model's own tokens and prices."""
        remaining = round(self.requests) - round(self.answered)
        prompt, shared = (round(n * model.token_ratio) for n in (self.prompt, self.unique))
        most_output = round(self.most_output) + remaining * model.thinking_tokens
        output = most_output if model.thinks else min(round(self.output), most_output)
        price = price_of(model)
        most_prompt = (self.prompt + self.more_prompt) * model.token_ratio
        n_cached = 0 if price is None or price.cached is None else prompt - shared
        return Line(
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
            dollars=cost_of(model, prompt, n_cached, output),
            most_dollars=cost_of(model, ceil(most_prompt), 0, most_output),
            gpu_hours=gpu_hours(model, remaining, prompt, shared, output),
            is_rule=model.engine == RULES,
        )


def total(lines: Iterable[Line]) -> Line:
    """All lines as one, without those of rules."""
    found = [line for line in lines if not line.is_rule]

    def summed(name: str) -> float | None:
        values = [value for line in found if (value := getattr(line, name)) is not None]
        return sum(values) if values else None

    counts = ("requests", "answered", "prompt", "shared", "output", "most_output")
    return Line(
        stage="all",
        operation="total",
        model="",
        basis=next((line.basis for line in found if line.basis != COUNTED), COUNTED),
        **{name: sum(getattr(line, name) for line in found) for name in counts},
        dollars=summed("dollars"),
        most_dollars=summed("most_dollars"),
        gpu_hours=summed("gpu_hours"),
        is_rule=False,
    )


# --- GPU-hours ------------------------------------------------------------------------------


def gpu_hours(
    model: Model, n_requests: int, n_prompt: int, n_uncached: int, n_output: int
) -> float | None:
    """Return the hours of one GPU, or None if the model does not run on ours in its layout.

    Args:
        n_prompt: tokens of all prompts.
        n_uncached: prompt tokens that no earlier prompt's cache holds.
        n_output: tokens of all answers.
    """
    if model.engine != "vllm" or model.layout is None:
        return None
    if model.parameters_b is None or model.weights_gb is None or model.kv_bytes is None:
        return None
    if n_requests == 0:
        return 0.0
    reading = 2 * model.parameters_b * 1e9 * n_uncached / (PEAK_FLOPS * ARITHMETIC_SHARE)
    length = n_prompt / n_requests + n_output / n_requests / 2
    room = cache_tokens(model, model.layout) or 0
    if room < length:  # it would not run
        return None
    together = min(model.in_flight, int(room / length))
    bytes_per_token = model.weights_gb * 1e9 / together + model.kv_bytes * length
    writing = bytes_per_token * n_output / (PEAK_BYTES * MEMORY_SHARE)
    return (reading + writing) / 3600
