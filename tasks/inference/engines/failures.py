"""Failures of calls, classified by what to do next.

A failure's text ends up in rows, logs and on screens, so it must not hold a key. What a server says
about a key is never quoted, and everything else passes through `scrubbed`.
"""

from __future__ import annotations

from tasks.core.errors import RunFailed
from tasks.core.rows import Response

_LONGEST_DETAIL = 300
SHORTEST_KEY = 12  # characters of a key that no text holds by chance
# What helps if every call fails.
REMEDY = (
    "Read the server's log, or its provider's status page; check the address, which usually ends "
    "in /v1; or allow fewer calls at once or more time (in_flight and timeout_s of a models file)"
)


class GaveUp(RunFailed):
    """No more calls can be answered."""


class Failure(Exception):
    """A call that was not answered; its class says what to do."""

    def __init__(
        self,
        error_type: str,  # a word from a closed set, for counting
        detail: str,  # one sentence for people
        *,
        reply: Response | None = None,  # what came, if it was a reply: its tokens are paid for
        retry_after_s: float | None = None,  # how long the server asks to wait
        was_sent: bool = True,  # whether the server may have received the call
    ) -> None:
        super().__init__(f"{error_type}: {detail}")
        self.error_type = error_type
        self.detail = detail
        self.reply = reply
        self.retry_after_s = retry_after_s
        self.was_sent = was_sent

    @property
    def cost_usd(self) -> float | None:
        """What the failed call has cost, if known."""
        return None if self.reply is None else self.reply.cost_usd


class Passing(Failure):
    """A failure that may pass: another attempt may succeed."""


class Lost(Passing):
    """The connection was refused, or broke before a reply began: the server may be gone."""


class Refused(Failure):
    """A failure that would recur; its row says why, and nobody retries."""


class Hopeless(Failure):
    """No call can succeed: the run stops and says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__("hopeless", sentence)


def without_key(text: str, key: str | None) -> str:
    """Return a model's text without the key, unless that is a short placeholder such as EMPTY."""
    return text.replace(key, "***") if key and len(key) >= SHORTEST_KEY else text


def scrubbed(text: str, key: str | None) -> str:
    """Return a text without the key, in one line of readable length."""
    if key:
        text = text.replace(key, "***")
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"
