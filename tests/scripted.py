"""An engine that answers by a function: a stand-in for a model in the tests of what asks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tasks.core.rows import Response
from tasks.inference.operation import Call, Work


def response_to(call: Call, text: str | None = "", **changes: object) -> Response:
    """An answer with this text; None is a failure."""
    response = Response(
        request_id=call.request.request_id,
        status="error" if text is None else "ok",
        text=text,
        finish_reason=None if text is None else "stop",
        attempts=1,
        error_type="timeout" if text is None else None,
        error="no answer in 600 s" if text is None else None,
        engine="scripted",
        engine_version="0",
    )
    return replace(response, **changes)  # type: ignore[arg-type]


class Scripted:
    """Answers each call with what `reply` says of it, last call first; None is a failure.

    `asked` holds the calls, breath by breath. With an `identity` it passes for a model: its answers
    are kept, and what cannot be read is asked for once more.
    """

    def __init__(
        self,
        reply: Callable[[Call], str | None],
        *,
        model: str = "scripted",
        identity: str | None = None,
        **changes: object,
    ) -> None:
        self.reply = reply
        self.model = model
        self.identity = identity
        self.changes = changes
        self.asked: list[list[Call]] = []

    @property
    def calls(self) -> list[Call]:
        return [call for calls in self.asked for call in calls]

    @property
    def operations_asked(self) -> list[list[str]]:
        return [[call.request.operation for call in calls] for calls in self.asked]

    async def answer(self, work: Work) -> None:
        calls = [call for group in work.groups for call in await work.open(group)]
        while calls:
            self.asked.append(calls)
            more: list[Call] = []
            for call in reversed(calls):
                text = self.reply(call)
                # a model's rows have a key, rules' none: without an identity it passes for rules
                passes_for = "extractive" if self.identity is None else "scripted"
                changes = {"engine": passes_for} | ({} if text is None else self.changes)
                more = [*await work.answered(call, response_to(call, text, **changes)), *more]
            calls = more


def by_operation(reply: Callable[[str, dict[str, str]], str]) -> Callable[[Call], str]:
    """A reply function of (operation, inputs) as one of calls."""
    return lambda call: reply(call.request.operation, call.inputs())
