"""Progress announcements, and the listeners that show them: on a terminal or in Prefect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from typing import TypeVar

from tasks.core.rows import Response

# The first answers may come at once or in a burst: a rate over less time means nothing.
_SHORTEST_PACE_S = 2.0

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """State of a piece of work and, if it calls a model, what its calls cost.

    Seconds exclude the start of a model's server.
    """

    what: str
    done: int
    total: int
    model: str | None = None  # the model called; None if rules answer or nothing is called
    sent: int = 0  # calls that were sent and answered, warm-up calls included
    failed: int = 0
    reused: int = 0  # answered by the response cache or an equal call; they count as done
    dollars: float = 0.0
    seconds: float = 0.0
    began: float = 0.0  # monotonic clock; tells two pieces of the same name apart
    is_open: bool = True  # False in the last announcement; `done == total` may not be the last

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the rate so far; None as long as it is too early to tell."""
        n_worked = self.done - self.reused
        if n_worked <= 0 or self.seconds < _SHORTEST_PACE_S:
            return None
        return self.seconds / n_worked * (self.total - self.done)

    @property
    def so_far(self) -> str:
        """One line on the work done, without the time left."""
        parts = [f"{self.what}: {self.done:,} of {self.total:,}"]
        for what, count in {"failed": self.failed, "already answered": self.reused}.items():
            parts += [f"{count:,} {what}"] if count else []
        parts += [f"${self.dollars:,.2f}"] if self.dollars else []
        return ", ".join(parts)

    def __str__(self) -> str:
        if self.seconds_left is None or self.done >= self.total:
            return self.so_far
        return f"{self.so_far}, {timedelta(seconds=round(self.seconds_left))} left"


_listeners: list[Callable[[Progress], None]] = []
_hearers: list[Callable[[str], None]] = []


def announce(progress: Progress) -> None:
    """Call all listeners with the state of a piece of work."""
    for listener in list(_listeners):
        listener(progress)


def tell(sentence: str) -> None:
    """Report a delay, or its end, to every listener."""
    for hearer in list(_hearers):
        hearer(sentence)


@contextmanager
def listening(listener: Callable[[Progress], None]) -> Iterator[None]:
    """Call a listener for every announcement in the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def hearing(listener: Callable[[str], None]) -> Iterator[None]:
    """Call a listener with every sentence told in the block."""
    _hearers.append(listener)
    try:
        yield
    finally:
        _hearers.remove(listener)


class Tally:
    """Counter that announces each call of one piece of work; `model` is None for rules."""

    def __init__(self, what: str, model: str | None, began: float) -> None:
        self.now = Progress(what=what, done=0, total=0, model=model, began=began)
        self._starting_s: float | None = None  # before the first call was sent

    def add_to_total(self, n_calls: int) -> None:
        """Count calls to come, or fewer of them."""
        self.now = replace(self.now, total=self.now.total + n_calls)

    def add(self, response: Response, *, reused: bool = False, counts: bool = True) -> None:
        """Count one call; for a primer, `counts` is False: no work is done."""
        seconds = monotonic() - self.now.began
        if self._starting_s is None and response.latency_ms is not None and not reused:
            self._starting_s = max(0.0, seconds - response.latency_ms / 1000)
        gains: dict[str, float] = {}
        if not reused:
            gains |= {"sent": response.attempts > 0, "dollars": response.cost_usd or 0.0}
        if counts:
            gains |= {"done": 1, "reused": reused, "failed": response.status != "ok"}
        totals = {name: getattr(self.now, name) + gain for name, gain in gains.items()}
        self.now = replace(self.now, **totals, seconds=seconds - (self._starting_s or 0.0))
        announce(self.now)

    def close(self) -> None:
        """Announce the state for the last time."""
        announce(replace(self.now, is_open=False))


# --- several pieces as one -----------------------------------------------------------------


class Pieces:
    """The latest announcement of each piece of work."""

    def __init__(self) -> None:
        self.latest: dict[tuple[str, float], Progress] = {}

    def hear(self, progress: Progress) -> None:
        """Store an announcement."""
        self.latest[progress.what, progress.began] = progress

    def sum_of(self, count: str) -> float:
        """Sum a count, such as `done` or `dollars`, over all pieces."""
        return sum(getattr(progress, count) for progress in self.latest.values())


def in_parts(what: str, parts: Iterable[Part], sizes: Sequence[int]) -> Iterator[Part]:
    """Yield parts of one piece of work; announce each, unless it is the only one."""
    began, done, total = monotonic(), 0, sum(sizes)
    for part, size in zip(parts, sizes, strict=True):
        yield part
        done += size
        if len(sizes) > 1:
            now = Progress(what=what, done=done, total=total, began=began, is_open=done < total)
            announce(replace(now, seconds=monotonic() - began))
