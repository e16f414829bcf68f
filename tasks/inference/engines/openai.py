"""The engine `openai`: any OpenAI-compatible server, over async HTTP."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.engines.event_stream import EventStream, begins_stream
from tasks.inference.engines.failures import Hopeless, Lost, Passing, Refused, scrubbed
from tasks.inference.engines.openai_protocol import (
    body_of,
    cut_reply,
    most_bytes,
    read_completion,
    too_long,
)
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, UnreachableModel, check_reachable, price_of

_ALIVE_TIMEOUT_S = 5.0
_CONNECT_TIMEOUT_S = 10.0
# Drop an idle connection before the server does: uvicorn, which vLLM runs on, waits for 5 s.
_KEEP_S = 4.0
_MOST_METRICS_BYTES = 2**23
_ENDING_S = 1.0  # how long a connection may take to end a reply that is over
# A label of a vLLM server's metric `cache_config_info`, each with a count of tokens or blocks.
_CACHE_LABEL = re.compile(r'(kv_cache_size_tokens|num_gpu_blocks|block_size)="(\d+)"')
# What some servers refuse of a request.
_OTHER_NAME = "max_completion_tokens"  # what they want in place of max_tokens
_STREAM = re.compile(r"\bstream", re.IGNORECASE)  # no word of a gateway's "upstream"


class OpenAI(EngineOfRow):
    """A model behind one OpenAI-compatible address."""

    def __init__(self, row: Model) -> None:
        super().__init__(row)
        self.refused: set[str] = set()  # parameters, in any answer of this engine so far

    async def answer(self, work: Work) -> None:
        """Send every call to the server; see `dispatch`."""
        check_reachable(self.row)
        assert self.row.base_url is not None
        if not await work.has_calls():
            return
        async with open_session(self.row) as session:
            replica = HttpReplica(self.row.base_url, self.row, session, self.refused)
            room = await replica.cache_tokens() if self.row.primes else None
            await dispatch(work, [replica], Limits.of(self.row, room), self.row)


class HttpReplica:
    """One server, as a `Replica` for the dispatcher; its address ends in /v1."""

    def __init__(
        self,
        url: str,
        model: Model,
        session: aiohttp.ClientSession,
        refused: set[str] | None = None,
    ) -> None:
        self.name = url
        self.row = model
        self.session = session
        self.key = key_of(model)
        self.refused = set() if refused is None else refused

    async def send(self, call: Call, heard: Callable[[], None] = lambda: None) -> Response:
        """Send a call once, as a stream; see `read_completion` for its failures.

        A server that refuses a parameter is sent it again without, and all later calls. One that is
        paid by tokens and whose streams do not count them is not asked for streams again.
        """
        without = frozenset(self.refused)
        while True:
            try:
                response = await self._send(call, without, heard)
                break
            except Refused as refused:
                more = _parameters_in(refused) - without
                if not more:
                    raise
                without |= more
        if self.row.counts_tokens and response.n_output is None and price_of(self.row) is not None:
            without |= {"stream"}
        self.refused |= without
        return response

    async def _send(
        self, call: Call, without: frozenset[str], heard: Callable[[], None]
    ) -> Response:
        body = body_of(
            *(call, self.row),
            is_renamed="max_tokens" in without,
            is_streamed="stream" not in without,
        )
        try:
            async with self.session.post(
                f"{self.name}/chat/completions",
                data=body,
                headers={"Content-Type": "application/json"},
                allow_redirects=False,  # the key is for this address
            ) as reply:
                longer = too_long(call, self.row)
                reply_body = await read_body(reply, most_bytes(call, self.row), longer, heard)
                return read_completion(
                    call, self.row, reply.status, reply.headers, reply_body, self.key
                )
        except aiohttp.ClientConnectorCertificateError as error:
            raise Hopeless(
                f"{self.row.name}: {_plainly(error)}. Name the file of its authority's certificate "
                "in the environment variable SSL_CERT_FILE, or correct the address"
            ) from error
        except aiohttp.ClientPayloadError as error:
            raise cut_reply() from error
        except (aiohttp.ClientConnectionError, ConnectionError) as error:
            was_sent = not isinstance(
                error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError
            )
            raise Lost(
                "connection", scrubbed(_plainly(error), self.key), was_sent=was_sent
            ) from error
        except aiohttp.ClientError as error:  # a proxy's address may hold a password
            status = getattr(error, "status", "")
            raise Passing("connection", f"{type(error).__name__} {status}".strip()) from None

    async def cache_tokens(self) -> int | None:
        """Return how many tokens its prefix cache holds, or None if it does not say."""
        root = self.name.rstrip("/").removesuffix("/v1")
        status, body = await self._get(f"{root}/metrics")
        return cache_tokens(body.decode(errors="replace")) if status == 200 else None

    async def is_alive(self) -> bool:
        """Return whether the server answers at all."""
        status, _ = await self._get(f"{self.name}/models")
        return status < 500

    async def _get(self, address: str) -> tuple[int, bytes]:
        """Return the status and the body at an address; 599 if there is no answer."""
        timeout = aiohttp.ClientTimeout(total=_ALIVE_TIMEOUT_S)
        try:
            async with self.session.get(address, timeout=timeout, allow_redirects=False) as reply:
                return reply.status, await read_body(reply, _MOST_METRICS_BYTES)
        except (aiohttp.ClientError, TimeoutError, OSError, Passing):
            return 599, b""


def _parameters_in(refused: Refused) -> frozenset[str]:
    """Return what a server refuses of a request, as far as it can be left out."""
    if refused.error_type != "bad_request":
        return frozenset()
    is_named = {
        "max_tokens": _OTHER_NAME in refused.detail,
        "stream": _STREAM.search(refused.detail) is not None,
    }
    return frozenset(name for name, is_so in is_named.items() if is_so)


async def read_body(
    reply: aiohttp.ClientResponse,
    most: int,
    longer: Passing | None = None,
    heard: Callable[[], None] = lambda: None,
) -> bytes:
    """Return at most this many bytes of a reply's body; of a stream, its completion.

    Args:
        heard: called whenever tokens of a stream have come.

    Raises:
        Passing: `longer`, if it is longer.
        Lost: a stream was cut.
    """
    pieces = aiter(reply.content.iter_any())
    first = await anext(pieces, b"")
    if reply.status == 200 and longer is not None and begins_stream(first):
        stream = await _followed(first, pieces, most, longer, heard)
        return stream.completion()
    body = bytearray(first[: most + 1])
    while len(body) <= most and (piece := await anext(pieces, b"")):
        body += piece[: most + 1 - len(body)]
    if reply.status == 200 and len(body) > most and longer is not None:
        raise longer
    return bytes(body[:most])


async def _followed(
    first: bytes,
    pieces: AsyncIterator[bytes],
    most: int,
    longer: Passing,
    heard: Callable[[], None],
) -> EventStream:
    """Read a stream to its end, for which we do not wait long once it is over."""
    stream = EventStream()
    piece: bytes | None = first
    try:
        async with asyncio.timeout(None) as ending:
            while piece is not None:
                if stream.feed(piece):
                    heard()
                if stream.size > most:
                    raise longer
                if stream.is_over and ending.when() is None:
                    ending.reschedule(asyncio.get_running_loop().time() + _ENDING_S)
                piece = await anext(pieces, None)
    except (TimeoutError, aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, OSError):
        pass  # the stream knows whether it is whole, however it ended
    return stream


def _plainly(error: Exception) -> str:
    """Say why a connection failed, and at which address."""
    if not isinstance(error, aiohttp.ClientConnectorError):
        return f"{type(error).__name__}: {error}"
    cause = error.os_error
    # a TLS error's number is none of the system's; asyncio repeats the address in its own text
    errno = 0 if isinstance(cause, ssl.SSLError) else cause.errno or 0
    why = os.strerror(errno) if errno > 0 else cause.strerror or cause
    return f"no connection to {error.host}:{error.port}: {why}"


def key_of(model: Model) -> str | None:
    """Return the key in the environment, stripped of whitespace, or None."""
    key = "" if model.key_env is None else os.environ.get(model.key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UnreachableModel(
            f"{model.name}: the environment variable {model.key_env} does not hold a valid key: it "
            "has characters that HTTP headers cannot carry"
        )
    return key or None


@asynccontextmanager
async def open_session(model: Model) -> AsyncIterator[aiohttp.ClientSession]:
    """Open reusable connections to a model's servers; the dispatcher sets time-outs."""
    key = key_of(model)
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_S),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
        headers={"Accept-Encoding": "identity"}  # what unpacks to gigabytes is not asked for
        | ({} if key is None else {"Authorization": f"Bearer {key}"}),
        auto_decompress=False,
        proxy=None if model.base_url is None else proxy_for(model.base_url),
    ) as session:
        yield session


def proxy_for(url: str) -> str | None:
    """Return an address's proxy; None if it is local or in no_proxy."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def cache_tokens(metrics: str) -> int | None:
    """Read a vLLM server's cache size in tokens from its `/metrics`; None if it is not there."""
    lines = (line for line in metrics.splitlines() if line.startswith("vllm:cache_config_info{"))
    labels = next(lines, "")
    if 'enable_prefix_caching="False"' in labels:
        return None
    sizes = {name: int(digits) for name, digits in _CACHE_LABEL.findall(labels)}
    # vLLM's own count where it has one: layers of different kinds share blocks
    n_tokens = sizes.get("num_gpu_blocks", 0) * sizes.get("block_size", 0)
    return sizes.get("kv_cache_size_tokens") or n_tokens or None
