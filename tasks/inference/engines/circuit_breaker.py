"""How a run ends before its calls are answered: who says so, and when a server is past hope."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic

from tasks.core.errors import RunFailed
from tasks.inference.engines.failures import Lost, Passing

# A server that refuses for its rate limits is well, and its windows are minutes: it is waited for longer.
_PATIENCE_WITH_LIMITS = 5.0


class GaveUp(RunFailed):
    """Calls cannot be answered any more; the message says what failed and what to do."""


class Ending:
    """Why no more calls are sent; nothing while they are.

    Args:
        begun: called once, when the ending begins.
    """

    def __init__(self, begun: Callable[[RunFailed], None]) -> None:
        self.why: RunFailed | None = None
        self._begun = begun
        self._event = asyncio.Event()

    def begin(self, why: RunFailed) -> None:
        """Send no more calls. The first reason is the one that is told."""
        if self.why is None:
            self.why = why
            self._event.set()
            self._begun(why)

    async def within(self, seconds: float) -> None:
        """Wait so long, or until the ending begins."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return


class Breaker:
    """Tells when a server fails whoever asks.

    It is open when `fewest` different calls have failed since the last answer, or one has not reached the server at
    all: from then on it is the server that fails, not the calls. When that has lasted for `patience_s`, there is no
    more hope.
    """

    def __init__(self, fewest: int, patience_s: float) -> None:
        self.fewest = fewest
        self.patience_s = patience_s
        self.last_answer = monotonic()
        self._failed: set[str] = set()
        self._kinds: Counter[str] = Counter()
        self._last: Passing | None = None
        self._told_to_wait_until = 0.0
        self._is_out_of_reach = False

    @property
    def is_open(self) -> bool:
        """Whether it is the server that fails, and not the calls."""
        return self._is_out_of_reach or len(self._failed) >= self.fewest

    def answered(self) -> None:
        """Count an answer, or anything else that shows a server that is well."""
        self.last_answer = monotonic()
        if self._failed:
            self._failed.clear()
            self._kinds.clear()
            self._is_out_of_reach = False

    def failed(self, request_id: str, failure: Passing) -> None:
        """Count a failure."""
        self._failed.add(request_id)
        self._kinds[failure.error_type] += 1
        self._last = failure
        self._is_out_of_reach |= isinstance(failure, Lost) and not failure.was_sent
        if failure.retry_after_s is not None:
            self._told_to_wait_until = max(
                self._told_to_wait_until, monotonic() + failure.retry_after_s
            )

    def verdict(self) -> str | None:
        """What has failed, how often and since when, where there is no more hope."""
        now = monotonic()
        silent_s = now - self.last_answer
        is_limited = set(self._kinds) == {"rate_limited"}
        patience_s = self.patience_s * (_PATIENCE_WITH_LIMITS if is_limited else 1.0)
        if (
            not self.is_open
            or silent_s <= patience_s
            or now <= self._told_to_wait_until + self.patience_s
        ):
            return None
        assert self._last is not None
        kinds = ", ".join(f"{n:,} x {kind}" for kind, n in self._kinds.most_common())
        since = (datetime.now() - timedelta(seconds=silent_s)).strftime("%H:%M:%S")
        return (
            f"nothing was answered since {since} ({silent_s:.0f} s), and {self._kinds.total():,} attempts of "
            f"{len(self._failed):,} calls failed ({kinds}), the last with {self._last.detail!r}"
        )
