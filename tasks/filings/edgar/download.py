"""Send requests to EDGAR as the SEC asks: with a contact, slowly, and stopping if it says stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import NoReturn
from urllib.request import getproxies

import aiohttp
from yarl import URL

from tasks.core.errors import RunFailed
from tasks.core.progress import tell
from tasks.filings.reader.files import LIMIT_BYTES
from tasks.filings.reader.submission import is_annual, is_copy, type_of
from tasks.lake.lease import Lease
from tasks.models.addresses import shown

# The SEC allows ten requests a second per address. We send eight, as they may bunch on the way.
_SECONDS_BETWEEN = 0.125
_CONNECTIONS = 8
_ATTEMPTS = 7
_FIRST_BACKOFF_S = 1.0  # doubles with each attempt: a minute in all
_TOLD_BACKOFF_S = 5.0  # longer waits are shown
_LONGEST_RETRY_AFTER_S = 300.0  # if the server asks for more, the run fails
_UNSURE_S = 0.5  # how often we check whether the lease is ours again
_CONNECT_TIMEOUT_S = 15.0
_SILENCE_TIMEOUT_S = 60.0
_TOTAL_TIMEOUT_S = 900.0
_PIECE = 1 << 16
_EXCERPT = 4000
_CLOSE = b"</DOCUMENT>"
_BEGINNINGS, _ENDS = (
    tuple(f"<{slash}{system}-DOCUMENT>".encode() for system in ("SEC", "IMS"))
    for slash in ("", "/")
)
_EDGE = 2000  # bytes at either end of a submission that have its marks


class EdgarFailed(RunFailed):
    """EDGAR does not serve; the message says what to do. Earlier downloads are kept."""


class NotThere(Exception):
    """EDGAR has no such file, or we cannot take it; the message says why."""


class Transient(Exception):
    """A failed attempt that is worth a retry."""

    def __init__(self, what: str, retry_after_s: float | None = None) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s


Reader = Callable[[AsyncIterator[bytes]], Awaitable[bytes]]  # takes what it wants of a file


async def whole_file(pieces: AsyncIterator[bytes]) -> bytes:
    """Read a whole file."""
    return b"".join([piece async for piece in pieces])


async def main_document(pieces: AsyncIterator[bytes]) -> bytes:
    """Read a submission up to the end of its annual report, without its exhibits.

    Return all of it if it has no annual report.

    Raises:
        Transient: the end is missing, or this is not a submission.
    """
    data = bytearray()
    start = place = 0  # of the document that is read; its end is not before the place
    async for piece in pieces:
        data += piece
        while (end := data.find(_CLOSE, place)) >= 0:
            end += len(_CLOSE)
            document = data[start:end].decode("latin-1")
            if is_annual(type_of(document)) and not is_copy(document):
                return bytes(data[:end])
            start = place = end
        place = max(start, len(data) - len(_CLOSE))
    head, tail = data[:_EDGE], data[-_EDGE:]
    if any(mark in head for mark in _BEGINNINGS) and any(mark in tail for mark in _ENDS):
        return bytes(data)
    raise Transient(f"only {len(data):,} bytes came, without the end")


class Edgar:
    """EDGAR, or a mirror of it.

    Args:
        url: base URL.
        session: connections, from `open_edgar`.
        lease: the lease on EDGAR, already taken.
    """

    def __init__(self, url: str, session: aiohttp.ClientSession, lease: Lease) -> None:
        self.url = URL(url.rstrip("/"))
        self.session = session
        self.lease = lease
        # no request before: the run before may have sent one just now
        self._next = monotonic() + _SECONDS_BETWEEN
        self._refusal: str | None = None

    async def fetch(self, path: str, read: Reader = whole_file) -> bytes:
        """Download what `read` takes of a file; retry transient failures with backoff.

        Raises:
            NotThere: EDGAR has no such file, or it is too large.
            EdgarFailed: EDGAR blocks this address, or every attempt failed.
            LeaseLost: another machine may be sending requests by now.
        """
        url = self.url / path
        failure = Transient("never asked")
        for attempt in range(_ATTEMPTS):
            if attempt:
                wait_s = failure.retry_after_s
                if wait_s is None:
                    wait_s = _FIRST_BACKOFF_S * 2 ** (attempt - 1)
                else:
                    self._next = max(self._next, monotonic() + wait_s)
                if wait_s >= _TOLD_BACKOFF_S:
                    tell(f"{path}: {failure}; asking again in {wait_s:,.0f} s")
                await asyncio.sleep(wait_s)
            try:
                return await self._attempt(url, read)
            except Transient as transient:
                failure = transient
                if (failure.retry_after_s or 0.0) > _LONGEST_RETRY_AFTER_S:
                    break
            except TimeoutError:
                failure = Transient("it took too long")
            except aiohttp.ClientResponseError as error:
                # a proxy's; its address may hold a password
                failure = Transient(f"a proxy answers HTTP {error.status}")
            except (aiohttp.ClientError, OSError) as error:
                failure = Transient(shown(f"{type(error).__name__}: {error}"))
        delay_s = failure.retry_after_s
        wait = "" if delay_s is None else f"; it asks to wait for {delay_s:,.0f} s"
        raise EdgarFailed(
            f"{url} could not be read: {failure}{wait}. "
            "Earlier downloads are kept: run the same command again to go on"
        )

    async def _attempt(self, url: URL, read: Reader) -> bytes:
        while (now := monotonic()) < self._next:
            await asyncio.sleep(self._next - now)
        self._next = now + _SECONDS_BETWEEN
        while not self.lease.may_send():
            await asyncio.sleep(_UNSURE_S)
        if self._refusal is not None:
            raise EdgarFailed(self._refusal)
        async with self.session.get(url, allow_redirects=False) as reply:
            if reply.status != 200:
                await self._fail(reply)
            try:
                return await read(_pieces(reply))
            finally:
                reply.close()  # we do not want the rest

    async def _fail(self, reply: aiohttp.ClientResponse) -> NoReturn:
        """Raise the error that a reply without a file stands for."""
        text = (await reply.content.read(_EXCERPT)).decode("utf-8", "replace")
        # EDGAR's archives answer AccessDenied, in XML, for files that they do not have
        is_denied = reply.status == 403 and "<Code>AccessDenied</Code>" in text
        if reply.status in (404, 410) or is_denied:
            raise NotThere(f"HTTP {reply.status}")
        if "Location" in reply.headers:
            raise NotThere(f"it has moved to {reply.headers['Location'][:200]!r}")
        if reply.status in (401, 403):
            self._refusal = _refusal(self.url, reply.status, text)
            raise EdgarFailed(self._refusal)
        if reply.status in (408, 425, 429) or reply.status >= 500:
            raise Transient(f"HTTP {reply.status}", _retry_after(reply.headers))
        raise EdgarFailed(
            f"{reply.url} answers HTTP {reply.status}, which EDGAR never does. "
            f"Is --edgar-url {self.url} right?"
        )


@asynccontextmanager
async def open_edgar(url: str, contact: str, lease: Lease) -> AsyncIterator[Edgar]:
    """Open connections to EDGAR; every request carries the contact as its user agent.

    Raises:
        EdgarFailed: the environment names a proxy whose address is malformed.
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
        yield Edgar(url, session, lease)


