"""From what a run asks of EDGAR to raw filings in the lake.

What is in the lake already is not asked for again: a download that was killed goes on, and a release that has made its
choice needs no network. The SEC counts the requests of an address, so one run at a time downloads: of one user's on one
machine, whatever their lakes, and of all machines that share a lake.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import orjson

from tasks.core.progress import Progress, announce, tell
from tasks.core.settings import RunSettings, WrongSettings
from tasks.filings.edgar.download import CutOff, Edgar, EdgarFailed, Everything, NotThere, open_edgar
from tasks.filings.edgar.index import BrokenLine, IndexLine, NotAnIndex, quarter_before, read_index
from tasks.filings.edgar.main_document import Header, MainDocument, industry_of
from tasks.filings.edgar.manifest import (
    Choice,
    ChosenFiling,
    Known,
    is_sound,
    keep_choice,
    keep_known,
    keep_raw,
    kept_choice,
    known_of,
    raw,
)
from tasks.filings.edgar.query import Asked, check_access, read_asked
from tasks.filings.edgar.sectors import Seats
from tasks.filings.edgar.selection import candidates, in_order
from tasks.filings.reader.files import Rejected, decode, unpack
from tasks.lake.lake import Identity, Lake
from tasks.lake.lease import Lease
from tasks.lake.objects import Objects

Thing = TypeVar("Thing")
Result = TypeVar("Result")

_TOGETHER = 8  # requests under way at once: more would only wait for their turns


class TooFewFilings(WrongSettings):
    """EDGAR has fewer filings of a kind than were asked for."""


class NoFilings(TooFewFilings):
    """EDGAR has none of what was asked for."""


def acquire(
    lake: Lake, run: RunSettings, lease: Lease, earlier: Identity, left_out: Mapping[str, str]
) -> Choice:
    """The filings that a run asks for: chosen, downloaded, and kept in the lake.

    With `force` they are chosen anew from EDGAR's present indexes. A choice of none, where earlier releases have all of
    them, is not kept: there may be more another time.

    Args:
        lease: the lake's lease on EDGAR, held for the whole download.
        earlier: the releases whose filings are left out, as they stand in the release's identity; the choice is theirs.
        left_out: accession number -> the earlier release that has the filing; samples and limits are of the others.

    Raises:
        WrongSettings: the options make no sense, or there is something to download and no contact.
        TooFewFilings: there are fewer filings than the sample has seats.
        EdgarFailed: EDGAR does not serve; what was downloaded is kept.
    """
    asked = read_asked(run)
    choice = None if run.force else kept_choice(lake.objects, run.release, asked, earlier)
    if choice is not None and choice.is_complete and _is_all_there(lake.objects, choice):
        return choice
    contact = check_access(run)
    with _lock_of_this_machine():
        try:
            return asyncio.run(_acquire(lake, run, asked, contact, lease, earlier, left_out))
        finally:
            lease.release()


def _is_all_there(objects: Objects, choice: Choice) -> bool:
    with ThreadPoolExecutor(objects.at_once) as pool:
        return all(pool.map(lambda kept: is_sound(objects, kept[1]), choice.there))


@contextmanager
def _lock_of_this_machine() -> Iterator[None]:
    """Wait until no other run of this user here downloads; the system releases the lock of a process that is killed."""
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


async def _acquire(
    lake: Lake,
    run: RunSettings,
    asked: Asked,
    contact: str,
    lease: Lease,
    earlier: Identity,
    left_out: Mapping[str, str],
) -> Choice:
    await lease.take()
    # read again: the run that held the lease before may have asked the same
    choice = None if run.force else kept_choice(lake.objects, run.release, asked, earlier)
    async with open_edgar(run.edgar_url, contact, lease) as edgar:
        acquiring = _Acquiring(lake, asked, edgar)
        if choice is None:
            choice = await acquiring.choose(left_out)
            if not choice.filings:
                return choice
            keep_choice(lake.objects, run.release, asked, earlier, choice)
        filings = await _each("download filings", choice.filings, acquiring.fill)
    choice = replace(choice, filings=tuple(filings))
    keep_choice(lake.objects, run.release, asked, earlier, choice)
    if acquiring.cut_off:
        raise EdgarFailed(_cut_off(acquiring.cut_off))
    return choice


def _cut_off(paths: Sequence[str]) -> str:
    shown = "".join(f"\n  {path}" for path in sorted(paths)[:10])
    more = f"\n  and {len(paths) - 10:,} more" if len(paths) > 10 else ""
    return (
        f"{len(paths):,} filings did not come whole, however often they were asked for:{shown}{more}\nAll others are "
        "kept: run the same command again, which asks for these alone. One that never comes whole can be left out: put the "
        "other lines of the index into a file, and name it with --filings edgar:FILE"
    )


class _Acquiring:
    """One run's way from indexes to raw filings."""

    def __init__(self, lake: Lake, asked: Asked, edgar: Edgar) -> None:
        self.objects = lake.objects
        self.asked = asked
        self.edgar = edgar
        self.broken: list[tuple[str, BrokenLine]] = []
        self.missing: list[ChosenFiling] = []
        self.cut_off: list[str] = []
        self.filers: set[str] = set()

    # --- choosing

    async def choose(self, left_out: Mapping[str, str]) -> Choice:
        """The filings that are asked for, by EDGAR's present indexes, without those of earlier releases."""
        cik_of = await self._ciks()
        names = (*self.asked.quarters, *self.asked.files)
        indexes = dict(zip(names, await _each("read indexes", names, self._index), strict=True))
        lines = self._noting_filers(self._lines(indexes))
        found = candidates(lines, self.asked, frozenset(cik_of.values()))
        if not found:
            of = f" by {', '.join(self.asked.companies[:5])}" if self.asked.companies else ""
            raise NoFilings(
                f"EDGAR's indexes of {', '.join(indexes)} have no {' or '.join(self.asked.forms)}{of}; ask for other "
                "quarters, --forms or --companies"
            )
        new = [line for line in found if line.accession not in left_out]
        chosen = in_order(await self._sampled(new, len(found) - len(new)))[: self.asked.limit] if new else []
        return Choice(
            asked=self.asked.identity,
            indexes=indexes,
            broken=tuple(self.broken),
            filings=(
                *sorted(self.missing, key=lambda filing: filing.line.accession),
                *(ChosenFiling(line=line) for line in chosen),
            ),
            left_out=tuple(
                (line, left_out[line.accession]) for line in in_order(found) if line.accession in left_out
            ),
            absent=tuple(name for name, cik in cik_of.items() if cik not in self.filers),
        )

    async def _index(self, name: str) -> str:
        """The hash of an index, which is kept."""
        try:
            if name in self.asked.files:
                content = unpack(Path(name).read_bytes())
            else:
                path = f"Archives/edgar/full-index/{name[:4]}/QTR{name[-1]}/master.gz"
                content = unpack(bytes((await self.edgar.fetch(path, Everything)).data))
        except NotThere as missing:
            last = quarter_before(datetime.now(UTC).date())
            raise EdgarFailed(
                f"EDGAR has no index of {name} ({missing}): a quarter that has not begun has none. Name the quarters that "
                f"you want; the last one that is over is edgar:{last}"
            ) from missing
        except OSError as unreadable:
            raise WrongSettings(
                f"--filings edgar:{name}: cannot be read ({unreadable.strerror})"
            ) from unreadable
        except Rejected as broken:
            raise EdgarFailed(
                f"the index {name} cannot be read: {broken}; run the same command again"
            ) from broken
        return await asyncio.to_thread(keep_raw, self.objects, content)

    def _lines(self, indexes: Mapping[str, str]) -> Iterator[IndexLine]:
        """The lines of all indexes; broken ones are set aside. One index at a time: it has tens of megabytes.

        Of indexes with the same content the last one is read.
        """
        for sha256, name in {sha256: name for name, sha256 in indexes.items()}.items():
            try:
                for line in read_index(decode(unpack(raw(self.objects, sha256)))):
                    if isinstance(line, BrokenLine):
                        self.broken.append((name, line))
                    else:
                        yield line
            except (NotAnIndex, Rejected) as wrong:
                raise EdgarFailed(f"{name} is not an index of EDGAR's: {wrong}") from wrong

    def _noting_filers(self, lines: Iterable[IndexLine]) -> Iterator[IndexLine]:
        """The lines, while it is noted who filed a form that is asked for; of several filers one is taken later."""
        for line in lines:
            if line.form in self.asked.forms:
                self.filers.add(line.cik)
            yield line

    async def _ciks(self) -> dict[str, str]:
        """Company that is asked for -> its number."""
        tickers = [name for name in self.asked.companies if not name.isdigit()]
        known: dict[str, str] = {}
        if tickers:
            try:
                listed = await self.edgar.fetch("files/company_tickers.json", Everything)
                known = {
                    row["ticker"].upper(): str(row["cik_str"]) for row in orjson.loads(listed.data).values()
                }
            except (NotThere, orjson.JSONDecodeError, KeyError, AttributeError) as unreadable:
                raise EdgarFailed(
                    f"the SEC's list of tickers cannot be read ({unreadable}); name companies by CIK"
                ) from unreadable
        if unknown := [ticker for ticker in tickers if ticker not in known]:
            raise WrongSettings(
                f"--companies: the SEC's list of tickers has no {', '.join(unknown)}; name the company by its CIK"
            )
        return {name: known.get(name, name) for name in self.asked.companies}

    async def _sampled(self, found: Sequence[IndexLine], n_left_out: int) -> Sequence[IndexLine]:
        n = self.asked.sample
        if n is None:
            return found
        if len(found) < n:
            which = f"{len(found):,} new ones" if n_left_out else f"{len(found):,}"
            raise TooFewFilings(f"--sample asks for {n:,} filings, and there are {which}")
        return found[:n] if not self.asked.mix else await self._mixed(found, Seats(self.asked.mix, n))

    async def _mixed(self, found: Sequence[IndexLine], seats: Seats) -> list[IndexLine]:
        """The first filings that find seats. The index names no industry: headers are read until all seats are taken."""
        chosen: list[IndexLine] = []
        place = 0
        while seats.n_left and place < len(found):
            some = found[place : place + max(_TOGETHER, 2 * seats.n_left)]
            place += len(some)
            industries = await _each("read industries", some, self._industry)
            chosen += [line for line, sic in zip(some, industries, strict=True) if seats.take(sic)]
        if seats.n_left:
            short = ", ".join(f"{left:,} of {sector}" for sector, left in seats.left.items() if left)
            raise TooFewFilings(
                f"--sectors: of {len(found):,} filings too few are of some sectors: {short} more were asked for; ask for "
                "smaller shares, a smaller --sample or more quarters"
            )
        return chosen

    async def _industry(self, line: IndexLine) -> str | None:
        known = await asyncio.to_thread(known_of, self.objects, line.accession)
        if known is None:
            try:
                header = await self.edgar.fetch(f"Archives/{line.path}", Header)
            except NotThere as missing:
                self.missing.append(ChosenFiling(line=line, fault=str(missing)))
                return None
            known = Known(sic=industry_of(bytes(header.data)))
            await asyncio.to_thread(keep_known, self.objects, line.accession, known)
        return known.sic

    # --- downloading

    async def fill(self, filing: ChosenFiling) -> ChosenFiling:
        """A chosen filing with its bytes in the lake, or with its fault; as it was where it did not come whole."""
        if filing.fault is not None:
            return filing
        kept = await asyncio.to_thread(self._kept, filing)
        if kept is not None:
            return kept
        try:
            document = await self.edgar.fetch(f"Archives/{filing.line.path}", MainDocument)
        except NotThere as missing:
            return replace(filing, sha256=None, n_bytes=None, fault=str(missing))
        except CutOff:  # the others can be had meanwhile
            self.cut_off.append(filing.line.path)
            return replace(filing, sha256=None, n_bytes=None)
        return await asyncio.to_thread(self._keep, filing, bytes(document.data))

    def _kept(self, filing: ChosenFiling) -> ChosenFiling | None:
        known = known_of(self.objects, filing.line.accession)
        if known is None or known.sha256 is None or not is_sound(self.objects, known.sha256):
            return None
        return replace(filing, sha256=known.sha256, n_bytes=known.n_bytes)

    def _keep(self, filing: ChosenFiling, data: bytes) -> ChosenFiling:
        sha256 = keep_raw(self.objects, data)
        known = Known(sic=industry_of(data), sha256=sha256, n_bytes=len(data))
        keep_known(self.objects, filing.line.accession, known)
        return replace(filing, sha256=sha256, n_bytes=len(data))


async def _each(
    what: str, things: Sequence[Thing], function: Callable[[Thing], Awaitable[Result]]
) -> list[Result]:
    """The function of each thing, some at a time, in order; the first failure ends all of it."""
    results: dict[int, Result] = {}
    places = iter(range(len(things)))

    async def work() -> None:
        for place in places:
            results[place] = await function(things[place])
            done = len(results)
            announce(Progress(what=what, done=done, total=len(things), is_open=done < len(things)))

    workers = [asyncio.ensure_future(work()) for _ in range(min(_TOGETHER, len(things)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[place] for place in range(len(things))]
