"""Which replica gets which groups, and in which order.

A prompt prefix is computed once per replica that sees it, so a group is never split: it is the unit of
dealing, of stealing and of trying again (DESIGN.md, section 3).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tasks.inference.operation import Group

# Measured with the simulated scheduler on the paper's workload (tests/bench/prefix_order.py): of 100 to 250 tokens a call
# and stealing at any time, or at up to 8 groups, these two even the replicas' work out best.
_TOKENS_OF_CALL = 200
_WORKED_OFF = 4


def deal(costs: Sequence[int], n_replicas: int) -> list[list[int]]:
    """Places of groups, by replica: longest processing time first, on what each group costs (`load_of`).

    The heaviest group goes to the replica with the least so far, and so on: no replica gets more than
    4/3 - 1/(3 n) of what the best deal would give it (Graham 1969). Ties go by the plan's order and the
    replica's number; within a replica groups stand in the plan's order, so that rows are finished in it.
    """
    loads = [0] * n_replicas
    dealt: list[list[int]] = [[] for _ in range(n_replicas)]
    for place in sorted(range(len(costs)), key=lambda place: (-costs[place], place)):
        replica = min(range(n_replicas), key=lambda number: (loads[number], number))
        dealt[replica].append(place)
        loads[replica] += costs[place]
    return [sorted(places) for places in dealt]


def load_of(group: Group) -> int:
    """What a group costs a replica, in tokens: its prefix once, and each call's own part of the prompt and answer."""
    return group.weight + _TOKENS_OF_CALL * group.n_calls


class Queues:
    """The groups that no replica has begun, by replica.

    A replica that has begun all its own takes the last group of the one with most left to do, but not before its
    own work runs out: taken earlier, a group that another would have begun soon ends last where it is not needed.
    """

    def __init__(self, groups: Sequence[Group], n_replicas: int) -> None:
        self.groups = groups
        self.costs = [load_of(group) for group in groups]  # once: a look at a group may make it
        self.queues = [deque(places) for places in deal(self.costs, n_replicas)]
        self.loads = [sum(self.costs[place] for place in queue) for queue in self.queues]

    @property
    def is_empty(self) -> bool:
        """Whether all groups have been begun."""
        return not any(self.queues)

    def next(self, replica: int, n_open: int = 0) -> Group | None:
        """The replica's next group, or another's; None where there is none, or none yet.

        Args:
            n_open: how many groups the replica has begun and not finished.
        """
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
