"""Progress announcements, and the listeners that show them: on a terminal or in Prefect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from time import monotonic
from typing import TypeVar

from tasks.core.rows import Response

# The first answers may come at once or in a burst: a rate over less time means nothing.
_SHORTEST_PACE_S = 2.0

# Fields of `Progress` that add up.
_COUNTS = (
    "done", "total", "reused", "unsent", "primed", "failed", "prompt_tokens", "cached_tokens",
    "output_tokens", "dollars",
)  # fmt: skip

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """State of a piece of work and, if it calls a model, what its calls cost.

    Tokens and dollars exclude reused and unsent calls, seconds the start of a model's server.
    """

    what: str
    done: int
    total: int
    model: str | None = None  # the model called; None if rules answer or nothing is called
    failed: int = 0
    reused: int = 0  # answered by the response cache or an equal call; they count as done
    unsent: int = 0  # refused before sending; they count as done and failed
    primed: int = 0  # sent to warm up prefixes; they do not count as done
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    began: float = 0.0  # monotonic clock; tells two pieces of the same name apart
    is_open: bool = True  # False in the last announcement; `done == total` may not be the last

    @property
    def sent(self) -> int:
        """Number of calls that were sent and answered."""
        return self.done - self.reused - self.unsent

    @property
    def tokens_per_second(self) -> float | None:
        """Prompt and output tokens per second; None as long as it is too early to tell."""
        tokens = self.prompt_tokens + self.output_tokens
        return tokens / self.seconds if tokens and self.seconds >= _SHORTEST_PACE_S else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the rate so far; None as long as it is too early to tell."""
        if self.sent <= 0 or self.seconds < _SHORTEST_PACE_S:
            return None
        return self.seconds / self.sent * (self.total - self.done)

    @property
    def remarks(self) -> list[str]:
        """Failures, reuse, rate, cache and dollars, if known."""
        counts = {"failed": self.failed, "already answered": self.reused}
        remarks = [f"{count:,} {what}" for what, count in counts.items() if count]
        if self.tokens_per_second is not None:
            remarks.append(f"{self.tokens_per_second:,.0f} prompt and answer tokens/s")
        if self.cached_tokens and self.prompt_tokens:
            share = self.cached_tokens / self.prompt_tokens
            remarks.append(f"{share:.0%} of prompt tokens from cache")
        if self.dollars:
            remarks.append(f"${self.dollars:,.2f}")
        return remarks

    @property
    def so_far(self) -> str:
        """One line on the work done, without the time left."""
        return ", ".join([f"{self.what}: {self.done:,} of {self.total:,}", *self.remarks])

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


def teller() -> Callable[[str], None]:
    """Return a `tell` that reports the same sentence only once."""
    return cache(tell)


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
    """Counter that announces each call of one piece of work.

    `model` is None for rules: their tokens are not counted.
    """

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
        gained: dict[str, float] = {}
        if counts:
            gained |= {
                "done": 1,
                "reused": reused,
                "unsent": response.attempts == 0 and not reused,
                "failed": response.status != "ok",
            }
        elif response.attempts:
            gained["primed"] = 1
        if self.now.model is not None and not reused:
            gained |= {
                "prompt_tokens": response.n_prompt or 0,
                "cached_tokens": response.n_cached or 0,
                "output_tokens": response.n_output or 0,
                "dollars": response.cost_usd or 0.0,
            }
        totals = {name: getattr(self.now, name) + gain for name, gain in gained.items()}
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

    def by_name(self) -> dict[str, Progress]:
        """Add up the pieces of each name: name -> all of them as one."""
        named: dict[str, list[Progress]] = {}
        for progress in list(self.latest.values()):  # another thread may add some
            named.setdefault(progress.what, []).append(progress)
        return {what: _as_one(pieces) for what, pieces in named.items()}


def _as_one(pieces: Sequence[Progress]) -> Progress:
    """Add up pieces of one name; their time includes the pauses between them."""
    began = min(piece.began for piece in pieces)
    counts = {count: sum(getattr(piece, count) for piece in pieces) for count in _COUNTS}
    seconds = max(piece.began + piece.seconds for piece in pieces) - began
    is_open = any(piece.is_open for piece in pieces)
    return replace(pieces[-1], **counts, began=began, seconds=seconds, is_open=is_open)


def in_parts(what: str, parts: Iterable[Part], sizes: Sequence[int]) -> Iterator[Part]:
    """Yield parts of one piece of work; announce each when the next is asked for.

    Args:
        sizes: size of each part, in any unit. A single part is not announced.
    """
    began, done, total = monotonic(), 0, sum(sizes)
    for part, size in zip(parts, sizes, strict=True):
        yield part
        done += size
        if len(sizes) > 1:
            now = Progress(what=what, done=done, total=total, began=began, is_open=done < total)
            announce(replace(now, seconds=monotonic() - began))
