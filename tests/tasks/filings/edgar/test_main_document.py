"""A sink keeps a submission's header and main document, however the bytes are cut."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tasks.filings.edgar.main_document import Header, MainDocument, industry_of
from tests.servers.edgar_server import real_filings, written_filing
from tests.some import some

WRITTEN = written_filing(1, sic=3711).submission


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


def test_passes_over_documents_before_the_annual_report() -> None:
    cover = b"<SEC-DOCUMENT>\n<DOCUMENT>\n<TYPE>COVER\n<TEXT>\nDear SEC\n</TEXT>\n</DOCUMENT>\n"
    data = cover + WRITTEN[WRITTEN.index(b"<DOCUMENT>") :]
    document = fed(data, 50)
    assert document.is_whole
    assert document.data.endswith(b"</DOCUMENT>")
    assert b"widgets" in document.data


def test_stops_at_the_annual_report_of_real_submissions(shared: Path) -> None:
    for filing in some(real_filings(shared)):
        document = fed(filing.submission, 4096)
        assert document.is_whole, filing.company
        start = filing.submission.index(b"<TYPE>10-K")
        end = filing.submission.index(b"</DOCUMENT>", start) + len(b"</DOCUMENT>")
        assert document.data.startswith(filing.submission[:end])
        types = re.findall(rb"<TYPE>(\S+)", document.data)
        has_report = b"<TYPE>EX-13" in filing.submission
        assert [kind.split(b".")[0] for kind in types[1:]] == [b"EX-13"] * has_report


def _submission(*documents: tuple[str, str], end: str = "</SEC-DOCUMENT>\n") -> bytes:
    written = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"
        for kind, text in documents
    )
    return f"<SEC-DOCUMENT>x.txt\n<SEC-HEADER>\n</SEC-HEADER>\n{written}{end}".encode()


REFERS = "See the 1996 Annual Report to Stockholders. " * 99
LONG = "Whereas the parties agree. " * 999


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_keeps_exhibit_13_and_leaves_other_exhibits_out(size: int) -> None:
    documents = (("10-K", REFERS), ("EX-10", LONG), ("EX-13.1", "We grew."), ("EX-27", LONG))
    document = fed(_submission(*documents), size)
    assert document.is_whole
    assert re.findall(rb"<TYPE>(\S+)", document.data) == [b"10-K", b"EX-13.1"]
    assert b"We grew." in document.data
    assert b"Whereas" not in document.data


def test_reads_no_exhibits_if_the_report_names_no_annual_report() -> None:
    document = fed(_submission(("10-K", "All is here. " * 300), ("EX-13", "We grew.")), 64)
    assert document.is_whole
    assert b"EX-13" not in document.data


@pytest.mark.parametrize("lost", [1, 3_000])
def test_a_submission_cut_off_before_exhibit_13_is_not_whole(lost: int) -> None:
    whole = _submission(("10-K", REFERS), ("EX-10", LONG), ("EX-13", "We grew. " * 300))
    assert fed(whole, 512).is_whole
    assert not fed(whole[: len(whole) - len("</SEC-DOCUMENT>\n") - lost], 512).is_whole


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


def test_header_alone_gives_the_industry() -> None:
    header = Header()
    size = next(
        start for start in range(0, len(WRITTEN), 100) if header.add(WRITTEN[start : start + 100])
    )
    assert size < 1000
    assert industry_of(bytes(header.data)) == "3711"
    assert (
        industry_of(b"<SEC-HEADER>\nCOMPANY CONFORMED NAME: X\n</SEC-HEADER>\n<DOCUMENT>") is None
    )
