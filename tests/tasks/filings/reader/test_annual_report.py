"""Exhibit 13: what Items 5 to 8 incorporate from the annual report to shareholders."""

from __future__ import annotations

import pytest

from tasks.core.rows import Context, Reject
from tasks.filings.reader.annual_report import refers_to_annual_report
from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.suites.failsafeqa.contexts import truncate
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.questions.masked_spans import find_spans
from tasks.suites.shared.contexts import NO_EXHIBIT, NO_SUCH_SECTION

COVER = (
    "FORM 10-K\n\nANNUAL REPORT PURSUANT TO SECTION 13\n\nFor the fiscal year ended December 31, "
    "1996\n\nHARROWGATE PUMPS INC\n(Exact name of registrant)\n\n"
)
BUSINESS = (
    "Harrowgate makes pumps for mines and waterworks and sells them through its own offices in\n"
    "eleven countries. It has four plants, all of them owned, and 2,310 people work for it.\n\n"
)


def prose(topic: str, figure: str) -> str:
    return (
        f"     {topic} was {figure} million in 1996, and we expect that orders from mines and\n"
        "waterworks will keep its plants busy in the next year. Prices of castings rose less\n"
        "than those of pumps, and the plants in Ohio and Wales worked three shifts since May.\n\n"
    ) * 3


def table(*rows: tuple[str, str, str]) -> str:
    lines = "".join(f"{label:<40}{one:>12}{two:>12}\n" for label, one, two in rows)
    return f"<TABLE>\n{'<S>':<49}<C>         <C>\n{lines}</TABLE>\n\n"


INCOME = table(("Net sales", "$ 512.4", "$ 480.1"), ("Cost of sales", "301.7", "290.2"))
BALANCE = table(("Cash", "$ 41.2", "$ 38.0"), ("Inventories", "88.6", "90.1"))


def submission(said: dict[str, str], *exhibits: tuple[str, str]) -> str:
    titles = {
        "5": "MARKET FOR THE REGISTRANT'S COMMON EQUITY",
        "6": "SELECTED FINANCIAL DATA",
        "7": "MANAGEMENT'S DISCUSSION AND ANALYSIS",
        "8": "FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA",
    }
    items = "".join(
        f"ITEM {item}.  {title}\n\n{said.get(item, 'Not applicable.')}\n\n"
        for item, title in titles.items()
    )
    main = (
        f"{COVER}PART I\n\nITEM 1.  BUSINESS\n\n{BUSINESS}ITEM 2.  PROPERTIES\n\n{BUSINESS}"
        f"PART II\n\n{items}PART IV\n\nITEM 14.  EXHIBITS\n\n{BUSINESS}"
    )
    documents = (("10-K", main), ("EX-10", "Lease of the Ohio plant."), *exhibits)
    return (
        "<SEC-DOCUMENT>x.txt\n<SEC-HEADER>\nCONFORMED SUBMISSION TYPE:\t10-K\n</SEC-HEADER>\n"
        + "".join(
            f"<DOCUMENT>\n<TYPE>{kind}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"
            for kind, text in documents
        )
        + "</SEC-DOCUMENT>\n"
    )


def parse(source: str) -> ParsedFiling:
    return parse_filing(source.encode(), "x.txt")


def texts(parsed: ParsedFiling, item: str) -> list[str]:
    """Return the text of an Item's spans in the exhibits."""
    document = parsed.document
    start = document.exhibits[0].start_char
    return [
        document.text[span.start_char : span.end_char]
        for span in document.spans_of(item)
        if span.start_char >= start
    ]


# --- sections by their headings ---------------------------------------------------------------

