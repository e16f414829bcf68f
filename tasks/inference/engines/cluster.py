"""Nodes and GPUs of the Ray cluster, to place servers on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster with its GPUs, busy or not."""

    node_id: str
    address: str
    n_gpus: int


def nodes() -> list[Node]:
    """Return the nodes that are alive, in a stable order."""
    import ray

    found = [
        Node(node["NodeID"], node["NodeManagerAddress"], int(node["Resources"].get("GPU", 0)))
        for node in ray.nodes()
        if node["Alive"]
    ]
    return sorted(found, key=lambda node: node.node_id)


def is_one_machine(found: Sequence[Node]) -> bool:
    """Return whether all servers run here: this machine is a node."""
    return len(found) == 1


def n_fitting(free_gpus: Iterable[int], gpus_per_server: int) -> int:
    """Return how many servers fit; a server does not span nodes."""
    return sum(free // gpus_per_server for free in free_gpus)
