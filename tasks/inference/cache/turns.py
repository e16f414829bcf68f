"""Whose turn it is to send a model calls, where several machines share a lake.

A lake in a folder belongs to one machine, whose processes share the work call by call; there it is always
everybody's turn. Whoever has calls sent says whose turn they are sent in (`in_turn`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from tasks.core.errors import RunFailed


class TurnLost(RunFailed):
    """Another machine may be sending the same calls by now."""


class Turn(Protocol):
    """The right to send a model's calls."""

    @property
    def is_taken(self) -> bool:
        """Whether there is nothing to wait for."""
        ...

    async def take(self) -> None:
        """Wait for the turn; what others have bought until then is in the journal.

        Raises:
            Stopped: someone asked to stop meanwhile.
            RunFailed: it cannot be had.
        """
        ...

    def may_send(self) -> bool:
        """Whether a call may be sent at this moment; False while it is not sure that the turn still is ours.

        Raises:
            TurnLost: it is not.
        """
        ...

    def end(self) -> None:
        """Give the turn up, if it was taken."""
        ...


class Always:
    """The turn where nobody has to be waited for."""

    is_taken = True

    async def take(self) -> None:
        """There is nothing to take."""

    def may_send(self) -> bool:
        """Yes."""
        return True

    def end(self) -> None:
        """There is nothing to give up."""


_turn: ContextVar[Turn] = ContextVar("turn")


def turn() -> Turn:
    """The turn that calls are sent in."""
    return _turn.get(None) or Always()


@contextmanager
def in_turn(taken: Turn) -> Iterator[None]:
    """Have the block's calls sent in this turn, which ends with it."""
    token = _turn.set(taken)
    try:
        yield
    finally:
        _turn.reset(token)
        taken.end()
