"""Which replica gets which groups, and in which order.

Each replica computes a prompt prefix once, so a group is never split: it is dealt, stolen and
retried as a whole (DESIGN.md, section 3).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tasks.inference.operation import Group

# The values that balance replicas best, measured with a simulation of vLLM 0.32's scheduler on
# FailSafeQA's workload.
_TOKENS_OF_CALL = 200
_WORKED_OFF = 4


def deal(costs: Sequence[int], n_replicas: int) -> list[list[int]]:
    """Return the places of each replica's groups, in the plan's order.

    Longest processing time first: no replica gets more than 4/3 - 1/(3 n) of its load in the best
    deal (Graham 1969). `costs` are those of `load_of`.
    """
    loads = [0] * n_replicas
    dealt: list[list[int]] = [[] for _ in range(n_replicas)]
    for place in sorted(range(len(costs)), key=lambda place: (-costs[place], place)):
        replica = min(range(n_replicas), key=lambda number: (loads[number], number))
        dealt[replica].append(place)
        loads[replica] += costs[place]
    return [sorted(places) for places in dealt]


def load_of(group: Group) -> int:
    """Return a group's cost in tokens: its prefix once, plus each call."""
    return group.weight + _TOKENS_OF_CALL * group.n_calls


class Queues:
    """Groups that no replica has begun, by replica.

    A replica whose own queue is empty steals the last group of the replica with most left to do,
    once its own work runs out.
    """

    def __init__(self, groups: Sequence[Group], n_replicas: int) -> None:
        self.groups = groups
        self.costs = [load_of(group) for group in groups]  # once: looking at a group may render it
        self.queues = [deque(places) for places in deal(self.costs, n_replicas)]
        self.loads = [sum(self.costs[place] for place in queue) for queue in self.queues]

    @property
    def is_empty(self) -> bool:
        """Whether all groups have been begun."""
        return not any(self.queues)

    def next(self, replica: int, n_open: int = 0) -> Group | None:
        """Return the next group, perhaps a stolen one, of a replica with `n_open` open groups."""
        if self.queues[replica]:
            return self._taken(replica, self.queues[replica].popleft())
        waiting = [number for number, queue in enumerate(self.queues) if queue]
        if not waiting or n_open > _WORKED_OFF:
            return None
        busiest = max(
            waiting, key=lambda number: (self.loads[number], len(self.queues[number]), -number)
        )
        return self._taken(busiest, self.queues[busiest].pop())

    def _taken(self, replica: int, place: int) -> Group:
        self.loads[replica] -= self.costs[place]
        return self.groups[place]
