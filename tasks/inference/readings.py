"""Counts of the replies that are empty or could not be read, and what to do about many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.core.errors import RunFailed
from tasks.core.progress import tell
from tasks.core.rows import Response
from tasks.inference.operation import Operation, Reply

# A run reports an operation once if this share of its replies is unreadable, of this many or more.
TOLD_SHARE, TOLD_FROM = 0.20, 30
# It stops if this share of the first replies is unreadable, repairs included.
STOPPED_SHARE, STOPPED_AT = 0.95, 50
_SHOWN_CHARS = 300


class MostlyUnreadable(RunFailed):
    """A model whose replies to an operation can hardly ever be read."""


@dataclass
class _Count:
    replies: int = 0
    unreadable: int = 0
    is_told: bool = False


class Readings:
    """Counts of one run's replies, by model and operation."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Count] = {}
        self._n_empty: dict[str, int] = {}  # by model: answers, while all are empty; then 0

    def count_answer(self, model: str, response: Response) -> None:
        """Count an answer of a model, readable or not."""
        before = self._n_empty.get(model)
        is_empty = not (response.text or "").strip() and before != 0
        self._n_empty[model] = (before or 0) + 1 if is_empty else 0

    def only_empty(self, model: str) -> int:
        """Return the number of a model's answers if all are empty, else 0."""
        return self._n_empty.get(model, 0)

    def count(self, operation: Operation[Any, Any], reply: Reply[Any]) -> None:
        """Count the last reply to a question; report or stop if too many are unreadable.

        Raises:
            MostlyUnreadable: nearly all of the operation's first replies are.
        """
        if reply.response.status != "ok":
            return
        model = reply.request.model
        count = self._counts.setdefault((model, operation.name), _Count())
        count.replies += 1
        if reply.value is not None:
            return
        count.unreadable += 1
        if count.replies <= STOPPED_AT and count.unreadable >= STOPPED_SHARE * STOPPED_AT:
            raise MostlyUnreadable(
                f"{_sentence(operation, reply, count)}\nThe run stopped here. All replies so far "
                "are kept, and a run with the same settings does not pay for them again; calls "
                "in flight may be paid for twice. Name another model for this role."
            )
        if (
            not count.is_told
            and count.replies >= TOLD_FROM
            and count.unreadable >= TOLD_SHARE * count.replies
        ):
            count.is_told = True
            tell(_sentence(operation, reply, count))


def _sentence(operation: Operation[Any, Any], reply: Reply[Any], count: _Count) -> str:
    text = " ".join((reply.response.text or "").split())
    shown = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
    return (
        f"{reply.request.model}: {count.unreadable:,} of {count.replies:,} replies to "
        f"{operation.name} could not be read, for example because {reply.error}:\n  {shown!r}\n"
        f"{_advice(operation, reply)}"
    )


def _advice(operation: Operation[Any, Any], reply: Reply[Any]) -> str:
    if reply.response.finish_reason == "length":
        return (
            "The reply was cut off. If the model thinks, give it more thinking_tokens in a models "
            "file; otherwise choose another model."
        )
    if operation.schema is not None:
        return (
            "If the server enforces JSON schemas (vLLM's always get one), give the model "
            "has_schema = true in a models file; otherwise choose another model. "
            "`tenkbench probe` says whether it does, and prints the model's row."
        )
    return "Choose a model that follows the format, or a larger one."