async def _pieces(reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    n_bytes = 0
    async for piece in reply.content.iter_chunked(_PIECE):
        n_bytes += len(piece)
        if n_bytes > LIMIT_BYTES:
            raise NotThere(f"it has more than {LIMIT_BYTES:,} bytes")
        yield piece


def _check_proxies() -> None:
    for scheme in ("http", "https", "ws", "wss"):  # aiohttp reads all four, and shows a wrong one
        try:
            URL(getproxies().get(scheme, ""))
        except ValueError:
            raise EdgarFailed(
                f"{scheme}_proxy in the environment is not an address. Write http://host:port, or "
                "http://user:password@host:port with %2F for a / in the password, and so on"
            ) from None


def _refusal(url: URL, status: int, text: str) -> str:
    if "Originates from an Undeclared Automated Tool" in text:
        why = "does not accept --contact as a company's name and e-mail address. Give your own"
    else:
        why = (
            f"blocks this address (HTTP {status}): other programs here may have sent it too many "
            "requests, or it does not accept the contact"
        )
    return (
        f"{url.host} {why}. We stopped at once. Send no request from here for ten minutes, which "
        "is how long the SEC blocks an address. Then run the same command again: earlier "
        "downloads are kept"
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, or None."""
    value = headers.get("Retry-After", "").strip()
    return float(value) if value.isdigit() else None
