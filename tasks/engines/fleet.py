"""The servers of one model: each in a Ray placement group, started together, kept from step to step.

A server is a process that a Ray actor starts on the node where its GPUs are (`server_actor`). Servers are
ended when another model needs their GPUs, when this program ends, and whenever their actor does: `server_keeper`
sees to it. Everything that goes wrong ends in one sentence that says where, and what to do.
"""

from __future__ import annotations

import asyncio
import atexit
import re
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import aiohttp

from tasks.engines import cluster, server_actor
from tasks.engines.vllm_command import layout_of, server_command
from tasks.errors import RunFailed
from tasks.models import Model
from tasks.stopping import Stopped, stop_requested

# An actor only watches; its server's work is not counted in Ray's CPUs.
_ACTOR_CPUS = 0.1
_ASK_TIMEOUT_S = 5.0
_FIRST_LOOK_S, _LAST_LOOK_S = 0.05, 2.0
# A server that ends by itself while it is needed is started again so often; what kills it more often will do so again.
MOST_RESTARTS = 2
_LOG_LINES = 10
_NAMES_ERROR = re.compile(r"\b\w*(?:Error|Exception)\b:?")

Result = TypeVar("Result")


class ServersFailed(RunFailed):
    """Servers could not be placed, did not start, or are gone; the message says where and what to do."""


class Server:
    """One server of a model: where it is, and the actor that watches it."""

    def __init__(self, model: Model, number: int, group: Any) -> None:
        self.model = model
        self.number = number
        self.group = group  # Ray's placement group
        self.node_id = ""
        self.actor: Any = None
        self.place: dict[str, Any] = {}
        self.n_restarts = 0
        self.last_ending: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"server {self.number} of {self.model.name}"

    @property
    def root(self) -> str:
        """Its address, without /v1."""
        return f"http://{self.place['host']}:{self.place['port']}"

    @property
    def where(self) -> str:
        """Node, port and log, as messages say it."""
        return f"node {self.place['node']}, port {self.place['port']}, log {self.place['log']}"

    async def start(self, node_address: str | None) -> None:
        """Start it on its node and wait until it answers.

        Raises:
            ServersFailed: it cannot be started, ends early, or does not answer in time.
            Stopped: someone asked to stop.
        """
        self.actor = _actor_class().options(**self._actor_options()).remote(_keeper_source())
        log_name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.model.name}-{self.number}")
        serving = self.model.serving
        self.place = await self._ask(
            self.actor.find_place.remote(node_address, serving.log_folder, log_name), "be placed"
        )
        await self._begin()
        await self._wait_until_it_answers()

    async def start_again(self) -> bool:
        """Start a server that has ended by itself once more, on its port; False where that was done often enough."""
        if self.n_restarts >= MOST_RESTARTS:
            return False
        self.n_restarts += 1
        await self._begin()
        return True

    async def ending(self) -> dict[str, Any] | None:
        """None while it runs; else how it ended."""
        from ray.exceptions import RayError

        try:
            ending: dict[str, Any] | None = await self.actor.ended.remote()
        except RayError:
            ending = {"error": "its node or its Ray actor is gone"}
        self.last_ending = ending or self.last_ending
        return ending

    async def answers(self) -> bool:
        """Whether it says of itself that it is well."""
        timeout = aiohttp.ClientTimeout(total=_ASK_TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(f"{self.root}/health") as reply,
            ):
                return reply.status == 200
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def last_words(self) -> str:
        """The end of its log, for a message: the last lines, and those before that name an error."""
        from ray.exceptions import RayError

        try:
            lines = [line for line in await self.actor.tail.remote() if line.strip()]
        except (RayError, OSError):
            return "its log cannot be read any more"
        if not lines:
            return "its log is empty"
        earlier, last = lines[:-_LOG_LINES], lines[-_LOG_LINES:]
        shown = [line for line in earlier if _NAMES_ERROR.search(line)][-_LOG_LINES:] + last
        return "its log ends:\n" + "\n".join(f"  {line[:400]}" for line in shown)

    def _actor_options(self) -> dict[str, Any]:
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        serving = self.model.serving
        return {
            "num_cpus": _ACTOR_CPUS,
            "num_gpus": gpus_per_server(self.model),
            "scheduling_strategy": PlacementGroupSchedulingStrategy(
                self.group, placement_group_bundle_index=0
            ),
            **({"runtime_env": dict(serving.runtime_env)} if serving.runtime_env else {}),
        }

    async def _begin(self) -> None:
        serving = self.model.serving
        place = self.place
        command = server_command(
            self.model, replica=self.number, host=place["host"], port=place["port"], python=place["python"]
        )
        is_foreign = serving.python is not None
        begun = self.actor.begin.remote(command, dict(serving.environment), is_foreign)
        error = await self._ask(begun, "be started")
        if error is not None:
            raise ServersFailed(
                f"{self.name} could not be started ({self.where}): {error}; check python and command in the table "
                "[vllm] of the models file"
            )

    async def _wait_until_it_answers(self) -> None:
        within_s = self.model.serving.start_timeout_s
        deadline = time.monotonic() + within_s
        look_s = _FIRST_LOOK_S
        while time.monotonic() < deadline:
            ending = await self.ending()
            if ending is not None:
                how = ending.get("error") or f"exit status {ending['status']}"
                raise ServersFailed(
                    f"{self.name} ended before it answered ({how}; {self.where}); {await self.last_words()}"
                )
            if await self.answers():
                return
            if stop_requested():
                raise Stopped(
                    f"stopped while the servers of {self.model.name} were starting; nothing was sent"
                )
            await asyncio.sleep(look_s)
            look_s = min(2 * look_s, _LAST_LOOK_S)
        raise ServersFailed(
            f"{self.name} did not answer within {within_s:g} s ({self.where}); raise start_timeout_s in the table "
            f"[vllm] of the models file if it only needs longer; {await self.last_words()}"
        )

    async def _ask(self, asked: Any, what: str) -> Any:
        from ray.exceptions import RayError

        try:
            return await asked
        except (RayError, OSError) as error:
            said = str(error).strip().splitlines()
            raise ServersFailed(
                f"{self.name} could not {what} on {cluster.name()}: {said[-1] if said else type(error).__name__}"
            ) from error