BY_TITLES = {
    "5": '"Stock Prices" on page 63 of the Annual Report to Share Owners is incorporated herein\n'
    "by reference.",
    "6": "Refer to the Five-Year Summary of the 1996 Annual Report to Stockholders, which is\n"
    'incorporated herein by reference under "Selected Results".',
    "7": "Refer to pages 45 through 53 of the 1996 Annual Report to Stockholders, which are\n"
    "incorporated herein by reference.",
    "8": "Refer to pages 54 through 70 of the 1996 Annual Report to Stockholders, which are\n"
    "incorporated herein by reference.",
}
CONTENTS = (
    "CONTENTS\n\nManagement Discussion\n\nConsolidated Balance Sheet\n\n"
    "Notes to Consolidated Financial Statements\n\nStock Prices\n\n"
)
DISCUSSION = (
    "MANAGEMENT DISCUSSION\n\n" + prose("Revenue", "$512.4")
    + "Statement of Cash Flows\n\n" + BALANCE + prose("Cash", "$41.2") * 5
    + "Balance Sheet\n\n" + prose("Inventory", "$88.6") * 3
)  # fmt: skip
STATEMENTS = (
    "REPORT OF INDEPENDENT ACCOUNTANTS\n\n" + prose("Audited income", "$44.0")
    + "CONSOLIDATED STATEMENT OF EARNINGS\n\n" + INCOME
    + "CONSOLIDATED BALANCE SHEET\n\n" + BALANCE
    + "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS\n\n" + prose("Depreciation", "$9.9")
)  # fmt: skip


def titled(*, contents: str = CONTENTS) -> str:
    return (
        f"EXHIBIT 13\n\n{contents}Dear Stockholders:\n\n{prose('Income', '$44.0')}"
        f"{DISCUSSION}{STATEMENTS}SELECTED RESULTS\n\n{INCOME}{prose('Income', '$44.0')}"
        f"STOCK PRICES\n\n{BALANCE}{prose('The average price', '$88')}"
    )


@pytest.mark.parametrize("contents", ["", CONTENTS], ids=["no contents", "contents"])
def test_sections_are_found_by_their_headings(contents: str) -> None:
    parsed = parse(submission(BY_TITLES, ("EX-13.1", titled(contents=contents))))
    (discussion,) = texts(parsed, "7")
    assert discussion.startswith("MANAGEMENT DISCUSSION\n\nRevenue was")
    assert "Inventory was" in discussion  # headings named as statements are do not end it
    assert "Audited income" not in discussion
    (statements,) = texts(parsed, "8")
    assert statements.startswith("REPORT OF INDEPENDENT ACCOUNTANTS")
    assert statements.rstrip().endswith("since May.")
    assert "SELECTED RESULTS" not in statements
    (selected,) = texts(parsed, "6")
    assert selected.startswith("SELECTED RESULTS")
    (market,) = texts(parsed, "5")
    assert market.startswith("STOCK PRICES")


def test_an_exhibit_is_a_marked_part_of_the_document() -> None:
    parsed = parse(submission(BY_TITLES, ("EX-13.1", titled()), ("EX-27", "<ARTICLE> 5")))
    document = parsed.document
    (exhibit,) = document.exhibits
    assert exhibit.exhibit == "EX-13.1"
    assert document.text[exhibit.start_char :].startswith("EXHIBIT 13\n\nCONTENTS")
    assert exhibit.end_char == len(document.text)
    assert document.text[: exhibit.start_char].endswith("work for it.\n\n")
    joined = [document.text[each.start_char : each.end_char] for each in document.paragraphs]
    assert "\n\n".join(joined) == document.text
    assert sum(each.n_tokens for each in document.paragraphs) == document.n_tokens
    of_statements = [table for table in parsed.tables if table.item == "8"]
    assert len(of_statements) == 2
    assert all(
        document.text[table.start_char :].startswith(table.cells[0][0]) for table in of_statements
    )


def test_an_exhibit_that_no_item_refers_to_is_left_out() -> None:
    own = {item: prose("Revenue", "$512.4") for item in ("5", "6", "7", "8")}
    document = parse(submission(own, ("EX-13", titled()))).document
    assert document.exhibits == ()
    assert "STOCK PRICES" not in document.text


