"""The weightless engine: answers each operation by a rule.

It is a baseline, not a language model: it knows only what is in the prompt (`Call.inputs` cuts the
inputs out of the prompt that a model would get). Calls that share a prefix go to one process, so
that a rule derives its data from a document once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

from tasks.compute.workers import available_workers, forget_pool, process_pool
from tasks.core.rows import Request, Response
from tasks.inference.operation import Call, Operation, Work
from tasks.text.tokens import count_tokens, encoding

Plays = list[tuple[Request, Callable[[Any], str], Any]]  # with the rule and its inputs

# With fewer prompt tokens than this, starting processes takes longer than it saves.
_INLINE_TOKENS = 750_000


@dataclass(frozen=True, slots=True)
class Rule:
    """How one operation is answered without a model."""

    reply: Callable[[Any], str]  # inputs -> reply text; importable by worker processes
    # The same, but answers even if unsure; None if the operation knows no refusal.
    bold: Callable[[Any], str] | None = None


# Rules by operation name.
Rules = Mapping[str, Rule]


class Extractive:
    """Rules over sentences and table cells; unless it `refuses`, it follows the bold ones."""

    identity = None  # rules are code: their answers are computed again, not cached

    def __init__(
        self,
        operations: Mapping[str, Operation[Any, Any]],
        rules: Rules,
        workers: int | None = None,
        model: str = "extractive",
        *,
        refuses: bool = True,
    ) -> None:
        self.operations = operations
        self.rules = rules
        self.model = model
        self.refuses = refuses
        self.workers = available_workers() if workers is None else workers

    async def answer(self, work: Work) -> None:
        """Apply each call's rule, group by group."""
        groups = work.groups
        n_tokens = sum(group.weight * group.n_calls for group in groups)
        if self.workers <= 1 or len(groups) <= 1 or n_tokens < _INLINE_TOKENS:
            for group in groups:
                calls = await work.open(group)
                while calls:
                    calls = await _answered(work, calls, answer_group(self._plays(calls)))
            return
        pool = process_pool(self.workers)
        loop = asyncio.get_running_loop()
        waiting = iter(groups)

        async def answer_some() -> None:
            for group in waiting:
                calls = await work.open(group)
                while calls:
                    responses = await loop.run_in_executor(pool, answer_group, self._plays(calls))
                    calls = await _answered(work, calls, responses)

        # two tasks per process, so that no process waits while the next group is rendered
        lanes = [asyncio.create_task(answer_some()) for _ in range(2 * self.workers)]
        try:
            await asyncio.gather(*lanes)
        except BrokenProcessPool:
            forget_pool(self.workers)
            raise
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.wait(lanes)

    def _plays(self, calls: Sequence[Call]) -> Plays:
        plays = []
        for call in calls:
            request = call.request
            operation = self.operations[request.operation]
            rule = self.rules[operation.name]
            reply = rule.reply if self.refuses else rule.bold or rule.reply
            # the rule does not see an input that a user's own prompt leaves out
            inputs = {field.name: "" for field in fields(operation.inputs)} | call.inputs()
            plays.append((request, reply, operation.inputs(**inputs)))
        return plays


async def _answered(
    work: Work, calls: Sequence[Call], responses: Sequence[Response]
) -> Sequence[Call]:
    """Deliver all answers; return the follow-up calls to them."""
    more: list[Call] = []
    for call, response in zip(calls, responses, strict=True):
        more += await work.answered(call, response)
    return more


def answer_group(plays: Plays) -> list[Response]:
    """Apply the rules to one group of calls."""
    responses = []
    engine_version = version("tenkbench")  # read once: each look-up reads a file
    for request, reply, inputs in plays:
        text, n_output, finish_reason = _within(reply(inputs), request.sampling.max_tokens)
        responses.append(
            Response(
                request_id=request.request_id,
                status="ok",
                text=text,
                finish_reason=finish_reason,
                n_prompt=request.n_prompt_tokens,
                n_output=n_output,
                attempts=1,
                engine="extractive",
                engine_version=engine_version,
            )
        )
    return responses


def _within(text: str, max_tokens: int) -> tuple[str, int, str]:
    """Return the text within a token limit, its tokens and finish reason."""
    n_tokens = count_tokens(text)
    if n_tokens <= max_tokens:
        return text, n_tokens, "stop"
    tokens = encoding().encode_ordinary(text)[:max_tokens]
    return encoding().decode(tokens), max_tokens, "length"
