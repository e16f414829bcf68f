"""Orders in which the same calls can be sent: ours, and those it is compared with."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from tasks.inference.engines.scheduling import Queues, deal, load_of
from tasks.inference.operation import Group, portions
from tests.bench.scheduler.client import Call, Hardware, InGroups, InOrder, PromptGroup, Result, run
from tests.bench.scheduler.prompts import BLOCK
from tests.bench.scheduler.replica import Replica

IN_FLIGHT = 64  # calls at each replica, as tasks.models.catalogue has it
OPEN_SHARE = 0.8  # of the cache that the prefixes of open groups may take together

Order = Callable[[Sequence[PromptGroup], Sequence[Call], Hardware], Result]


class _AsDealt(Queues):
    """Nobody takes another's groups."""

    def next(self, replica: int, n_open: int = 0) -> Group | None:
        return super().next(replica, n_open) if self.queues[replica] else None


def in_groups(
    groups: Sequence[PromptGroup],
    calls: Sequence[Call],
    hardware: Hardware,
    steals: bool = True,
    replicas: Sequence[Replica] | None = None,
) -> Result:
    """Ours: groups dealt by load (long ones on a short prefix in portions).

    Each group is primed and kept together, and only as many are open as the cache holds.
    """
    begun = Queues if steals else _AsDealt
    sent = [
        PromptGroup(group.name, group.prefix, part)
        for group in groups
        for part in portions(group.calls, group.weight)
    ]
    queues = begun(cast("Sequence[Group]", sent), hardware.replicas)
    open_tokens = OPEN_SHARE * BLOCK * hardware.cache_blocks
    feeds = [InGroups(queues, own, open_tokens) for own in range(hardware.replicas)]
    return run(feeds, calls, hardware, IN_FLIGHT, replicas)


def in_order(groups: Sequence[PromptGroup], calls: Sequence[Call], hardware: Hardware) -> Result:
    """Groups dealt as ours and sent one after the other, neither primed nor held back."""
    dealt = dealt_to(groups, hardware.replicas)
    return _lists(
        [[call for group in part for call in group.calls] for part in dealt], calls, hardware
    )


def split(groups: Sequence[PromptGroup], calls: Sequence[Call], hardware: Hardware) -> Result:
    """Groups dealt as ours, but every other call of each goes to the next replica."""
    lists: list[list[Call]] = [[] for _ in range(hardware.replicas)]
    for own, part in enumerate(dealt_to(groups, hardware.replicas)):
        for group in part:
            for place, call in enumerate(group.calls):
                lists[(own + place % 2) % hardware.replicas].append(call)
    return _lists(lists, calls, hardware)


def round_robin(groups: Sequence[PromptGroup], calls: Sequence[Call], hardware: Hardware) -> Result:
    """The calls as they are listed, each to the next replica."""
    return _lists(
        [calls[own :: hardware.replicas] for own in range(hardware.replicas)], calls, hardware
    )


def shuffled(groups: Sequence[PromptGroup], calls: Sequence[Call], hardware: Hardware) -> Result:
    """The calls in an order that has nothing to do with what they share."""
    mixed = list(calls)
    random.Random("shuffled").shuffle(mixed)
    return round_robin(groups, mixed, hardware)


def dealt_to(groups: Sequence[PromptGroup], n_replicas: int) -> list[list[PromptGroup]]:
    """Groups by replica, as the dispatcher deals them."""
    dealt = deal([load_of(group) for group in cast("Sequence[Group]", groups)], n_replicas)
    return [[groups[place] for place in places] for places in dealt]


def _lists(lists: Sequence[Sequence[Call]], calls: Sequence[Call], hardware: Hardware) -> Result:
    return run([InOrder(part) for part in lists], calls, hardware, IN_FLIGHT)


ORDERS: dict[str, Order] = {
    "groups": in_groups,
    "as dealt": partial(in_groups, steals=False),
    "unprimed": in_order,
    "split": split,
    "round-robin": round_robin,
    "shuffled": shuffled,
}
