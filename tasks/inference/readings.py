"""Counts of the replies that could not be read, and the end of a run that can hardly read any."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tasks.core.errors import RunFailed
from tasks.inference.operation import Operation, Reply

# A run stops if this share of an operation's first replies is unreadable, repairs included.
STOPPED_SHARE, STOPPED_AT = 0.95, 50
_SHOWN_CHARS = 300


class MostlyUnreadable(RunFailed):
    """A model whose replies to an operation can hardly ever be read."""


class Readings:
    """Counts of one run's replies, by model and operation."""

    def __init__(self) -> None:
        self._replies: Counter[tuple[str, str]] = Counter()
        self._unreadable: Counter[tuple[str, str]] = Counter()

    def count(self, operation: Operation[Any, Any], reply: Reply[Any]) -> None:
        """Count the last reply to a question.

        Raises:
            MostlyUnreadable: nearly all of the operation's first replies are.
        """
        if reply.response.status != "ok":
            return
        key = reply.request.model, operation.name
        self._replies[key] += 1
        if reply.value is not None:
            return
        self._unreadable[key] += 1
        n_replies, n_unreadable = self._replies[key], self._unreadable[key]
        if n_replies <= STOPPED_AT and n_unreadable >= STOPPED_SHARE * STOPPED_AT:
            text = " ".join((reply.response.text or "").split())
            raise MostlyUnreadable(
                f"{reply.request.model}: {n_unreadable:,} of {n_replies:,} replies to "
                f"{operation.name} could not be read, for example because {reply.error}:\n"
                f"  {text[:_SHOWN_CHARS]!r}\n"
                "The run stopped here. All replies so far are kept, and a run with the same "
                "settings does not pay for them again; calls in flight may be paid for twice. "
                "Name another model for this role. For this one, `tenkbench probe` prints a row "
                "with what may help: has_schema, or thinking_tokens if its replies are cut off."
            )
