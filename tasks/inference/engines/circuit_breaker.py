"""Why and when a run ends before all calls are answered."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from math import inf
from time import monotonic

from tasks.core.errors import RunFailed
from tasks.inference.engines.failures import Lost, Passing


class GaveUp(RunFailed):
    """No more calls can be answered."""


class Ending:
    """The reason why no more calls are sent; None while they are."""

    def __init__(self, begun: Callable[[RunFailed], None]) -> None:
        self.why: RunFailed | None = None
        self._begun = begun
        self._event = asyncio.Event()

    def begin(self, why: RunFailed) -> None:
        """Stop sending calls; only the first reason counts."""
        if self.why is None:
            self.why = why
            self._event.set()
            self._begun(why)

    async def within(self, seconds: float) -> None:
        """Wait this long, or until the run starts to end."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return


class Breaker:
    """Detects a server that fails every call.

    It opens when `fewest` different calls have failed since the last answer, or when one call has
    not even reached the server. From then on the server is at fault, not the calls. If that lasts
    for `patience_s`, or `longest_asked_s` if all are rate limits, the server is given up. Waits
    that it asks for are granted besides, up to `longest_asked_s` in all.
    """

    def __init__(self, fewest: int, patience_s: float, longest_asked_s: float) -> None:
        self.fewest = fewest
        self.patience_s = patience_s
        self.longest_asked_s = longest_asked_s
        self.last_answer = monotonic()
        self._well_at = monotonic()  # last sign of life: its patience counts from here
        self.has_told = False  # that it fails
        self._failing_since = 0.0
        self._failed: set[str] = set()
        self._kinds: Counter[str] = Counter()
        self._last: Passing | None = None
        self._told_to_wait_until = 0.0
        self._is_out_of_reach = False

    @property
    def is_open(self) -> bool:
        """Whether the server is at fault, not the calls."""
        return self._is_out_of_reach or len(self._failed) >= self.fewest

    def answered(self) -> None:
        """Count an answer."""
        self.last_answer = monotonic()
        self.returned()

    def heard(self) -> None:
        """Count tokens of an answer that is not there yet."""
        self._well_at = monotonic()

    def returned(self) -> None:
        """Start anew: a server that was gone answers again, though no call yet."""
        self._well_at = monotonic()
        if self._failed:
            self._failed.clear()
            self._kinds.clear()
            self._is_out_of_reach = self.has_told = False

    def failed(self, request_id: str, failure: Passing) -> None:
        """Count a failure."""
        if not self._failed:
            self._failing_since = monotonic()
        self._failed.add(request_id)
        self._kinds[failure.error_type] += 1
        self._last = failure
        self._is_out_of_reach |= isinstance(failure, Lost) and not failure.was_sent
        if failure.retry_after_s is not None:
            told_until = min(
                monotonic() + failure.retry_after_s, self._well_at + self.longest_asked_s
            )
            self._told_to_wait_until = max(self._told_to_wait_until, told_until)

    @property
    def failing_s(self) -> float:
        """How long every call has failed, in seconds."""
        return monotonic() - self._failing_since if self._failed else 0.0

    @property
    def left_s(self) -> float:
        """Seconds until the server is given up; infinite while the calls are at fault."""
        if not self.is_open:
            return inf
        is_limited = set(self._kinds) == {"rate_limited"}
        patience_s = self.longest_asked_s if is_limited else self.patience_s
        until = max(self._well_at + patience_s, self._told_to_wait_until + self.patience_s)
        return until - monotonic()

    @property
    def outcome(self) -> str:
        """What failed since the last answer."""
        kinds = ", ".join(f"{n:,} x {kind}" for kind, n in self._kinds.most_common())
        last = "" if self._last is None else f", the last with {self._last.detail!r}"
        n_attempts, n_calls = self._kinds.total(), len(self._failed)
        return f"{n_attempts:,} attempts of {n_calls:,} calls failed ({kinds}){last}"

    def verdict(self) -> str | None:
        """Return what failed and since when, or None while there is hope."""
        if self.left_s >= 0:
            return None
        silent_s = monotonic() - self.last_answer
        since = (datetime.now() - timedelta(seconds=silent_s)).strftime("%H:%M:%S")
        return f"no call was answered since {since} ({silent_s:.0f} s), and {self.outcome}"
