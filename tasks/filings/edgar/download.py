"""Requests to EDGAR as the SEC wants them: by name, slowly, and stopping where it says stop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import NoReturn, Protocol, TypeVar
from urllib.request import getproxies

import aiohttp
from yarl import URL

from tasks.core.errors import RunFailed
from tasks.core.progress import tell
from tasks.filings.reader.files import LIMIT_BYTES
from tasks.lake.lease import Lease
from tasks.models.addresses import shown

# The SEC allows ten requests a second from one address. Requests that left so far apart can arrive a little closer.
_SECONDS_BETWEEN = 0.125
_CONNECTIONS = 8
_ATTEMPTS = 7
_FIRST_WAIT_S = 1.0  # before the second attempt; doubles each time: a minute in all
_TOLD_WAIT_S = 5.0  # from which on people are told of a wait
_LONGEST_WAIT_S = 300.0  # for which a server that asks to wait is waited for
_UNSURE_S = 0.5  # how often it is looked whether the lease is sure again
_REDIRECTS = 5
_CONNECT_TIMEOUT_S = 15.0
_SILENCE_TIMEOUT_S = 60.0
_TOTAL_TIMEOUT_S = 900.0
_PIECE = 1 << 16
_EXCERPT = 4000


class EdgarFailed(RunFailed):
    """EDGAR does not serve; the message says what to do. What was downloaded before is kept."""


class CutOff(EdgarFailed):
    """A file did not come whole, however often it was asked for; it may another time."""


class NotThere(Exception):
    """EDGAR has no such file, or none that can be taken; the message says which."""


class _Passing(Exception):
    """An attempt that failed in a way that may not last."""

    def __init__(self, what: str, wait_s: float | None = None, *, is_of_file: bool = False) -> None:
        super().__init__(what)
        self.wait_s = wait_s  # as the server asks
        self.is_of_file = is_of_file  # rather than of the server


class Wanted(Protocol):
    """What is wanted of a file: takes it in pieces, until it has enough."""

    @property
    def data(self) -> bytearray: ...
    @property
    def is_whole(self) -> bool: ...
    def add(self, piece: bytes) -> bool: ...
    def close(self) -> None: ...


Kind = TypeVar("Kind", bound=Wanted)


class Everything:
    """All of a file."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_whole = False

    def add(self, piece: bytes) -> bool:
        """Never enough before the end."""
        self.data += piece
        return False

    def close(self) -> None:
        """No more comes."""
        self.is_whole = True


class Pace:
    """When the next request may leave; the first one keeps its distance to those of the run before."""

    def __init__(self, seconds_between: float) -> None:
        self.seconds_between = seconds_between
        self._next = monotonic() + seconds_between

    async def wait(self) -> None:
        """Wait for a moment of one's own."""
        while (now := monotonic()) < self._next:
            await asyncio.sleep(self._next - now)
        self._next = now + self.seconds_between

    def hold(self, seconds: float) -> None:
        """Let nobody go for so long."""
        self._next = max(self._next, monotonic() + seconds)