class Fleet:
    """All servers of a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.servers: list[Server] = []
        self.n_users = 0

    async def start(self) -> None:
        """Place and start all servers; either all answer afterwards, or none is left.

        Raises:
            ServersFailed, Stopped: see `Server.start`.
        """
        try:
            await self._place()
            found = cluster.nodes()
            addresses = {node.node_id: node.address for node in found}
            here = cluster.is_one_machine(found)
            await _together(
                [server.start(None if here else addresses[server.node_id]) for server in self.servers]
            )
        except BaseException:
            self.end()
            raise

    async def is_well(self) -> bool:
        """Whether every server runs and answers."""
        if any([await server.ending() is not None for server in self.servers]):
            return False
        return all(await asyncio.gather(*(server.answers() for server in self.servers)))

    async def last_words(self) -> str:
        """What is to be said of servers when a run has failed: where the logs are, and the end of those that ended."""
        said = []
        for server in self.servers:
            ending = await server.ending() or server.last_ending
            if ending is not None:
                said.append(f"{server.name} had ended ({server.where}); {await server.last_words()}")
        if said:
            return "\n".join(said)
        return f"logs: {', '.join(server.place['log'] for server in self.servers)}"

    def end(self) -> None:
        """End all servers; when it returns, none is left and their GPUs are free."""
        import ray
        from ray.exceptions import RayError

        if not ray.is_initialized():  # the cluster has ended, and all servers with it
            return
        actors = [server.actor for server in self.servers if server.actor is not None]
        ending = [actor.end.remote() for actor in actors]
        ray.wait(ending, num_returns=len(ending), timeout=2 * server_actor.GRACE_S) if ending else None
        for actor in actors:
            ray.kill(actor)
        for server in self.servers:
            try:
                ray.util.remove_placement_group(server.group)
            except RayError:  # gone with its node
                continue

    async def _place(self) -> None:
        import ray
        from ray.util.placement_group import placement_group, placement_group_table

        layout = layout_of(self.model)
        gpus = gpus_per_server(self.model)
        bundle = {"CPU": _ACTOR_CPUS} | ({"GPU": gpus} if gpus else {})
        for number in range(layout.replicas):
            self.servers.append(Server(self.model, number, placement_group([bundle], strategy="STRICT_PACK")))
        within_s = self.model.serving.place_timeout_s
        deadline = time.monotonic() + within_s
        while True:
            tables = [placement_group_table(server.group) for server in self.servers]
            if all(table["state"] == "CREATED" for table in tables):
                for server, table in zip(self.servers, tables, strict=True):
                    server.node_id = table["bundles_to_node_id"][0]
                return
            if stop_requested():
                raise Stopped(
                    f"stopped while the servers of {self.model.name} waited for GPUs; nothing was sent"
                )
            if time.monotonic() > deadline:
                free = ray.available_resources().get("GPU", 0)
                raise ServersFailed(
                    f"the servers of {self.model.name} got no place within {within_s:g} s: {_needs(self.model)}, and "
                    f"others hold what {cluster.name()} has (GPUs free now: {free:g}); end them, or raise "
                    "place_timeout_s in the table [vllm] of the models file"
                )
            await asyncio.sleep(_FIRST_LOOK_S)


def gpus_per_server(model: Model) -> int:
    """GPUs that Ray reserves for each server."""
    return 0 if model.serving.on_cpu else layout_of(model).tensor_parallel


# --- kept from step to step ------------------------------------------------------------------

_fleets: list[Fleet] = []  # the one used last is last


@asynccontextmanager
async def fleet_of(model: Model) -> AsyncIterator[Fleet]:
    """The running servers of a model, started if they are not running; kept when the block ends.

    A block that ends in an error ends them, since one of them may hang; a stop or a spent budget does not.

    Raises:
        ServersFailed: there are not enough GPUs, or servers do not start; nothing is left running.
    """
    cluster.connect()
    fleet = next((fleet for fleet in _fleets if fleet.model == model), None)
    if fleet is not None:
        _fleets.remove(fleet)
        if fleet.n_users == 0 and not await fleet.is_well():
            fleet.end()
            fleet = None
    if fleet is None:
        _make_room(model)
        fleet = Fleet(model)
        await fleet.start()
    if not _fleets:
        atexit.unregister(end_fleets)
        atexit.register(end_fleets)  # after Ray's own, so it runs before
    _fleets.append(fleet)
    fleet.n_users += 1
    try:
        yield fleet
    finally:
        fleet.n_users -= 1


def end_fleet(fleet: Fleet) -> None:
    """End a model's servers and forget them."""
    if fleet in _fleets:
        _fleets.remove(fleet)
    fleet.end()


