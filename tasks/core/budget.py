"""A run's budget for calls to models."""

from __future__ import annotations

import threading

from tasks.core.errors import RunFailed


class BudgetReached(RunFailed):
    """The next call could cost more than the run's budget has left."""


class Purse:
    """Dollars spent and reserved by one run.

    A call reserves its maximum cost before it is sent, so calls in flight count. We estimate
    tokens; the provider counts them. If a call costs more than it reserved, later calls reserve
    proportionally more. The overrun is therefore limited to the calls in flight. Thread-safe.
    """

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.spent = 0.0
        self.in_flight = 0
        self._reserved = 0.0
        self._excess = 1.0  # largest ratio of a call's cost to its reservation
        self._lock = threading.RLock()

    @property
    def reserved(self) -> float:
        """Maximum cost of all calls in flight."""
        return self._reserved * self._excess

    def reserve(self, dollars: float) -> None:
        """Reserve the maximum cost of a call, or raise `BudgetReached`."""
        with self._lock:
            if not self.has_room(dollars):
                raise BudgetReached(self._refusal(dollars))
            self._reserved += dollars
            self.in_flight += 1

    def pay(self, reserved: float, cost: float) -> None:
        """Release a reservation and add the call's cost, or the most that it may be."""
        with self._lock:
            self.in_flight -= 1
            # float sums drift: reset to zero when nothing is in flight
            self._reserved = max(0.0, self._reserved - reserved) if self.in_flight else 0.0
            self.spent += cost
            if reserved > 0.0:
                self._excess = max(self._excess, cost / reserved)

    def has_room(self, dollars: float) -> bool:
        """Whether a call that costs at most this much can be sent now; if not, perhaps later."""
        with self._lock:
            most = self.spent + (self._reserved + dollars) * self._excess
            return self.budget is None or most <= self.budget

    def _refusal(self, dollars: float) -> str:
        return (
            f"the budget of ${self.budget:,.2f} does not allow another call: "
            f"${self.spent:,.4f} are spent, ${self.reserved:,.4f} reserved for calls in flight, "
            f"and the next call may cost ${dollars * self._excess:,.4f}. The answers so far are "
            "kept. Run the same command again to continue; each run may spend its whole --budget"
        )
