"""The engine `vllm`: independent vLLM servers on a Ray cluster, each group of calls pinned to one of them.

Servers know nothing of each other: vLLM's own data-parallel balancer ignores prefixes, and a prefix that is in
one server's cache is of no use to the next. Which server a group goes to is decided here
(`tasks.inference.engines.scheduling`), and the group stays there.
"""

from __future__ import annotations

from dataclasses import replace

import aiohttp

from tasks.core.rows import Response
from tasks.inference.engines.base import EngineOfRow
from tasks.inference.engines.dispatch import GaveUp, Limits, dispatch
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.server import Server, ServersFailed
from tasks.inference.engines.vllm_command import layout_of
from tasks.inference.engines.vllm_servers import end_fleet, fleet_of
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, check_reachable
from tasks.models.gpu_memory import cache_tokens

# Of a server's cache, what the prefixes of open groups may take: the rest is for suffixes and answers. Measured
# with the simulated scheduler (tests/bench/prefix_order.py).
OPEN_SHARE = 0.8


class Vllm(EngineOfRow):
    """A model on vLLM servers that this program starts.

    Args:
        row: the model's, with its layout and where vLLM lives.
    """

    async def answer(self, work: Work) -> None:
        """Answer every call once; servers are started when there is a call to send, and stay for the next step.

        Raises:
            UnreachableModel: nobody has said where vLLM is.
            ServersFailed: servers do not start, or the run cannot go on with them; none is left running.
            Stopped, BudgetReached: nothing more was sent; what was in flight is settled.
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
                    f"{failed}. Its servers have been ended, the same command starts new ones; {said}"
                ) from failed


class VllmReplica(HttpReplica):
    """One server. One that has ended by itself is started again when the dispatcher asks whether it lives."""

    def __init__(self, server: Server, row: Model, session: aiohttp.ClientSession) -> None:
        super().__init__(f"{server.root}/v1", row, session)
        self.server = server

    async def send(self, call: Call) -> Response:
        """One attempt; see `HttpReplica.send`."""
        return replace(await super().send(call), engine_version=self.server.version)

    async def is_alive(self) -> bool:
        """Whether it answers; while it starts again, the answer comes when it does."""
        if await self.server.ending() is not None:
            await self.server.start_again()
            return False  # whatever it is now: it has died
        return await self.server.is_back()


def limits_of(row: Model) -> Limits:
    """What dispatch keeps to on servers of this row."""
    return replace(Limits.of(row, open_tokens(row)), no_progress_s=row.serving.no_progress_s)


def open_tokens(row: Model) -> int | None:
    """Prefix tokens of groups open at once on one server, in cl100k tokens; None where sizes are not known."""
    room = cache_tokens(row, layout_of(row))
    return None if room is None else int(room * OPEN_SHARE / row.token_ratio)
