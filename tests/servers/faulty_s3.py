"""A proxy before a local S3 that misbehaves on purpose, in a thread of the test's process.

with faulty_s3(endpoint) as proxy:      # proxy.endpoint for AWS_ENDPOINT_URL
    proxy.faults = [Fault("done_500", method="PUT", times=1)]
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import ClientSession, web
from yarl import URL

_ERRORS = {
    "500": (500, "InternalError"),
    "503": (503, "SlowDown"),
    "409": (409, "ConditionalRequestConflict"),
    "denied": (403, "AccessDenied"),
    "unknown_key": (403, "InvalidAccessKeyId"),
    "skewed": (403, "RequestTimeTooSkewed"),
    "elsewhere": (400, "AuthorizationHeaderMalformed"),
}
_CONDITIONS = ("If-None-Match", "If-Match")


@dataclass
class Fault:
    """What becomes of the requests that it selects.

    Kinds:
        500, 503, 409, denied, unknown_key, skewed, elsewhere
                        that answer of S3's; the request is not carried out
        reset           the connection is closed before anything is said; not carried out
        hang            no answer, ever; not carried out
        done_500, done_reset, done_hang    carried out, and then as above
        cut             carried out; half of the answer's body, then the connection is closed
        unconditional   carried out without its condition, as by storage that knows no conditions
    """

    kind: str
    method: str = ""  # of any, when empty
    match: str = ""  # in path and query
    times: int | None = None  # so many requests at most
    every: int = 1  # each so many-th of those that it selects

    n_selected: int = field(default=0, init=False)

    def meets(self, method: str, path: str) -> bool:
        """Whether this request gets it; counts it."""
        if (self.method and method != self.method) or self.match not in path:
            return False
        self.n_selected += 1
        if self.n_selected % self.every:
            return False
        return self.times is None or self.n_selected // self.every <= self.times


class FaultyS3:
    """A running proxy."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.endpoint = ""
        self.faults: list[Fault] = []
        self.over = asyncio.Event()  # set when the proxy ends
        self.requests: list[tuple[str, str]] = []  # method and path of every one

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Forward a request, but for the first fault that it meets."""
        body, path = await request.read(), request.raw_path
        self.requests.append((request.method, path))
        kind = next((fault.kind for fault in self.faults if fault.meets(request.method, path)), "")
        if kind in ("", "cut", "unconditional") or kind.startswith("done_"):
            dropped = ("Expect", *(_CONDITIONS if kind == "unconditional" else ()))
            headers = {
                name: value for name, value in request.headers.items() if name not in dropped
            }
            async with (
                ClientSession(auto_decompress=False) as session,
                session.request(
                    request.method,
                    URL(self.upstream + path, encoded=True),
                    data=body,
                    headers=headers,
                ) as reply,
            ):
                content = await reply.read()
        if kind.endswith("hang"):
            await self.over.wait()
        if kind.endswith("reset"):
            assert request.transport is not None
            request.transport.close()
        status_and_code = _ERRORS.get(kind.removeprefix("done_"))
        if status_and_code is not None:
            status, code = status_and_code
            text = f"<Error><Code>{code}</Code><Message>on purpose</Message></Error>"
            return web.Response(status=status, text=text, content_type="application/xml")
        if kind.endswith("reset"):
            return web.Response()
        answer = web.StreamResponse(status=reply.status, headers=reply.headers)
        if "Content-Length" not in reply.headers:
            answer.content_length = len(content)
        await answer.prepare(request)
        if kind == "cut":
            await answer.write(content[: len(content) // 2])
            assert request.transport is not None
            request.transport.close()
        elif request.method != "HEAD":
            await answer.write(content)
        return answer


@contextmanager
def faulty_s3(upstream: str) -> Iterator[FaultyS3]:
    """A proxy that runs while the block does."""
    proxy, ready, loop = FaultyS3(upstream), Future[str](), asyncio.new_event_loop()

    async def serve() -> None:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", proxy.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ready.set_result(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await proxy.over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    proxy.endpoint = ready.result(timeout=30)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(proxy.over.set)
        thread.join(timeout=30)
        loop.close()
