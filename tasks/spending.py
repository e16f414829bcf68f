"""What a run may spend on calls, and what it has spent: the purse that every engine pays from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tasks.errors import RunFailed


class BudgetReached(RunFailed):
    """The next call could cost more than the run's budget has left."""


class Purse:
    """Dollars spent and reserved by one run.

    A call reserves the most that it can cost before it is sent, so calls in flight count, and the
    budget is kept whatever they turn out to cost.

    Args:
        budget: US dollars; None is no limit.
    """

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.spent = 0.0
        self.reserved = 0.0

    def reserve(self, dollars: float) -> None:
        """Set aside what a call can cost at most.

        Raises:
            BudgetReached: it could exceed the budget together with what is spent and in flight.
        """
        if self.budget is not None and self.spent + self.reserved + dollars > self.budget:
            raise BudgetReached(
                f"the budget of ${self.budget:,.2f} does not allow another call: ${self.spent:,.2f} are spent and "
                f"${self.reserved:,.2f} reserved for calls in flight; answers so far are kept, run the same command with a "
                "higher --budget to go on"
            )
        self.reserved += dollars

    def pay(self, reserved: float, cost: float) -> None:
        """Give a reservation back and count what the call has cost."""
        self.reserved = max(0.0, self.reserved - reserved)
        self.spent += cost


_purses: list[Purse] = [Purse()]


def purse() -> Purse:
    """The purse of the run that is under way."""
    return _purses[-1]


@contextmanager
def spending(budget: float | None) -> Iterator[Purse]:
    """One purse for all calls of the block; inside another run's block that run's purse goes on."""
    if len(_purses) > 1:
        yield _purses[-1]
        return
    _purses.append(Purse(budget))
    try:
        yield _purses[-1]
    finally:
        _purses.pop()
