"""Play EDGAR in a thread: full indexes, submissions and tickers, from real or written files.

with playing(filings) as edgar:
    edgar.url                                   # http://127.0.0.1:PORT
    edgar.next("Archives/edgar/data/...", Reply(status=429, headers={"Retry-After": "1"}))
    edgar.requests                              # what was asked, in order

An index has its quarter's filings, in EDGAR's columns. A quarter without filings has no index.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from aiohttp import web

from tasks.pipeline.settings import RunSettings

_TITLES = """Description:           Master Index of EDGAR Dissemination Feed
Last Data Received:    March 31, 2021
Comments:              webmaster@sec.gov
Anonymous FTP:         ftp://ftp.sec.gov/edgar/
Cloud HTTP:            https://www.sec.gov/Archives/




CIK|Company Name|Form Type|Date Filed|Filename
--------------------------------------------------------------------------------
"""

# As sec.gov writes them, shortened.
TOO_MANY = b"""\
<!DOCTYPE html><html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head>
<body><h1>Request Rate Threshold Exceeded</h1><p>To allow for equitable access to all users, SEC \
reserves the right to
limit requests originating from undeclared automated tools.</p></body></html>"""
ACCESS_DENIED = b"""<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One filing that the server has."""

    cik: str
    company: str
    accession: str
    filed: date
    submission: bytes
    form: str = "10-K"

    @property
    def path(self) -> str:
        return f"edgar/data/{self.cik}/{self.accession}.txt"

    @property
    def line(self) -> str:
        return f"{self.cik}|{self.company}|{self.form}|{self.filed}|{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one request for a path gets in place of its file.

    cut_at    so many bytes of the file, then the connection is closed
    stalls_at so many bytes of the file, and then nothing, ever
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut_at: int | None = None
    stalls_at: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came in."""

    path: str
    user_agent: str
    at: float  # monotonic seconds


@dataclass
class EdgarServer:
    """The played EDGAR of a test; `files` may be changed while it runs."""

    files: dict[str, bytes]
    url: str = ""
    requests: list[Asked] = field(default_factory=list)
    _next: dict[str, list[Reply]] = field(default_factory=dict)

    def next(self, path: str, *replies: Reply) -> None:
        """What the next requests for a path get, one each; then comes the file again."""
        self._next.setdefault(path, []).extend(replies)

    def run(self, folder: Path, **settings: Any) -> RunSettings:
        """Settings of a run that downloads from here into a lake in the folder."""
        contact, lake = "Example Corp data@example.com", str(folder / "lake")
        return RunSettings(lake=lake, edgar_url=self.url, contact=contact, **settings)

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.lstrip("/")
        self.requests.append(Asked(path, request.headers.get("User-Agent", ""), time.monotonic()))
        waiting = self._next.get(path)
        reply = waiting.pop(0) if waiting else Reply()
        if reply.status != 200 or reply.body:
            return web.Response(status=reply.status, body=reply.body, headers=reply.headers)
        data = self.files.get(path)
        if data is None:
            return web.Response(status=404, body=b"<html><title>404</title></html>")
        stream = web.StreamResponse(headers={"Content-Length": str(len(data))})
        await stream.prepare(request)
        try:
            await stream.write(data[: reply.cut_at or reply.stalls_at])
        except ConnectionResetError:  # who asked has enough
            return stream
        if reply.stalls_at is not None:
            await asyncio.sleep(3600)
        if reply.cut_at is not None and request.transport is not None:
            request.transport.close()
        return stream


@contextmanager
def playing(filings: Iterable[Played], *, broken: Sequence[str] = ()) -> Iterator[EdgarServer]:
    """EDGAR with these filings, for the time of the block.

    Args:
        broken: lines that stand at the end of every index.
    """
    server = EdgarServer(files=dict(files_of(list(filings), broken)))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    app = web.Application()
    app.router.add_get("/{path:.*}", server.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def start() -> int:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return int(runner.addresses[0][1])

    server.url = f"http://127.0.0.1:{asyncio.run_coroutine_threadsafe(start(), loop).result()}"
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def files_of(filings: Sequence[Played], broken: Sequence[str] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield path and content: submissions, an index per quarter, and the list of tickers."""
    quarters: dict[str, list[str]] = {}
    for filing in filings:
        yield f"Archives/{filing.path}", filing.submission
        name = f"{filing.filed.year}/QTR{(filing.filed.month + 2) // 3}"
        quarters.setdefault(name, []).append(filing.line)
    for name, lines in quarters.items():
        index = _TITLES + "\n".join([*sorted(lines), *broken]) + "\n"
        yield f"Archives/edgar/full-index/{name}/master.gz", gzip.compress(index.encode("latin-1"))
    tickers = {
        str(place): {"cik_str": int(cik), "ticker": f"T{cik}", "title": "A company"}
        for place, cik in enumerate(sorted({filing.cik for filing in filings}))
    }
    yield "files/company_tickers.json", json.dumps(tickers).encode()


def real_filings(shared: Path) -> list[Played]:
    """The full submissions of the shared test data, as EDGAR has them."""
    rows = [
        json.loads(line)
        for line in (shared / "filings" / "manifest.jsonl").read_text().splitlines()
    ]
    return [
        Played(
            cik=row["cik"],
            company=row["company"],
            accession=row["accession"],
            filed=date.fromisoformat(row["filing_date"]),
            submission=_unpacked(shared / "filings" / row["file"]),
            form=row["form_type"],
        )
        for row in rows
        if "full-submission" in row["file"] or row["form_type"] == "10-K405"
    ]


def written_filing(
    number: int, *, filed: date = date(2018, 2, 1), sic: int = 2080, form: str = "10-K"
) -> Played:
    """A small submission of an invented company: main document, then an exhibit and a picture."""
    accession = f"{number:010d}-{filed.year % 100:02d}-{number:06d}"
    prose = " ".join(
        f"The Company sold {number + place} widgets to distributors in most states."
        for place in range(20)
    )
    submission = f"""<SEC-DOCUMENT>{accession}.txt : {filed:%Y%m%d}
<SEC-HEADER>{accession}.hdr.sgml : {filed:%Y%m%d}
ACCESSION NUMBER:\t\t{accession}
CONFORMED SUBMISSION TYPE:\t{form}
CONFORMED PERIOD OF REPORT:\t{filed.year - 1}1231
FILED AS OF DATE:\t\t{filed:%Y%m%d}

FILER:

\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tINVENTED {number} CORP
\t\tCENTRAL INDEX KEY:\t\t\t{number:010d}
\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tTHINGS [{sic:04d}]
</SEC-HEADER>
<DOCUMENT>
<TYPE>{form}
<SEQUENCE>1
<TEXT>
FORM {form}

Item 1. Business

{prose}

Item 7. Management's Discussion and Analysis

{prose}
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>EX-27
<TEXT>
{"exhibit " * 20}
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>GRAPHIC
<TEXT>
{"picture " * 200_000}
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
"""
    return Played(
        cik=str(number),
        company=f"INVENTED {number} CORP",
        accession=accession,
        filed=filed,
        submission=submission.encode(),
        form=form,
    )


def _unpacked(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data
