"""The weightless engine: answers every operation by the rule that the operation brings.

A baseline, never a language model: it knows what stands in the prompt and nothing else
(`Call.inputs` cuts the inputs out of the prompt that a model would be sent). Calls that share
a prefix go to one process together, so that what a rule derives from a document is derived once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version
from typing import Any

from tasks.operations import Call, Operation
from tasks.schemas import Response
from tasks.text.tokens import count_tokens, encoding
from tasks.workers import available_workers, forget_pool, process_pool

Rule = Callable[[Any], str]
Group = list[tuple[str, int, int, Rule, Any]]  # request_id, n_prompt, max_tokens, rule, inputs

# Below this many characters of prompts, starting processes costs more than they save.
_INLINE_CHARS = 3_000_000


class Extractive:
    """Rules over sentences and table cells.

    Args:
        operations: every operation that it may be asked, by name.
        workers: processes; None is one per core.
    """

    def __init__(self, operations: Mapping[str, Operation[Any, Any]], workers: int | None = None) -> None:
        self.model = "extractive"
        self.operations = operations
        self.workers = available_workers() if workers is None else workers

    async def generate(self, calls: Sequence[Call]) -> AsyncIterator[Response]:
        """One response per call, group by group.

        Raises:
            KeyError: a call of an operation that the engine was not given.
        """
        groups = self._groups(calls)
        total_chars = sum(len(call.prompt) for call in calls)
        if self.workers <= 1 or len(groups) <= 1 or total_chars < _INLINE_CHARS:
            for group in groups:
                for response in answer_group(group):
                    yield response
            return
        pool = process_pool(self.workers)
        loop = asyncio.get_running_loop()
        pending = [loop.run_in_executor(pool, answer_group, group) for group in groups]
        try:
            for finished in asyncio.as_completed(pending):
                for response in await finished:
                    yield response
        except BrokenProcessPool:
            forget_pool(self.workers)
            raise

    def _groups(self, calls: Sequence[Call]) -> list[Group]:
        groups: dict[str, Group] = {}
        for call in calls:
            operation = self.operations[call.request.operation]
            inputs = operation.inputs(**call.inputs())
            groups.setdefault(call.request.prefix_id, []).append(
                (
                    call.request.request_id,
                    call.request.n_prompt_tokens,
                    call.request.sampling.max_tokens,
                    operation.rule,
                    inputs,
                )
            )
        return list(groups.values())


def answer_group(group: Group) -> list[Response]:
    """Play the rules of one group of calls."""
    responses = []
    for request_id, n_prompt, max_tokens, rule, inputs in group:
        text, n_output, finish_reason = _within(rule(inputs), max_tokens)
        responses.append(
            Response(
                request_id=request_id,
                status="ok",
                text=text,
                finish_reason=finish_reason,
                n_prompt=n_prompt,
                n_cached=None,
                n_output=n_output,
                latency_ms=None,  # a rule's time says nothing of a model's, and would differ from run to run
                attempts=1,
                error_type=None,
                error=None,
                engine="extractive",
                engine_version=version("tenkbench"),
                cost_usd=None,
            )
        )
    return responses


def _within(text: str, max_tokens: int) -> tuple[str, int, str]:
    """The text as a decoder with this limit would leave it, its tokens, and why it ended."""
    n_tokens = count_tokens(text)
    if n_tokens <= max_tokens:
        return text, n_tokens, "stop"
    tokens = encoding().encode_ordinary(text)[:max_tokens]
    return encoding().decode(tokens), max_tokens, "length"
