"""Budget, cache, options and unreadable replies of one run, passed down to its clients."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tasks.core.budget import Purse
from tasks.core.errors import RunFailed
from tasks.inference.cache.response_cache import ResponseCache, cache_of
from tasks.inference.operation import Operation, Reply
from tasks.lake.lake import Lake

if TYPE_CHECKING:
    from tasks.inference.imported import Answers

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


class RunContext:
    """A run's purse and cache, and its use of kept answers.

    Args:
        budget: limit in US dollars; None: no limit.
        fresh_key: name of a run that asks everything afresh; None: use kept answers.
        retry_failed: whether to ask the failures again that were kept before this program began.
        answers: made elsewhere, by model and case; they replace what it has of these models.
    """

    def __init__(
        self,
        lake: Lake,
        *,
        budget: float | None = None,
        fresh_key: str | None = None,
        retry_failed: bool = False,
        answers: Answers | None = None,
    ) -> None:
        self.purse = Purse(budget)
        self._lake = lake
        self.failures_after = self.cache.latest_at_start if retry_failed else None
        self.answers = answers or {}
        self.readings = Readings()
        self._fresh_key = None if fresh_key is None else f"_ledger/fresh-after-{fresh_key}"
        self._fresh_after: int | None = None

    @cached_property
    def cache(self) -> ResponseCache:
        """The lake's response cache."""
        return cache_of(self._lake)

    def fresh_after(self) -> int | None:
        """Return the latest answer before this run, or the killed one that it continues."""
        if self._fresh_key is not None and self._fresh_after is None:
            self._lake.objects.create(self._fresh_key, str(self.cache.latest()).encode())
            self._fresh_after = int(self._lake.objects.read(self._fresh_key))
        return self._fresh_after

    def finish(self) -> None:
        """Record that the run has ended: the next one with `--fresh` asks anew."""
        if self._fresh_key is not None:
            self._lake.objects.delete([self._fresh_key])
