"""A sink keeps a submission's header and main document, however the bytes are cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.filings.edgar.download import MainDocument
from tests.servers.edgar_server import real_filings, written_filing
from tests.some import some

WRITTEN = written_filing(1).submission


def fed(data: bytes, size: int) -> MainDocument:
    document = MainDocument()
    if not any(document.add(data[start : start + size]) for start in range(0, len(data), size)):
        document.close()
    return document


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_stops_at_the_end_of_the_annual_report(size: int) -> None:
    document = fed(WRITTEN[:3000] if size == 1 else WRITTEN, size)
    assert document.is_whole
    assert document.data == WRITTEN[: WRITTEN.index(b"</DOCUMENT>") + len(b"</DOCUMENT>")]


def test_stops_at_the_annual_report_of_real_submissions(shared: Path) -> None:
    for filing in some(real_filings(shared)):
        document = fed(filing.submission, 4096)
        assert document.is_whole, filing.company
        start = filing.submission.index(b"<TYPE>10-K")
        end = filing.submission.index(b"</DOCUMENT>", start) + len(b"</DOCUMENT>")
        assert document.data == filing.submission[:end]


@pytest.mark.parametrize(
    ("data", "is_whole"),
    [
        (WRITTEN[:1500], False),  # in the main document
        (WRITTEN[:200], False),  # in the header
        (
            b"<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>8-K\n</DOCUMENT>\n</SEC-DOCUMENT>\n",
            True,
        ),  # no annual report
        (b"<html>we are busy, come again</html>", False),
    ],
)
def test_tells_cut_off_from_complete(data: bytes, is_whole: bool) -> None:
    assert fed(data, 64).is_whole is is_whole
