"""A clock that jumps: an event loop where waiting takes no time, for tests of what takes minutes.

Whenever everything waits, the loop's time moves to the next moment at which something is due. The
engines' `monotonic` reads the same clock.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

Result = TypeVar("Result")

# Nothing due, nothing to read: what is awaited never comes, unless a thread is still at work.
_STUCK_S = 60.0


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(
            0 if timeout is not None else _STUCK_S
        )
        if timeout is None and not ready:
            raise RuntimeError("nothing is due and nothing will come: the program under test hangs")
        if not ready and timeout is not None:
            self.now += max(0.0, timeout)
        return ready


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = _JumpingSelector()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.now


def run_at_once(main: Coroutine[Any, Any, Result]) -> Result:
    """`asyncio.run` without waiting; `asyncio.get_running_loop().time()` is the clock."""
    with (
        pytest.MonkeyPatch.context() as patched,
        asyncio.Runner(loop_factory=_JumpingLoop) as runner,
    ):
        loop = runner.get_loop()
        for name, module in list(sys.modules.items()):
            if name.startswith("tasks.inference.engines.") and hasattr(module, "monotonic"):
                patched.setattr(module, "monotonic", loop.time)
        return runner.run(main)
