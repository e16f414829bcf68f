"""One vLLM server: its command line, Ray actor, health checks and restarts.

The options are those of vLLM 0.26 to 0.33. Every failure ends in one sentence that says where it
happened and what to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable
from functools import cache
from time import monotonic
from typing import Any

import aiohttp

from tasks.compute import ray_cluster
from tasks.core.cancellation import Stopped, stop_requested
from tasks.core.errors import RunFailed
from tasks.inference.engines import server_actor
from tasks.models.catalogue import Model

# An actor only watches; Ray's CPUs do not count its server's work.
ACTOR_CPUS = 0.1
# Restarts of a server that ends by itself; whatever kills it more often will do so again.
MOST_RESTARTS = 3
_ASK_TIMEOUT_S = 5.0
_FIRST_LOOK_S, _LAST_LOOK_S = 0.05, 0.5
_LOG_LINES = 40
_YARN = frozenset({"yarn", "deepseek_yarn"})


class ServersFailed(RunFailed):
    """Servers could not be placed, did not start, or are gone."""


class Server:
    """One server of a model, and the actor that watches it."""

    def __init__(self, model: Model, number: int, group: Any) -> None:
        self.model = model
        self.number = number
        self.name = f"server {number} of {model.name}"  # in messages
        self.group = group  # Ray's placement group
        self.node_id = ""
        self.actor: Any = None
        self.place: dict[str, Any] = {}
        self.version = ""
        self.n_restarts = 0

    @property
    def root(self) -> str:
        """Its address, without /v1."""
        return f"http://{self.place['host']}:{self.place['port']}"

    @property
    def where(self) -> str:
        """Its node, port and log, for messages."""
        return f"node {self.place['node']}, port {self.place['port']}, log {self.place['log']}"

    async def start(self, node_address: str | None) -> None:
        """Start it on its node and wait until it answers."""
        self.actor = _actor_class().options(**self._actor_options()).remote()
        log_name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.model.name}-{self.number}")
        serving = self.model.serving
        self.place = await self._ask(
            self.actor.find_place.remote(node_address, serving.log_folder, log_name), "be placed"
        )
        await self._begin()
        await self._wait_until_it_answers()
        version = await self._get("/version")  # of vLLM; another server may have none
        self.version = "" if version is None else str(json.loads(version)["version"])

    async def revive(self) -> None:
        """Restart a server that has ended, on its port, unless too often."""
        if self.n_restarts < MOST_RESTARTS:
            self.n_restarts += 1
            with contextlib.suppress(ServersFailed, Stopped):  # `ending` says why
                await self._begin()
                await self._wait_until_it_answers()

    async def ending(self) -> str | None:
        """Return None while it runs, then how it ended."""
        from ray.exceptions import RayError

        try:
            status: int | None = await self.actor.ended.remote()
        except RayError:
            return "its node or its Ray actor is gone"
        return None if status is None else f"exit status {status}"

    async def answers(self) -> bool:
        """Return whether the server reports that it is well."""
        return await self._get("/health") is not None

    async def _get(self, path: str) -> bytes | None:
        """Return a path's body, or None unless the status is 200."""
        timeout = aiohttp.ClientTimeout(total=_ASK_TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(f"{self.root}{path}", allow_redirects=False) as reply,
            ):
                return await reply.read() if reply.status == 200 else None
        except (aiohttp.ClientError, TimeoutError, OSError):
            return None

    async def last_words(self) -> str:
        """Return the end of its log."""
        from ray.exceptions import RayError

        try:
            lines = [line for line in await self.actor.tail.remote() if line.strip()]
        except (RayError, OSError):
            lines = []
        quoted = "\n".join(f"  {line[:400]}" for line in lines[-_LOG_LINES:])
        return f"Its log ends:\n{quoted}" if quoted else "Its log is empty, or cannot be read"

    def _actor_options(self) -> dict[str, Any]:
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        serving = self.model.serving
        return {
            "num_cpus": ACTOR_CPUS,
            "num_gpus": gpus_per_server(self.model),
            "scheduling_strategy": PlacementGroupSchedulingStrategy(
                self.group, placement_group_bundle_index=0
            ),
            "runtime_env": dict(serving.runtime_env) or None,
        }

    async def _begin(self) -> None:
        serving = self.model.serving
        place = {name: self.place[name] for name in ("host", "port", "python")}
        command = server_command(self.model, replica=self.number, **place)
        is_foreign = serving.python is not None
        begun = self.actor.begin.remote(command, dict(serving.environment), is_foreign)
        await self._ask(begun, "be started")

    async def _wait_until_it_answers(self) -> None:
        async def answers() -> bool:
            ending = await self.ending()
            if ending is None:
                return await self.answers()
            raise ServersFailed(
                f"{self.name} ended before it answered ({ending}; {self.where}). If it could not "
                "be started, check python and command in the table [vllm] of the models file. "
                f"{await self.last_words()}"
            )

        within_s = self.model.serving.start_timeout_s
        if not await comes_true(answers, within_s, self.model):
            raise ServersFailed(
                f"{self.name} did not answer within {within_s:g} s ({self.where}). If it only "
                "needs longer, raise start_timeout_s in the table [vllm] of the models file. "
                f"{await self.last_words()}"
            )

    async def _ask(self, request: Any, what: str) -> Any:
        """Return the actor's answer; wait until Ray has placed it."""
        from ray.exceptions import RayError

        answer = asyncio.wrap_future(request.future())

        async def is_there() -> bool:
            return answer.done()

        within_s = self.model.serving.place_timeout_s
        try:
            if not await comes_true(is_there, within_s, self.model):
                raise ServersFailed(
                    f"{self.name} could not {what} on {ray_cluster.name()} within {within_s:g} s. "
                    "See session_latest/logs in Ray's temporary folder"
                )
            return answer.result()
        except (RayError, OSError) as error:
            raise ServersFailed(
                f"{self.name} could not {what} on {ray_cluster.name()}: {error}"
            ) from error
        finally:
            answer.cancel()


