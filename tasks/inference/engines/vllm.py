"""The engine `vllm`: independent vLLM servers on a Ray cluster.

Each group of calls stays on one server (`tasks.inference.engines.scheduling`): vLLM's own balancer
ignores prefixes, and servers do not share prefix caches. A model's servers stay for the next step;
they end when another model needs their GPUs, when this program ends, or when their actor ends.
"""

from __future__ import annotations

import asyncio
import atexit
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import aiohttp

from tasks.compute import ray_cluster
from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import GaveUp, Limits, dispatch
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.server import (
    ACTOR_CPUS,
    Server,
    ServersFailed,
    comes_true,
    gpus_per_server,
)
from tasks.inference.engines.server_actor import GRACE_S
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, check_reachable


class Vllm(EngineOfRow):
    """A model on vLLM servers that this program starts."""

    async def answer(self, work: Work) -> None:
        """Answer every call once; servers start when there is a call to send.

        Raises:
            ServersFailed: servers do not start or cannot go on; none is left running.
        """
        check_reachable(self.row)
        if not await work.has_calls():
            return
        row = self.row
        fleet = await fleet_of(row)
        async with open_session(row) as session:
            replicas = [VllmReplica(server, row, session) for server in fleet.servers]
            rooms = [await replica.cache_tokens() for replica in replicas]
            room = min(filter(None, rooms), default=None)
            try:
                await dispatch(work, replicas, Limits.of(row, room), row)
            except GaveUp as failed:
                words = await fleet.last_words()
                end_fleet(fleet)  # one of them may hang
                raise ServersFailed(
                    f"{failed}. Its servers were ended; the same command starts new ones. {words}"
                ) from failed


class VllmReplica(HttpReplica):
    """One server; if it has ended by itself, `is_alive` restarts it."""

    def __init__(self, server: Server, row: Model, session: aiohttp.ClientSession) -> None:
        super().__init__(f"{server.root}/v1", row, session)
        self.server = server

    async def send(self, call: Call, heard: Callable[[], None] = lambda: None) -> Response:
        """Send a call once, as a stream."""
        return replace(await super().send(call, heard), engine_version=self.server.version)

    async def is_alive(self) -> bool:
        """Return whether it answers; restart it first if it has ended."""
        if await self.server.ending() is None:
            return await self.server.answers()
        await self.server.revive()
        return False  # even if it is back already, it has died


# --- a model's servers ---------------------------------------------------------------------


