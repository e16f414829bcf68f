"""The weightless engine: answers each operation by a rule.

It is a baseline, not a language model: it knows only what is in the prompt (`Call.inputs` cuts the
inputs out of the prompt that a model would get).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

from tasks.core.rows import Response
from tasks.inference.operation import Call, Operation, Work
from tasks.text.tokens import count_tokens, encoding


@dataclass(frozen=True, slots=True)
class Rule:
    """How one operation is answered without a model."""

    reply: Callable[[Any], str]  # inputs -> reply text
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
        model: str = "extractive",
        *,
        refuses: bool = True,
    ) -> None:
        self.operations = operations
        self.rules = rules
        self.model = model
        self.refuses = refuses
        self.version = version("tenkbench")

    async def answer(self, work: Work) -> None:
        """Apply each call's rule, group by group."""
        for group in work.groups:
            calls = deque(await work.open(group))
            while calls:
                call = calls.popleft()
                calls += await work.answered(call, self._response_to(call))

    def _response_to(self, call: Call) -> Response:
        request = call.request
        operation = self.operations[request.operation]
        rule = self.rules[operation.name]
        reply = rule.reply if self.refuses else rule.bold or rule.reply
        # the rule does not see an input that a user's own prompt leaves out
        inputs = {field.name: "" for field in fields(operation.inputs)} | call.inputs()
        text = reply(operation.inputs(**inputs))
        text, n_output, finish_reason = _within(text, request.sampling.max_tokens)
        return Response(
            request_id=request.request_id,
            status="ok",
            text=text,
            finish_reason=finish_reason,
            n_prompt=request.n_prompt_tokens,
            n_output=n_output,
            attempts=1,
            engine="extractive",
            engine_version=self.version,
        )


def _within(text: str, max_tokens: int) -> tuple[str, int, str]:
    """Return the text within a token limit, its tokens and finish reason."""
    n_tokens = count_tokens(text)
    if n_tokens <= max_tokens:
        return text, n_tokens, "stop"
    tokens = encoding().encode_ordinary(text)[:max_tokens]
    return encoding().decode(tokens), max_tokens, "length"