def end_fleets() -> None:
    """End all servers that this program has started."""
    while _fleets:
        _fleets.pop().end()


def _make_room(model: Model) -> None:
    """End idle servers of other models, least recently used first, until there are GPUs enough.

    Raises:
        ServersFailed: the cluster is too small, even when it is empty.
    """
    gpus, replicas = gpus_per_server(model), layout_of(model).replicas
    if not gpus:
        return
    free = {node.node_id: node.n_gpus for node in cluster.nodes()}
    fitting = cluster.n_fitting(free.values(), gpus)
    if fitting < replicas:
        has = ", ".join(str(n) for n in free.values())
        raise ServersFailed(
            f"{cluster.name()} has too few GPUs for {model.name}: {_needs(model)}; GPUs of its nodes: {has or 'none'}, "
            f"which is room for {fitting}. Name another cluster in RAY_ADDRESS, or another layout in a models file"
        )
    for fleet in _fleets:
        for server in fleet.servers:
            free[server.node_id] -= gpus_per_server(fleet.model)
    idle = [fleet for fleet in _fleets if not fleet.n_users and gpus_per_server(fleet.model)]
    while idle and cluster.n_fitting(free.values(), gpus) < replicas:
        ended = idle.pop(0)
        for server in ended.servers:
            free[server.node_id] += gpus_per_server(ended.model)
        end_fleet(ended)


def _needs(model: Model) -> str:
    layout = layout_of(model)
    return (
        f"it needs {layout.replicas} servers with {gpus_per_server(model)} GPUs each, every one on one node"
    )


# --- what travels to the nodes ---------------------------------------------------------------


@cache
def _keeper_source() -> str:
    return files("tasks.engines").joinpath("server_keeper.py").read_text(encoding="utf-8")


@cache
def _actor_class() -> Any:
    import ray
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(server_actor)  # nodes need not have tenkbench
    return ray.remote(max_restarts=0)(server_actor.ServerActor)


async def _together(starting: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run all; the first failure ends the others and is raised."""
    tasks = [asyncio.ensure_future(one) for one in starting]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
