"""Choose filings from EDGAR, download them, and keep them in the lake.

We never ask for what the lake already has: a killed download resumes, and a release that has made
its choice needs no network. The SEC counts requests per address, so one run at a time downloads:
one per user and machine, and one of all machines that share a lake.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import orjson

from tasks.core.errors import WrongSettings
from tasks.core.progress import Progress, announce, tell
from tasks.filings.edgar.download import Edgar, EdgarFailed, NotThere, main_document, open_edgar
from tasks.filings.edgar.index import (
    BrokenLine,
    IndexLine,
    NotAnIndex,
    candidates,
    in_order,
    quarter_before,
    read_index,
)
from tasks.filings.edgar.manifest import (
    Choice,
    ChosenFiling,
    is_sound,
    keep_choice,
    keep_hash,
    keep_raw,
    kept_choice,
    kept_hash,
    raw,
)
from tasks.filings.edgar.query import EdgarAccess, EdgarQuery
from tasks.filings.reader.files import Rejected, decode, unpack
from tasks.lake.lake import Identity, Lake
from tasks.lake.lease import Lease
from tasks.lake.objects import Objects

Thing = TypeVar("Thing")
Result = TypeVar("Result")

_CONCURRENCY = 8  # requests in flight: more would only wait for the rate limit


class TooFewFilings(WrongSettings):
    """EDGAR has fewer filings of a kind than were asked for."""


class NoFilings(TooFewFilings):
    """EDGAR has none of the filings that were asked for."""


def acquire(
    lake: Lake,
    release: str,
    query: EdgarQuery,
    access: EdgarAccess,
    lease: Lease,
    *,
    earlier: Identity,
    left_out: Mapping[str, str],
    choose_anew: bool = False,
) -> Choice:
    """Choose the filings of a release and download those that the lake lacks.

    An empty choice, where earlier releases have everything, is not kept: there may be more later.

    Args:
        lease: waited for before any request, if machines share the lake.
        earlier: releases whose filings are left out, as in the release's identity.
        left_out: accession number -> earlier release that has the filing; samples and limits
            count the others.
        choose_anew: choose from EDGAR's present indexes, even if the release has a choice.

    Raises:
        WrongSettings: a download is needed, and `access` has no usable contact.
        TooFewFilings: there are fewer filings than the sample needs.
        EdgarFailed: EDGAR does not serve; what was downloaded is kept.
    """
    choice = None if choose_anew else kept_choice(lake.objects, release, query, earlier)
    if choice is not None and choice.is_complete and _all_sound(lake.objects, choice):
        return choice
    contact = access.checked_contact()

    async def download() -> Choice:
        await lease.take()
        # read again: the run that held the lease before may have had the same query
        choice = None if choose_anew else kept_choice(lake.objects, release, query, earlier)
        async with open_edgar(access.url, contact, lease) as edgar:
            acquisition = _Acquisition(lake.objects, query, edgar)
            if choice is None:
                choice = await acquisition.choose(left_out)
                if not choice.filings:
                    return choice
                keep_choice(lake.objects, release, query, earlier, choice)
            filings = await _map("download filings", choice.filings, acquisition.download)
        choice = replace(choice, filings=tuple(filings))
        keep_choice(lake.objects, release, query, earlier, choice)
        return choice

    with _lock_of_this_machine():
        try:
            return asyncio.run(download())
        finally:
            lease.release()


def _all_sound(objects: Objects, choice: Choice) -> bool:
    with ThreadPoolExecutor(objects.at_once) as pool:
        return all(pool.map(lambda pair: is_sound(objects, pair[1]), choice.downloaded))


@contextmanager
def _lock_of_this_machine() -> Iterator[None]:
    """Hold this user's download lock; the system releases it if the process is killed."""
    from filelock import FileLock, Timeout

    user = os.getuid() if hasattr(os, "getuid") else "all"
    lock = FileLock(Path(tempfile.gettempdir(), f"tenkbench-edgar-{user}.lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        tell("another run on this machine is downloading from EDGAR; waiting until it is done")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


class _Acquisition:
    """One run's way from indexes to raw filings."""

    def __init__(self, objects: Objects, query: EdgarQuery, edgar: Edgar) -> None:
        self.objects = objects
        self.query = query
        self.edgar = edgar
        self.broken: list[tuple[str, BrokenLine]] = []
        self.filers: set[str] = set()  # who filed a form asked for

    async def choose(self, left_out: Mapping[str, str]) -> Choice:
        """Choose filings from EDGAR's present indexes, without those of earlier releases."""
        query = self.query
        cik_of = await self._ciks()
        hashes = await _map("read indexes", query.quarters, self._index)
        indexes = dict(zip(query.quarters, hashes, strict=True))
        matches = candidates(self._lines(indexes), query, frozenset(cik_of.values()))
        if not matches:
            of = f" by {', '.join(query.companies[:5])}" if query.companies else ""
            raise NoFilings(
                f"EDGAR's indexes of {', '.join(indexes)} have no {' or '.join(query.forms)}{of}. "
                "Ask for other quarters, --forms or --companies"
            )
        old = [line for line in matches if line.accession in left_out]
        new = [line for line in matches if line.accession not in left_out]
        if query.sample is not None and 0 < len(new) < query.sample:
            which = f"{len(new):,} new ones" if old else f"{len(new):,}"
            raise TooFewFilings(
                f"--sample asks for {query.sample:,} filings, but there are {which}"
            )
        return Choice(
            asked=query.identity,
            indexes=indexes,
            broken=tuple(self.broken),
            filings=tuple(
                ChosenFiling(line=line) for line in in_order(new[: query.sample])[: query.limit]
            ),
            left_out=tuple((line, left_out[line.accession]) for line in in_order(old)),
            absent=tuple(name for name, cik in cik_of.items() if cik not in self.filers),
        )

    async def _index(self, quarter: str) -> str:
        """Store a quarter's index in the lake; return its hash."""
        path = f"Archives/edgar/full-index/{quarter[:4]}/QTR{quarter[-1]}/master.gz"
        try:
            content = unpack(await self.edgar.fetch(path))
        except NotThere as missing:
            last = quarter_before(datetime.now(UTC).date())
            raise EdgarFailed(
                f"EDGAR has no index of {quarter} ({missing}). A quarter that has not begun has "
                f"none. Name other quarters; the last one that has ended is edgar:{last}"
            ) from missing
        except Rejected as broken:
            raise EdgarFailed(
                f"the index {quarter} cannot be read: {broken}; run the same command again"
            ) from broken
        return await asyncio.to_thread(keep_raw, self.objects, content)

    def _lines(self, indexes: Mapping[str, str]) -> Iterator[IndexLine]:
        """Yield the lines of all indexes, one index at a time: each has tens of megabytes."""
        for quarter, sha256 in indexes.items():
            try:
                for line in read_index(decode(unpack(raw(self.objects, sha256)))):
                    if isinstance(line, BrokenLine):
                        self.broken.append((quarter, line))
                        continue
                    if line.form in self.query.forms:
                        self.filers.add(line.cik)
                    yield line
            except (NotAnIndex, Rejected) as wrong:
                raise EdgarFailed(f"{quarter} is not an EDGAR index: {wrong}") from wrong

    async def _ciks(self) -> dict[str, str]:
        """Return the CIK of every company asked for, by the name in the query."""
        tickers = [name for name in self.query.companies if not name.isdigit()]
        known: dict[str, str] = {}
        if tickers:
            try:
                listed = orjson.loads(await self.edgar.fetch("files/company_tickers.json"))
                known = {row["ticker"].upper(): str(row["cik_str"]) for row in listed.values()}
            except (NotThere, orjson.JSONDecodeError, KeyError, AttributeError) as unreadable:
                raise EdgarFailed(
                    f"the SEC's tickers cannot be read ({unreadable}). Name companies by CIK"
                ) from unreadable
        if unknown := [ticker for ticker in tickers if ticker not in known]:
            raise WrongSettings(
                f"--companies: the SEC's list of tickers has no {', '.join(unknown)}. "
                "Name the company by its CIK"
            )
        return {name: known.get(name, name) for name in self.query.companies}

    async def download(self, filing: ChosenFiling) -> ChosenFiling:
        """Return the filing with its bytes in the lake, or with its fault."""
        accession = filing.line.accession
        if filing.fault is not None:
            return filing
        sha256 = await asyncio.to_thread(kept_hash, self.objects, accession)
        if sha256 is None:
            try:
                data = await self.edgar.fetch(f"Archives/{filing.line.path}", main_document)
            except NotThere as missing:
                return replace(filing, sha256=None, fault=str(missing))
            sha256 = await asyncio.to_thread(keep_raw, self.objects, data)
            await asyncio.to_thread(keep_hash, self.objects, accession, sha256)
        return replace(filing, sha256=sha256)


async def _map(
    what: str, things: Sequence[Thing], function: Callable[[Thing], Awaitable[Result]]
) -> list[Result]:
    """Map a coroutine function over things, some at a time; the first failure ends it all."""
    turns = asyncio.Semaphore(_CONCURRENCY)
    n_done = 0

    async def work(thing: Thing) -> Result:
        nonlocal n_done
        async with turns:
            result = await function(thing)
        n_done += 1
        is_open = n_done < len(things)
        announce(Progress(what=what, done=n_done, total=len(things), is_open=is_open))
        return result

    working = [asyncio.ensure_future(work(thing)) for thing in things]
    try:
        return await asyncio.gather(*working)
    finally:
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
