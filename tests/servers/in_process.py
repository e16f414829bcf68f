"""Serve a function's answers in this process, for what `chat_server.py` does not do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def answering(handler: Handler, path: str = "/v1/chat/completions") -> AsyncIterator[str]:
    """Answer any method on this path for the duration of the block; no other path is found.

    Yields:
        Its address, http://127.0.0.1:PORT/v1.
    """
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", path, handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
