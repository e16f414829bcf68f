"""Serve a function's answers in this process, for what `chat_server.py` does not do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def answering(handler: Handler, path: str = "/v1/chat/completions") -> AsyncIterator[str]:
    """Answer any method on this path for the duration of the block; no other path is found.

    Yields:
        Its address, http://127.0.0.1:PORT/v1.
    """
    app = web.Application(client_max_size=2**30)
    app.router.add_route("*", path, handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@contextmanager
def in_thread(handler: Handler) -> Iterator[str]:
    """Answer any request from a thread; yield its address, http://127.0.0.1:PORT."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def run(work: Awaitable[str]) -> str:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=30)  # type: ignore[arg-type]

    served = answering(handler, "/{path:.*}")
    try:
        yield run(served.__aenter__()).removesuffix("/v1")
    finally:
        run(served.__aexit__(None, None, None))  # type: ignore[arg-type]
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=30)
        loop.close()
