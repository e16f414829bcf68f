"""The engine `openai`: any OpenAI-compatible server, over async HTTP."""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson

from tasks.core.progress import teller
from tasks.core.rows import Response
from tasks.inference.engines import EngineOfRow
from tasks.inference.engines.dispatch import Limits, dispatch
from tasks.inference.engines.failures import Hopeless, Lost, Passing, Refused, scrubbed
from tasks.inference.engines.openai_protocol import (
    body_of,
    cut_reply,
    most_bytes,
    read_completion,
    too_long,
)
from tasks.inference.engines.vllm_cache import cache_tokens, open_tokens
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import Model, UnreachableModel, check_reachable

_ALIVE_TIMEOUT_S = 5.0
_CONNECT_TIMEOUT_S = 10.0
# Drop an idle connection before the server does: uvicorn, which vLLM runs on, waits for 5 s.
_KEEP_S = 4.0
_MOST_LISTED_BYTES = 2**20
_MOST_METRICS_BYTES = 2**23
# What some servers want in place of max_tokens, and the addresses and models that have said so.
_OTHER_NAME = "max_completion_tokens"
_RENAMED: set[tuple[str, str]] = set()
_GZIP = 16 + zlib.MAX_WBITS  # as zlib names the format


class OpenAI(EngineOfRow):
    """A model behind one OpenAI-compatible address."""

    room: int | None = None  # tokens in the server's cache; 0: it does not say; None: not asked yet

    async def answer(self, work: Work) -> None:
        """Send every call to the server; see `dispatch`."""
        check_reachable(self.row)
        assert self.row.base_url is not None
        if not await work.has_calls():
            return
        async with open_session(self.row) as session:
            replica = HttpReplica(self.row.base_url, self.row, session)
            if self.row.primes and self.room is None:
                self.room = await replica.cache_tokens() or 0
            limits = Limits.of(
                self.row,
                open_tokens=open_tokens(self.room or None, self.row),
                leads=not self.row.primes,
            )
            await dispatch(work, [replica], limits, self.row)


class HttpReplica:
    """One server, as a `Replica` for the dispatcher; its address ends in /v1."""

    def __init__(self, url: str, model: Model, session: aiohttp.ClientSession) -> None:
        self.name = url
        self.row = model
        self.session = session
        self.key = key_of(model)
        self.note = teller()
        self.offered: list[str] | None = None  # models that it lists, once it knew one not

    async def send(self, call: Call) -> Response:
        """Send a call once; see `read_completion` for its failures.

        A server that wants another name for `max_tokens` is sent it again so, and all later calls.
        """
        endpoint = (self.name, self.row.called)
        is_renamed = endpoint in _RENAMED  # by another call, perhaps, before this one's refusal
        try:
            return await self._send(call, is_renamed=is_renamed)
        except Refused as refused:
            says_so = refused.error_type == "bad_request" and _OTHER_NAME in refused.detail
            if is_renamed or not says_so:
                raise
        _RENAMED.add(endpoint)
        return await self._send(call, is_renamed=True)

    async def _send(self, call: Call, *, is_renamed: bool) -> Response:
        try:
            async with self.session.post(
                f"{self.name}/chat/completions",
                data=body_of(call, self.row, is_renamed=is_renamed),
                headers={"Content-Type": "application/json"},
                allow_redirects=False,  # the key is for this address
            ) as reply:
                longer = too_long(call, self.row)
                body = await read_body(reply, most_bytes(call, self.row), longer)
                if reply.status in (404, 405) and self.offered is None:
                    self.offered = await self._list_models()
                return read_completion(
                    *(call, self.row, reply.status, reply.headers, body, self.key, self.note),
                    offered=self.offered,
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
        except aiohttp.ClientResponseError as error:  # a proxy's, whose address may hold a password
            raise Passing("connection", f"{type(error).__name__}: HTTP {error.status}") from None
        except aiohttp.ClientError as error:
            raise Passing(
                "connection", scrubbed(f"{type(error).__name__}: {error}", self.key)
            ) from error

    async def _list_models(self) -> list[str]:
        """Return the models that the server says it has; empty if it says nothing of it."""
        timeout = aiohttp.ClientTimeout(total=_ALIVE_TIMEOUT_S)
        try:
            async with self.session.get(
                f"{self.name}/models", timeout=timeout, allow_redirects=False
            ) as reply:
                listed = orjson.loads(await read_body(reply, _MOST_LISTED_BYTES))["data"]
                return [str(each["id"]) for each in listed]
        except (aiohttp.ClientError, TimeoutError, OSError, Passing):
            return []
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return []

    async def cache_tokens(self) -> int | None:
        """Return how many tokens its prefix cache holds, or None if it does not say."""
        timeout = aiohttp.ClientTimeout(total=_ALIVE_TIMEOUT_S)
        address = f"{self.name.rstrip('/').removesuffix('/v1')}/metrics"
        try:
            async with self.session.get(address, timeout=timeout, allow_redirects=False) as reply:
                if reply.status != 200:
                    return None
                body = await read_body(reply, _MOST_METRICS_BYTES)
        except (aiohttp.ClientError, TimeoutError, OSError, Passing):
            return None
        return cache_tokens(body.decode(errors="replace"))

    async def is_alive(self) -> bool:
        """Return whether the server answers at all."""
        timeout = aiohttp.ClientTimeout(total=_ALIVE_TIMEOUT_S)
        try:
            async with self.session.get(
                f"{self.name}/models", timeout=timeout, allow_redirects=False
            ) as reply:
                return reply.status < 500
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False


async def read_body(
    reply: aiohttp.ClientResponse, most: int, longer: Passing | None = None
) -> bytes:
    """Return at most this many bytes of a reply's body, unpacked.

    We unpack it, since aiohttp unpacks each chunk whole, to a thousand times its size.

    Raises:
        Passing: the body of an answer cannot be unpacked; or `longer`, if it is longer.
    """
    coding = reply.headers.get("Content-Encoding", "identity").lower()
    is_answer = reply.status == 200
    if is_answer and coding not in ("identity", "gzip"):
        raise Passing("unreadable_reply", f"the reply is compressed as {scrubbed(coding, None)!r}")
    unpack = zlib.decompressobj(_GZIP) if coding == "gzip" else None
    body = bytearray()
    async for chunk in reply.content.iter_any():
        room = most + 1 - len(body)
        try:
            body += chunk[:room] if unpack is None else unpack.decompress(chunk, room)
        except zlib.error as error:
            raise Passing("unreadable_reply", "the reply is a broken gzip") from error
        if len(body) > most or (unpack is not None and unpack.eof):
            break  # bytes behind the end of a gzip are collected without bounds, and are no answer
    if is_answer and len(body) > most and longer is not None:
        raise longer
    if is_answer and unpack is not None and not unpack.eof:
        raise cut_reply("the reply was cut short: its gzip has no end")
    return bytes(body[:most])


def _plainly(error: Exception) -> str:
    """Say why a connection failed, and at which address."""
    if not isinstance(error, aiohttp.ClientConnectorError):
        return f"{type(error).__name__}: {error}"
    cause, errno = error.os_error, error.os_error.errno or 0
    if isinstance(cause, ssl.SSLCertVerificationError):
        why = f"its certificate is not trusted ({cause.verify_message})"
    elif isinstance(cause, ssl.SSLError):  # its errno is no number of the system
        why = f"TLS failed ({(cause.reason or 'no reason').replace('_', ' ').lower()})"
    else:  # asyncio repeats the address in its own text
        why = os.strerror(errno) if errno > 0 else cause.strerror or str(cause)
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
        headers={"Accept-Encoding": "gzip"}
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