# --- what is only a reference ----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Item 7. Reported on pages 32-43 (and notes 2 and 3) of the Annual Report to Share Owners.",
        "The required information appears in Exhibit 13.",
        "The information is set forth in the 1996 Annual Report under “Financial Review”.",
    ],
)
def test_recognises_references(text: str) -> None:
    assert refers_to_annual_report(text)


@pytest.mark.parametrize(
    "text",
    [
        "Item 7. Management's Discussion. Net sales rose 4% to $512.4 million.",
        "Incorporated by reference to the Proxy Statement.",
        "The information is contained in our annual report under Section 13 for 1995.",
        "The net loss was $12,345, as shown in the financial statements. Since its last annual "
        "report the Company has sought a merger.",
    ],
)
def test_text_of_its_own_is_no_reference(text: str) -> None:
    assert not refers_to_annual_report(text)


@pytest.mark.parametrize(
    ("exhibits", "reason"),
    [((), NO_EXHIBIT), ((("EX-13", prose("Income", "$44.0") * 9),), NO_SUCH_SECTION)],
    ids=["not in the file", "without its headings"],
)
def test_rejects_say_where_the_text_is(exhibits, reason: str) -> None:
    parsed = parse(submission(BY_TITLES, *exhibits))
    (context,) = truncate([parsed.document], start="7")
    (shown,) = show_tables([parsed.document], {}, encoding="cl100k_base")
    for row in (context, shown):
        assert isinstance(row, Reject)
        assert row.reason == reason
        assert "Refer to pages 45 through 53" in row.detail


# --- readers of several spans ----------------------------------------------------------------


def test_a_context_starts_at_the_longest_span_of_an_item_and_faith_reads_all() -> None:
    parsed = parse(submission(BY_TITLES, ("EX-13.1", titled())))
    document = parsed.document
    (context,) = truncate([document], start="7", limit=25_000)
    assert isinstance(context, Context)
    _, discussion = document.spans_of("7")
    assert context.start_char == discussion.start_char
    assert context.text.startswith("MANAGEMENT DISCUSSION")
    (shown,) = show_tables(
        [document], {document.document_id: parsed.tables}, encoding="cl100k_base"
    )
    assert isinstance(shown, Context)
    assert "Inventories" in shown.text
    figures = {span.figure.text for span in find_spans(document)}
    assert len(figures) >= 3


def test_coca_cola_1997_has_its_discussion_and_statements(shared) -> None:
    data = (shared / "filings/cocacola_1997_full-submission.txt.gz").read_bytes()
    parsed = parse_filing(unpack(data), "cocacola")
    text = parsed.document.text
    assert [exhibit.exhibit for exhibit in parsed.document.exhibits] == ["EX-13.1"]
    (discussion,) = texts(parsed, "7")
    assert discussion.startswith("FINANCIAL REVIEW INCORPORATING")
    assert "FORWARD-LOOKING STATEMENTS" in discussion
    assert "SELECTED FINANCIAL DATA" not in discussion
    (statements,) = texts(parsed, "8")
    assert statements.startswith("CONSOLIDATED BALANCE SHEETS")
    assert "REPORT OF INDEPENDENT AUDITORS" in statements
    assert "QUARTERLY DATA" in statements
    assert "STOCK PRICES" not in statements
    assert len([table for table in parsed.tables if table.item == "8"]) >= 25
    assert all(table.start_char < len(text) for table in parsed.tables)


def test_a_scale_stated_in_one_document_governs_no_table_of_another() -> None:
    stated = "All dollar amounts in this report are in {} unless otherwise noted.\n\n"
    items = {**BY_TITLES, "6": f"{stated.format('thousands')}Sales were these.\n\n{INCOME}"}
    main_only = parse(submission(items, ("EX-13", titled())))
    assert {table.scale for table in main_only.tables[1:]} == {None}
    other = parse(submission(items, ("EX-13", f"{stated.format('millions')}{titled()}")))
    assert other.tables[0].scale == "thousands"
    assert "millions" in {table.scale for table in other.tables}