class Edgar:
    """EDGAR, or a mirror of it.

    Args:
        url: where it is.
        session: its connections, from `open_edgar`.
        pace: by which all requests go, the repeated and the redirected ones too.
        lease: the right to make requests, taken before.
    """

    def __init__(self, url: str, session: aiohttp.ClientSession, pace: Pace, lease: Lease) -> None:
        self.url = URL(url.rstrip("/"))
        self.session = session
        self.pace = pace
        self.lease = lease
        self._refusal: str | None = None

    async def fetch(self, path: str, kind: Callable[[], Kind]) -> Kind:
        """A file, or as much of it as is wanted; what may pass is tried again.

        Raises:
            NotThere: EDGAR has no such file, or it is too large.
            CutOff: it did not come whole in several attempts.
            EdgarFailed: EDGAR refuses this address, or has not served after several attempts.
            LeaseLost: another machine may be making requests by now.
        """
        failure = _Passing("never asked")
        for attempt in range(_ATTEMPTS):
            if attempt:
                wait_s = failure.wait_s if failure.wait_s is not None else _FIRST_WAIT_S * 2 ** (attempt - 1)
                self.pace.hold(failure.wait_s or 0)
                if wait_s >= _TOLD_WAIT_S:
                    tell(f"{path}: {failure}; asking again in {wait_s:,.0f} s")
                await asyncio.sleep(wait_s)
            try:
                return await self._attempt(self.url / path, kind())
            except _Passing as passing:
                failure = passing
                if failure.wait_s is not None and failure.wait_s > _LONGEST_WAIT_S:
                    break
            except TimeoutError:
                failure = _Passing("it took too long")
            except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionResetError) as cut:
                failure = _Passing(f"the reply was cut off ({cut})", is_of_file=True)
            except aiohttp.ClientResponseError as error:  # of a proxy, whose address may hold a password
                failure = _Passing(f"a proxy answers HTTP {error.status}")
            except (aiohttp.ClientError, OSError) as error:
                failure = _Passing(shown(f"{type(error).__name__}: {error}"))
        if failure.is_of_file:
            raise CutOff(
                f"{self.url / path} did not come whole: {failure}, {_ATTEMPTS} times. What was downloaded so far is kept: "
                "run the same command again to go on"
            )
        asked = "" if failure.wait_s is None else f"; it asks to wait for {failure.wait_s:,.0f} s"
        raise EdgarFailed(
            f"{self.url / path} could not be read: {failure}{asked}. What was downloaded so far is kept: run the same "
            "command again to go on"
        )

    async def _attempt(self, url: URL, wanted: Kind) -> Kind:
        for _ in range(_REDIRECTS + 1):
            await self.pace.wait()
            while not self.lease.may_send():
                await asyncio.sleep(_UNSURE_S)
            if self._refusal is not None:
                raise EdgarFailed(self._refusal)
            async with self.session.get(url, allow_redirects=False) as reply:
                if reply.status == 200:
                    await self._read(reply, wanted)
                    return wanted
                if reply.status not in (301, 302, 303, 307, 308):
                    await self._explain(reply)
                moved = _joined(url, reply.headers.get("Location", ""))
            if moved.origin() not in (self.url.origin(), self.url.with_scheme("https").origin()):
                raise NotThere(f"it has moved to {moved}, which is not on {self.url.origin()}")
            url = moved
        raise NotThere(f"it has moved {_REDIRECTS + 1} times, at last to {url}")

    async def _read(self, reply: aiohttp.ClientResponse, wanted: Kind) -> None:
        async for piece in reply.content.iter_chunked(_PIECE):
            if wanted.add(piece):
                reply.close()  # what else is on its way is not wanted
                return
            if len(wanted.data) > LIMIT_BYTES:
                reply.close()
                raise NotThere(f"it has more than {LIMIT_BYTES:,} bytes")
        wanted.close()
        if not wanted.is_whole:
            raise _Passing(f"{len(wanted.data):,} bytes came, which are not all of it", is_of_file=True)

    async def _explain(self, reply: aiohttp.ClientResponse) -> NoReturn:
        """What a reply without a file means.

        Raises:
            NotThere, EdgarFailed, _Passing: always one of them.
        """
        said = (await reply.content.read(_EXCERPT)).decode("utf-8", "replace")
        # the store behind EDGAR's archives says AccessDenied, in XML, of what it does not have
        if reply.status in (404, 410) or (reply.status == 403 and "<Code>AccessDenied</Code>" in said):
            raise NotThere(f"HTTP {reply.status}")
        if reply.status in (401, 403):
            self._refusal = _refusal(self.url, reply.status, said)
            raise EdgarFailed(self._refusal)
        if reply.status in (408, 425, 429) or reply.status >= 500:
            raise _Passing(f"HTTP {reply.status}", _retry_after(reply.headers))
        raise EdgarFailed(
            f"{reply.url} answers HTTP {reply.status}, which EDGAR does not; is --edgar-url {self.url} right?"
        )


@asynccontextmanager
async def open_edgar(url: str, contact: str, lease: Lease) -> AsyncIterator[Edgar]:
    """EDGAR for the time of the block, under this lease; the contact is the name by which every request goes.

    Raises:
        EdgarFailed: the environment's address of a proxy is none.
    """
    _check_proxies()
    timeout = aiohttp.ClientTimeout(
        total=_TOTAL_TIMEOUT_S, sock_connect=_CONNECT_TIMEOUT_S, sock_read=_SILENCE_TIMEOUT_S
    )
    async with aiohttp.ClientSession(
        headers={"User-Agent": contact, "Accept-Encoding": "gzip, deflate"},
        connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=timeout,
        trust_env=True,
    ) as session:
        yield Edgar(url, session, Pace(_SECONDS_BETWEEN), lease)


def _check_proxies() -> None:
    for scheme in (
        "http",
        "https",
        "ws",
        "wss",
    ):  # of those aiohttp reads all, and shows what is wrong with one
        try:
            URL(getproxies().get(scheme, ""))
        except ValueError:
            raise EdgarFailed(
                f"{scheme}_proxy in the environment is no address; write http://host:port, or http://user:password@host:port "
                "with %2F for a / in the password, and so on"
            ) from None


def _joined(url: URL, location: str) -> URL:
    """Where a redirect leads.

    Raises:
        NotThere: nowhere.
    """
    try:
        return url.join(URL(location))
    except ValueError as wrong:
        raise NotThere(f"it has moved to {location[:200]!r}, which is no address") from wrong


def _refusal(url: URL, status: int, said: str) -> str:
    if "Originates from an Undeclared Automated Tool" in said:
        why = "takes --contact for no company's name and e-mail address; give your own"
    elif "Request Rate Threshold Exceeded" in said:
        why = "has met too many requests from this address: other programs here ask it, too, or the contact is not taken for one"
    else:
        title = re.search(r"<title>(.*?)</title>", said, re.IGNORECASE | re.DOTALL)
        why = (
            f"refuses this address (HTTP {status}: {' '.join((title[1] if title else said[:80]).split())!r})"
        )
    return (
        f"{url.host} {why}. Nothing more was asked. Wait for ten minutes without any request from here, which is how "
        "long the SEC shuts an address out, then run the same command again: what was downloaded so far is kept"
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait; None where it does not, or not readably."""
    value = headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # unreadable, or without a zone
        return None
