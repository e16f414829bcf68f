"""A rehearsal: what a part would ask, and which of that the ledger has answers to. Nothing is sent.

Parts are given an engine; this one answers from the journal and fails every other call, so a
part asks all that it can know to ask by now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tasks.core.rows import Response
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model

Find = Callable[[Sequence[str]], dict[str, Response]]


@dataclass
class Asked:
    """The calls of one operation, in cl100k tokens; those without an answer are `open`."""

    n_answered: int = 0
    n_open: int = 0
    prompt: int = 0  # of the open ones
    suffixes: int = 0  # of the open ones, without their prefixes
    prefixes: dict[str, int] = field(default_factory=dict)  # of the open ones: prefix_id -> tokens
    most_output: int = 0

    def add(self, call: Call, is_answered: bool) -> None:
        """Count one call."""
        if is_answered:
            self.n_answered += 1
            return
        request = call.request
        self.n_open += 1
        self.prompt += request.n_prompt_tokens
        self.suffixes += request.n_prompt_tokens - call.prefix.n_tokens
        self.prefixes[call.prefix.prefix_id] = call.prefix.n_tokens
        self.most_output += request.sampling.max_tokens

    @property
    def unique(self) -> int:
        """Tokens of the open ones where each prefix is read once."""
        return self.suffixes + sum(self.prefixes.values())


class Rehearsal:
    """An engine that answers from the journal only.

    Args:
        model: whose answers are looked up.
        find: kept answers by key.
    """

    def __init__(self, model: Model, find: Find) -> None:
        self.model = model.name
        self.identity = model.identity
        self.find = find
        self.asked: dict[str, Asked] = {}

    async def answer(self, work: Work) -> None:
        """Settle each call with the journal's answer, or as one that nobody has asked."""
        for group in work.groups:
            calls = await work.open(group)
            while calls:
                found = self.find([call.request.key or "" for call in calls])
                more: list[Call] = []
                for call in calls:
                    kept = found.get(call.request.key or "")
                    self.asked.setdefault(call.request.operation, Asked()).add(call, kept is not None)
                    more += await work.answered(call, kept or stand_in(call, None))
                calls = more


def stand_in(call: Call, text: str | None) -> Response:
    """An answer with this text that no model gave; without one, the failure of a call that nobody has sent."""
    is_answer = text is not None
    return Response(
        request_id=call.request.request_id,
        status="ok" if is_answer else "error",
        text=text,
        finish_reason="stop" if is_answer else None,
        n_prompt=None,
        n_cached=None,
        n_output=None,
        latency_ms=None,
        attempts=0,
        error_type=None if is_answer else "not_sent",
        error=None if is_answer else "nothing is sent in a rehearsal",
        engine="rehearsal",
        engine_version="",
        cost_usd=None,
    )