class Fleet:
    """All servers of a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.servers: list[Server] = []

    async def start(self) -> None:
        """Place and start all servers, or leave none."""
        try:
            await self._place()
            addresses = {node["NodeID"]: node["NodeManagerAddress"] for node in ray_cluster.nodes()}
            is_one_machine = len(addresses) == 1
            async with asyncio.TaskGroup() as starting:
                for server in self.servers:
                    address = None if is_one_machine else addresses[server.node_id]
                    starting.create_task(server.start(address))
        except ExceptionGroup as failed:
            self.end()
            raise failed.exceptions[0] from failed
        except BaseException:
            self.end()
            raise

    async def is_well(self) -> bool:
        """Return whether every server runs and answers."""
        if any([await server.ending() is not None for server in self.servers]):
            return False
        return all(await asyncio.gather(*(server.answers() for server in self.servers)))

    async def last_words(self) -> str:
        """Say where the logs are, or how those of ended servers end."""
        endings = [
            f"{server.name} had ended ({server.where}). {await server.last_words()}"
            for server in self.servers
            if await server.ending() is not None
        ]
        logs = f"Logs: {', '.join(server.place['log'] for server in self.servers)}"
        return "\n".join(endings) or logs

    def end(self) -> None:
        """End all servers and wait until their GPUs are free."""
        import ray
        from ray.exceptions import RayError

        if not ray.is_initialized():  # the cluster has ended with all servers
            return
        ending = [server.actor.end.remote() for server in self.servers if server.place]
        if ending:
            ray.wait(ending, num_returns=len(ending), timeout=2 * GRACE_S)
        for server in self.servers:
            if server.actor is not None:
                ray.kill(server.actor)
            try:
                ray.util.remove_placement_group(server.group)
            except RayError:  # gone with its node
                continue

    async def _place(self) -> None:
        from ray.util.placement_group import placement_group, placement_group_table

        layout = self.model.laid_out
        gpus = gpus_per_server(self.model)
        bundle = {"CPU": ACTOR_CPUS} | ({"GPU": gpus} if gpus else {})
        for number in range(layout.replicas):
            self.servers.append(
                Server(self.model, number, placement_group([bundle], strategy="STRICT_PACK"))
            )
        tables: list[Any] = []

        async def are_created() -> bool:
            tables[:] = [placement_group_table(server.group) for server in self.servers]
            return all(table["state"] == "CREATED" for table in tables)

        within_s = self.model.serving.place_timeout_s
        if not await comes_true(are_created, within_s, self.model):
            placed = sum(table["state"] == "CREATED" for table in tables)
            raise ServersFailed(
                f"{placed} of {layout.replicas} servers of {self.model.name} got GPUs within "
                f"{within_s:g} s. The model needs {_needs(self.model)}. Stop those that hold "
                f"GPUs of {ray_cluster.name()}, or raise place_timeout_s in the table [vllm]"
            )
        for server, table in zip(self.servers, tables, strict=True):
            server.node_id = table["bundles_to_node_id"][0]


# --- kept from step to step ------------------------------------------------------------------

_fleets: list[Fleet] = []  # one step at a time uses one


async def fleet_of(model: Model) -> Fleet:
    """Return the servers of a model, started if necessary and kept afterwards.

    Raises:
        ServersFailed: GPUs are short, or servers do not start; nothing is left running.
    """
    ray_cluster.connect()
    for running in [fleet for fleet in _fleets if fleet.model == model]:
        if await running.is_well():
            return running
        end_fleet(running)
    _make_room(model)
    fleet = Fleet(model)
    await fleet.start()
    atexit.unregister(end_fleets)
    atexit.register(end_fleets)  # registered after Ray's own, so it runs before
    _fleets.append(fleet)
    return fleet


def end_fleet(fleet: Fleet) -> None:
    """End a model's servers and forget them."""
    _fleets[:] = [other for other in _fleets if other is not fleet]
    fleet.end()


def end_fleets() -> None:
    """End all servers that this program has started."""
    while _fleets:
        _fleets.pop().end()


def _make_room(model: Model) -> None:
    """End the servers of other models if they hold GPUs that this one needs."""
    gpus, replicas = gpus_per_server(model), model.laid_out.replicas
    if not gpus:
        return
    free = Counter({node["NodeID"]: ray_cluster.n_gpus_of(node) for node in ray_cluster.nodes()})
    n_fitting = sum(n // gpus for n in free.values())  # a server does not span nodes
    if n_fitting < replicas:
        has = ", ".join(map(str, free.values()))
        raise ServersFailed(
            f"{ray_cluster.name()} has too few GPUs for {model.name}. The model needs "
            f"{_needs(model)}. GPUs per node: {has or 'none'}, enough for {n_fitting}. Name "
            "another cluster in RAY_ADDRESS, or another layout in a models file"
        )
    for fleet in _fleets:
        for server in fleet.servers:
            free[server.node_id] -= gpus_per_server(fleet.model)
    if sum(n // gpus for n in free.values() if n > 0) < replicas:
        end_fleets()


def _needs(model: Model) -> str:
    replicas, gpus = model.laid_out.replicas, gpus_per_server(model)
    servers = "1 server" if replicas == 1 else f"{replicas} servers"
    return f"{servers} with {gpus} GPU{'' if gpus == 1 else 's'} each, on one node per server"
