"""Which replica gets which groups, and in which order.

A prompt prefix is computed once per replica that sees it, so a group is never split: it is the unit of
dealing, of stealing and of trying again (DESIGN.md, section 3).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from tasks.operations import Group


def deal(groups: Sequence[Group], n_replicas: int) -> list[list[Group]]:
    """Groups by replica: longest processing time first, on the tokens of their prefixes.

    The heaviest group goes to the replica with the least so far, and so on: no replica gets more than
    4/3 - 1/(3 n) of what the best deal would give it (Graham 1969). Ties go by the plan's order and the
    replica's number; within a replica groups stand in the plan's order, so that rows are finished in it.
    """
    loads = [0] * n_replicas
    counts = [0] * n_replicas
    dealt: list[list[int]] = [[] for _ in range(n_replicas)]
    for place in sorted(range(len(groups)), key=lambda place: (-groups[place].weight, place)):
        replica = min(range(n_replicas), key=lambda number: (loads[number], counts[number], number))
        dealt[replica].append(place)
        loads[replica] += groups[place].weight
        counts[replica] += groups[place].n_calls
    return [[groups[place] for place in sorted(places)] for places in dealt]


class Queues:
    """The groups that no replica has begun, by replica."""

    def __init__(self, groups: Sequence[Group], n_replicas: int) -> None:
        self.queues = [deque(dealt) for dealt in deal(groups, n_replicas)]
        self.loads = [sum(group.weight for group in queue) for queue in self.queues]

    def next(self, replica: int) -> Group | None:
        """The replica's next group; when it has none left, the last of the one with most left to do."""
        if self.queues[replica]:
            group = self.queues[replica].popleft()
            self.loads[replica] -= group.weight
            return group
        waiting = [number for number, queue in enumerate(self.queues) if queue]
        if not waiting:
            return None
        busiest = max(waiting, key=lambda number: (self.loads[number], len(self.queues[number]), -number))
        group = self.queues[busiest].pop()
        self.loads[busiest] -= group.weight
        return group

    def __iter__(self) -> Iterator[Group]:
        return (group for queue in self.queues for group in queue)
