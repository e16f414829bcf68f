"""Of a submission as it comes in, the header and the main document are kept, whatever the pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.filings.edgar.main_document import Header, MainDocument, industry_of
from tests.servers.edgar_server import real_filings, written_filing

WRITTEN = written_filing(1, sic=3711).submission


def fed(data: bytes, size: int) -> MainDocument:
    document = MainDocument()
    if not any(document.add(data[start : start + size]) for start in range(0, len(data), size)):
        document.close()
    return document


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_it_ends_with_the_annual_report(size: int) -> None:
    document = fed(WRITTEN[:3000] if size == 1 else WRITTEN, size)
    assert document.is_whole
    assert document.data == WRITTEN[: WRITTEN.index(b"</DOCUMENT>") + len(b"</DOCUMENT>")]


def test_exhibits_before_the_annual_report_are_passed_over() -> None:
    cover = b"<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>COVER\n<TEXT>\nDear SEC\n</TEXT>\n</DOCUMENT>\n"
    data = cover + WRITTEN[WRITTEN.index(b"<DOCUMENT>") :]
    document = fed(data, 50)
    assert document.is_whole
    assert document.data.endswith(b"</DOCUMENT>")
    assert b"widgets" in document.data


def test_real_submissions_end_with_their_annual_report(shared: Path) -> None:
    for filing in real_filings(shared):
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
        (b"<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>8-K\n</DOCUMENT>\n</SEC-DOCUMENT>\n", True),  # no annual report
        (b"<html>we are busy, come again</html>", False),
    ],
)
def test_what_was_cut_off_is_told_from_what_is_whole(data: bytes, is_whole: bool) -> None:
    assert fed(data, 64).is_whole is is_whole


def test_the_header_is_enough_to_know_the_industry() -> None:
    header = Header()
    size = next(start for start in range(0, len(WRITTEN), 100) if header.add(WRITTEN[start : start + 100]))
    assert size < 1000
    assert industry_of(bytes(header.data)) == "3711"
    assert industry_of(b"<SEC-HEADER>\nCOMPANY CONFORMED NAME: X\n</SEC-HEADER>\n<DOCUMENT>") is None