async def comes_true(is_so: Callable[[], Awaitable[bool]], within_s: float, model: Model) -> bool:
    """Wait until a condition of a model's start is met; return False if it is late.

    Raises:
        Stopped: the user has asked to stop.
    """
    deadline, look_s = monotonic() + within_s, _FIRST_LOOK_S
    while not await is_so():
        if stop_requested():
            raise Stopped(f"stopped while starting the servers of {model.name}. Nothing was sent")
        if monotonic() > deadline:
            return False
        await asyncio.sleep(look_s)
        look_s = min(2 * look_s, _LAST_LOOK_S)
    return True


@cache
def _actor_class() -> Any:
    import ray
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(server_actor)  # nodes may lack tenkbench
    return ray.remote(max_restarts=0)(server_actor.ServerActor)


# --- its command line ----------------------------------------------------------------------


def gpus_per_server(model: Model) -> int:
    """Return how many GPUs Ray reserves for each server."""
    return 0 if model.serving.on_cpu else model.laid_out.tensor_parallel


def server_options(model: Model, host: str, port: int) -> list[str]:
    """Return all options for a server of this model."""
    layout = model.laid_out
    options = [f"--model={model.repository or model.called}", f"--served-model-name={model.called}"]
    if model.revision is not None:
        # without it, vLLM takes the tokenizer from the newest revision
        options += [f"--revision={model.revision}", f"--tokenizer-revision={model.revision}"]
    options += [f"--host={host}", f"--port={port}"]
    if not model.serving.on_cpu:
        options += [
            f"--tensor-parallel-size={layout.tensor_parallel}",
            f"--gpu-memory-utilization={layout.memory_share}",
        ]
    if model.window is not None:
        options.append(f"--max-model-len={model.window}")
    if model.dtype is not None:
        options.append(f"--dtype={model.dtype}")
    if model.rope:
        overrides = json.dumps(rope_overrides(model), separators=(",", ":"), sort_keys=True)
        options.append(f"--hf-overrides={overrides}")
    # The first is the default, but we depend on it; the second reports how much it saved.
    options += ["--enable-prefix-caching", "--enable-prompt-tokens-details"]
    # Replies are streamed to see that they live, which a few tokens at a time show as well.
    options.append("--stream-interval=8")
    return options + list(model.server_options)


def rope_overrides(model: Model) -> dict[str, Any]:
    """Return `--hf-overrides` for the row's rope settings.

    vLLM takes `max_position_embeddings` for the window that YaRN stretches.
    """
    rope = dict(model.rope)
    overrides: dict[str, Any] = {"rope_parameters": rope}
    if rope.get("rope_type") in _YARN:
        overrides["max_position_embeddings"] = int(
            rope["factor"] * rope["original_max_position_embeddings"]
        )
    return overrides


def server_command(model: Model, *, replica: int, host: str, port: int, python: str) -> list[str]:
    """Return the command of one server: the row's template, filled in.

    `python` is the interpreter on its node, used if the models file names none.
    """
    places = {
        "{python}": model.serving.python or python,
        "{name}": model.called,
        "{model}": model.repository or model.called,
        "{host}": host,
        "{port}": str(port),
        "{replica}": str(replica),
    }
    command = []
    for argument in model.serving.command:
        if argument == "{options}":
            command += server_options(model, host, port)
            continue
        for place, value in places.items():
            argument = argument.replace(place, value)
        command.append(argument)
    return command
