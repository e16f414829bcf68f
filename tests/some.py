"""Loops of tests that would pass without a round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Thing = TypeVar("Thing")


def some(things: Iterable[Thing]) -> list[Thing]:
    """Return all things; fail if there are none, so that a loop over them asserts something."""
    found = [*things]
    assert found, "nothing to loop over"
    return found
