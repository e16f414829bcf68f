"""Reading keeps a submission's header and main document, however the bytes are cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tasks.filings.edgar.download import Transient, main_document
from tests.servers.edgar_server import real_filings, written_filing
from tests.some import some

WRITTEN = written_filing(1).submission


def read(data: bytes, size: int) -> bytes:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(data), size):
            yield data[start : start + size]

    return asyncio.run(main_document(pieces()))


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_stops_at_the_end_of_the_annual_report(size: int) -> None:
    document = read(WRITTEN[:3000] if size == 1 else WRITTEN, size)
    assert document == WRITTEN[: WRITTEN.index(b"</DOCUMENT>") + len(b"</DOCUMENT>")]


def test_stops_at_the_annual_report_of_real_submissions(shared: Path) -> None:
    for filing in some(real_filings(shared)):
        start = filing.submission.index(b"<TYPE>10-K")
        end = filing.submission.index(b"</DOCUMENT>", start) + len(b"</DOCUMENT>")
        assert read(filing.submission, 4096) == filing.submission[:end], filing.company


@pytest.mark.parametrize(
    "data", [WRITTEN[:1500], WRITTEN[:200], b"<html>we are busy, come again</html>"]
)
def test_refuses_what_was_cut_off(data: bytes) -> None:
    with pytest.raises(Transient):
        read(data, 64)


def test_reads_a_submission_without_an_annual_report_whole() -> None:
    data = b"<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>8-K\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    assert read(data, 64) == data
