"""The engine `vllm`: independent vLLM servers on a Ray cluster.

Each group of calls stays on one server, which we choose (`tasks.inference.engines.scheduling`):
vLLM's own data-parallel balancer ignores prefixes, and servers do not share prefix caches.
"""

from __future__ import annotations

from dataclasses import replace

import aiohttp

from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import GaveUp, Limits, dispatch
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.server import Server, ServersFailed
from tasks.inference.engines.vllm_servers import end_fleet, fleet_of
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, check_reachable
from tasks.models.gpu_memory import cache_tokens

# Share of a server's cache for the prefixes of open groups; the rest is for suffixes and answers.
# Measured with the simulated scheduler (tests/bench/prefix_order.py).
OPEN_SHARE = 0.8


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
        async with fleet_of(row) as fleet, open_session(row) as session:
            replicas = [VllmReplica(server, row, session) for server in fleet.servers]
            try:
                await dispatch(work, replicas, limits_of(row), row)
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

    async def send(self, call: Call) -> Response:
        """Send a call once."""
        return replace(await super().send(call), engine_version=self.server.version)

    async def is_alive(self) -> bool:
        """Return whether it answers; wait for a server that is restarting."""
        if await self.server.ending() is not None:
            await self.server.start_again()
            return False  # even if it is back already, it has died
        return await self.server.is_back()


def limits_of(row: Model) -> Limits:
    """Return the dispatch limits for servers of this row."""
    room = cache_tokens(row, row.laid_out)
    open_tokens = None if room is None else int(room * OPEN_SHARE / row.token_ratio)
    return replace(Limits.of(row, open_tokens), no_progress_s=row.serving.no_progress_s)
