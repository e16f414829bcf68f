"""What is an annual report by its cover, and what only speaks of one."""

from __future__ import annotations

from datetime import date

import pytest

from tasks.core.rows import Reject
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.reader.sidecar import StatedFacts

FILLER = "<p>The company sold goods to its customers in all its markets during the year.</p>" * 12
PERIOD = (
    "<html><body><p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13</p><p>{}</p><p>Commission "
    f"file number 1-1</p>{FILLER}<p>The value as of June 30, 2022 was $5.</p></body></html>"
)


def read(html: str) -> ParsedFiling | Reject:
    data = f"<html><body>{html}{FILLER}</body></html>".encode()
    return read_filing(FilingSource(uri="page.htm", data=data, encoding="cl100k_base"))


NO_10K = {
    "guide on the web": (
        "<h1>Form 10-K</h1><p>A Form 10-K is an annual report that the Securities and Exchange "
        "Commission wants from companies for each fiscal year.</p><h2>Item 1 - "
        "Business</h2><p>What it "
        "does.</p><h2>Item 1A - Risk Factors</h2><p>Risks.</p><h2>Item 7 - Management's "
        "Discussion and Analysis</h2><p>Results.</p><h2>Item 8 - Financial "
        "Statements</h2><p>Figures.</p>"
    ),
    "proxy statement with a cover's marks": (
        "<p>SCHEDULE 14A</p><p>Our annual report on Form 10-K for the fiscal year ended May 1, "
        "2003; Commission file 1-2; registered pursuant to Section 12; indicate by check mark.</p>"
    ),
}
COVER = (
    "<p>{}</p><p>{}</p><p>For the quarterly period ended March 31, 2004</p><p>Commission file "
    "number 1-12345</p><p>ACME INC</p><p>(Exact name of registrant as specified in its charter)</p>"
    "<p>I.R.S. Employer Identification No.</p><p>Indicate by check mark whether it has filed all. "
    "This report should be read with our Annual Report on Form 10-K.</p>"
)
QUARTER = "QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d)"


@pytest.mark.parametrize("kind", NO_10K)
def test_refuses_what_only_speaks_of_form_10k(kind: str) -> None:
    reject = read(NO_10K[kind])
    assert isinstance(reject, Reject)
    assert reject.reason == "not a 10-K"
    assert "begins with" in reject.detail


@pytest.mark.parametrize("form", ["FORM 10-Q", "Form 10–Q", "FORM 10 - Q", "Form 10-QSB", "10-Q"])
def test_refuses_quarterly_reports_without_facts_or_header(form: str) -> None:
    reject = read(COVER.format(form, QUARTER))
    assert isinstance(reject, Reject)
    assert reject.reason == "not a 10-K"
    assert "10-Q" in reject.detail or "quarterly" in reject.detail


@pytest.mark.parametrize(
    "cover",
    [
        "<p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)</p>",
        "<p>FORM 10-K405</p><p>Commission file number 1-12345</p><p>ACME INC</p>"
        "<p>(Exact name of registrant)</p>",
        "<p>Annual Report 2008</p>"
        + "<p>Dear shareholders, we had a good year.</p>" * 250
        + "<p>FORM 10-K</p><p>Commission file number 1-1</p><p>For the year ended May 1, 2008</p>",
        "<p>F O R M  1 0 - K</p><p>A N N U A L  R E P O R T</p><p>Commission file number 1-2</p>"
        "<p>For the year ended May 1, 1994</p>",
    ],
)
def test_reads_what_has_a_cover_of_form_10k(cover: str) -> None:
    parsed = read(cover)
    assert isinstance(parsed, ParsedFiling)
    assert parsed.filing.form in ("10-K", "10-K405")


TRANSITION = "TRANSITION REPORT PURSUANT TO SECTION 13 OR 15(d)"


@pytest.mark.parametrize(
    ("title", "below", "form"),
    [
        ("FORM 10-K 405", "ANNUAL REPORT PURSUANT TO SECTION 13", "10-K405"),
        ("FORM 10-K-405/A", "ANNUAL REPORT PURSUANT TO SECTION 13", "10-K405/A"),
        ("FORM 10-K", "(Amendment No. 2)</p><p>ANNUAL REPORT UNDER SECTION 13", "10-K/A"),
        ("FORM 10-KT", f"{TRANSITION} for a transition period", "10-KT"),
    ],
)
def test_records_the_form_of_the_title(title: str, below: str, form: str) -> None:
    parsed = read(f"<p>{title}</p><p>{below}</p>")
    assert isinstance(parsed, ParsedFiling)
    assert parsed.filing.form == form


@pytest.mark.parametrize(
    "written",
    [
        "For the fiscal year ended Dec. 31, 2022",
        "For the year ended 31 December 2022",
        "For the fiscal year ended December 31, 20 22",
        "For the fiscal year ended 12/31/22",
        "For the twelve months ended December 31, 2022",
        "For the fiscal year ended ____</p><p>"
        "For the transition period from July 1, 2022 to December 31, 2022",
    ],
)
def test_reads_the_period_in_any_clear_spelling(written: str) -> None:
    parsed = parse_filing(PERIOD.format(written).encode(), "acme.htm")
    assert str(parsed.filing.period_end) == "2022-12-31"


@pytest.mark.parametrize(
    "written",
    ["For the fiscal year ended ____", "For fiscal 2022", "For the fiscal year ended 31/31/2022"],
)
def test_does_not_guess_a_period(written: str) -> None:
    page = PERIOD.format(written).encode()
    assert parse_filing(page, "acme.htm").filing.period_end is None
    stated = StatedFacts(period_end=date(2022, 12, 31), company="Acme Tiles")
    filing = parse_filing(page, "acme.htm", stated=stated).filing
    assert (filing.period_end, filing.company) == (date(2022, 12, 31), "Acme Tiles")
