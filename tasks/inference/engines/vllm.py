"""The engine `vllm`: independent vLLM servers on a Ray cluster.

Each group of calls stays on one server, which we choose (`tasks.inference.engines.scheduling`):
vLLM's own data-parallel balancer ignores prefixes, and servers do not share prefix caches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import aiohttp

from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import GaveUp, Limits, dispatch
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.server import Server, ServersFailed
from tasks.inference.engines.vllm_cache import open_tokens
from tasks.inference.engines.vllm_servers import end_fleet, fleet_of
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, check_reachable


class Vllm(EngineOfRow):
    """A model on vLLM servers that this program starts."""

    async def answer(self, work: Work) -> None:
        """Answer every call once.

        Servers start when there is a call to send, and stay for the next step.

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
            room = min((each for each in rooms if each is not None), default=None)
            try:
                limits = Limits.of(row, open_tokens=open_tokens(room, row))
                await dispatch(work, replicas, limits, row)
            except GaveUp as failed:
                said = await fleet.last_words()
                end_fleet(fleet)  # one of them may hang
                raise ServersFailed(
                    f"{failed}. Its servers were ended; the same command starts new ones. {said}"
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
