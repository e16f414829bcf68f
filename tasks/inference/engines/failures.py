"""How a call can fail, as far as what to do next depends on it.

A failure's text ends up in rows, logs and on screens, so no key may be in it: what a server says about a
key is never quoted, and everything else passes through `scrubbed`.
"""

from __future__ import annotations

_LONGEST_DETAIL = 300


class Failure(Exception):
    """A call that was not answered.

    Args:
        error_type: a short word from a closed set, for counting.
        detail: one sentence, for reading.
        cost_usd: what it has cost all the same, where that is known.
    """

    def __init__(self, error_type: str, detail: str, *, cost_usd: float | None = None) -> None:
        super().__init__(f"{error_type}: {detail}")
        self.error_type = error_type
        self.detail = detail
        self.cost_usd = cost_usd


class Passing(Failure):
    """May succeed if it is tried again.

    Args:
        retry_after_s: how long the server asks to wait.
        slows: whether the server asks for fewer calls at once.
    """

    def __init__(
        self,
        error_type: str,
        detail: str,
        *,
        retry_after_s: float | None = None,
        slows: bool = False,
    ) -> None:
        super().__init__(error_type, detail)
        self.retry_after_s = retry_after_s
        self.slows = slows


class Lost(Passing):
    """The connection was refused, reset or cut off: perhaps the server is gone.

    Args:
        was_sent: whether the server may have had the call: what never reached it has not killed it.
    """

    def __init__(self, error_type: str, detail: str, *, was_sent: bool = True) -> None:
        super().__init__(error_type, detail)
        self.was_sent = was_sent


class Refused(Failure):
    """Would fail the same way again: the call's row says why, and nobody tries again."""


class Hopeless(Failure):
    """No call can succeed: the run stops. The sentence names the model and says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__("hopeless", sentence)


def scrubbed(text: str, key: str | None) -> str:
    """A text that may be stored and shown: without the key, in one line, cut to a readable length."""
    if key:
        text = text.replace(key, "***")
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"
