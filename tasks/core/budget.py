"""What a run may spend on calls, and what it has spent."""

from __future__ import annotations

import threading

from tasks.core.errors import RunFailed


class BudgetReached(RunFailed):
    """The next call could cost more than the run's budget has left."""


class Purse:
    """Dollars spent and reserved by one run.

    A call reserves the most that it can cost before it is sent, so calls in flight count. Tokens are
    counted by the provider and estimated here: where a call costs more than it reserved, later ones
    reserve that much more, so the budget is exceeded by no more than the calls in flight cost above
    the estimate. A budget is one run's: the next run of the same command has its own. Any thread may
    reserve and pay.

    Args:
        budget: US dollars; None is no limit.
    """

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.spent = 0.0
        self.unsure = (
            0.0  # of that, at most, for calls that broke off: nobody says whether they were charged
        )
        self.in_flight = 0
        self._reserved = 0.0
        self._excess = 1.0  # the most that a call has cost, as a multiple of what it reserved
        self._lock = threading.Lock()

    @property
    def reserved(self) -> float:
        """What the calls in flight can cost together."""
        return self._reserved * self._excess

    def reserve(self, dollars: float) -> None:
        """Set aside what a call can cost at most.

        Raises:
            BudgetReached: it could exceed the budget together with what is spent and in flight.
        """
        with self._lock:
            if self.budget is not None and not self._fits(dollars):
                raise BudgetReached(self._refusal(dollars))
            self._reserved += dollars
            self.in_flight += 1

    def pay(self, reserved: float, cost: float, *, is_sure: bool = True) -> None:
        """Give a reservation back and count what the call has cost, or may have."""
        with self._lock:
            self.in_flight -= 1
            # sums of many floats drift; with nothing in flight it is nothing
            self._reserved = max(0.0, self._reserved - reserved) if self.in_flight else 0.0
            self.spent += cost
            self.unsure += 0.0 if is_sure else cost
            if reserved > 0.0:
                self._excess = max(self._excess, cost / reserved)

    def has_room(self, dollars: float) -> bool:
        """Whether a call of at most so many dollars could be sent now.

        Where it could not, what is in flight may turn out cheaper than reserved, and leave room.
        """
        with self._lock:
            return self._fits(dollars)

    def _fits(self, dollars: float) -> bool:
        most = self.spent + (self._reserved + dollars) * self._excess
        return self.budget is None or most <= self.budget

    def _refusal(self, dollars: float) -> str:
        said = f"the budget of ${self.budget:,.2f} does not allow another call: ${self.spent:,.4f} are spent"
        if self.unsure:
            said += f" (${self.unsure:,.4f} of it by calls that broke off and may have been charged, counted at their most)"
        if self.in_flight:
            said += f", ${self.reserved:,.4f} reserved for calls in flight ({self.in_flight})"
        said += f", and the next may cost ${dollars * self._excess:,.4f}"
        return f"{said}; answers so far are kept, run the same command again to go on: each run may spend its --budget"
