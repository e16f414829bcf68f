"""Stand-in until tasks.engines.order is there."""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench.scheduler.client import PromptGroup


def deal(groups: Sequence[PromptGroup], n_replicas: int, per_call: int = 150) -> list[list[PromptGroup]]:
    order = {id(group): place for place, group in enumerate(groups)}
    loads = [0] * n_replicas
    dealt: list[list[PromptGroup]] = [[] for _ in range(n_replicas)]
    for group in sorted(groups, key=lambda g: -(g.weight + per_call * g.n_calls)):
        index = min(range(n_replicas), key=lambda i: loads[i])
        loads[index] += group.weight + per_call * group.n_calls
        dealt[index].append(group)
    for part in dealt:
        part.sort(key=lambda g: order[id(g)])
    return dealt
