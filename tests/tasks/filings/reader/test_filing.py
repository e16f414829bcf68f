"""A whole filing: identity, offsets, tokens and tables."""

from __future__ import annotations

from datetime import date

import pytest

from tasks.filings.reader.files import Rejected
from tasks.filings.reader.filing import ParsedFiling, parse_filing

FILLER = (
    "<p>"
    + "The company sold goods to its customers in all its markets during the year. " * 10
    + "</p>"
)


def parse(source: str) -> ParsedFiling:
    return parse_filing(source.encode(), "folder/filing.htm")


def test_reads_hidden_facts_of_inline_xbrl() -> None:
    facts = (
        '<div style="display:none"><ix:header><ix:hidden><ix:nonNumeric contextRef="c" '
        'name="dei:EntityCentralIndexKey">0000012345</ix:nonNumeric><ix:nonNumeric '
        'name="dei:AmendmentFlag" id="f">true</ix:nonNumeric></ix:hidden></ix:header></div>'
        '<p>Form <ix:nonNumeric name="dei:DocumentType" id="g">10-K</ix:nonNumeric></p>'
        '<p><ix:nonNumeric name="dei:EntityRegistrantName">Example &amp; Works</ix:nonNumeric></p>'
        '<p>period ended <ix:nonNumeric name="dei:DocumentPeriodEndDate">'
        "<span>January&#160;28</span>, 2024</ix:nonNumeric></p>"
    )
    parsed = parse(f"<html><body>{facts}{FILLER}</body></html>")
    filing = parsed.filing
    assert (filing.cik, filing.form, filing.company) == ("12345", "10-K/A", "Example & Works")
    assert (filing.period_end, filing.format) == (date(2024, 1, 28), "ixbrl")
    assert "0000012345" not in parsed.document.text


@pytest.mark.parametrize(
    "source",
    [
        "<html><body><img src='x.gif'></body></html>",
        "<DOCUMENT><TYPE>10-K<TEXT></TEXT>",
        "Form 10-K",
    ],
)
def test_filing_without_text_is_rejected(source: str) -> None:
    with pytest.raises(Rejected) as rejected:
        parse(source)
    assert rejected.value.reason == "no readable text"


def test_reads_a_filing_in_pre_as_text() -> None:
    body = (
        "     The company sold goods to its customers in all its markets during the year, as\n"
        "it did before.\n\n"
    ) * 20
    table = (
        "<TABLE>\n<S>              <C>        <C>\nSales            $5,000     $4,000\n"
        "Costs             3,000      2,000\n</TABLE>\n"
    )
    parsed = parse(
        "<html><body><pre>\n                 FORM 10-K\n\nCommission file number 1-1\n\n"
        "For the fiscal year ended June 30, 1999\n\n"
        f"{body}{table}<PAGE>\n{body}</pre></body></html>"
    )
    assert parsed.document.text.startswith(
        "FORM 10-K\n\nCommission file number 1-1\n\nFor the fiscal year ended June 30, 1999\n\n"
        "The company sold goods to its customers in all its markets during the year, as it"
    )
    assert parsed.tables[0].cells == (("Sales", "$5,000", "$4,000"), ("Costs", "3,000", "2,000"))
