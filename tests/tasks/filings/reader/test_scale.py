"""The scale of each table of a filing: where it is stated, and how far that reaches."""

from __future__ import annotations

from tasks.filings.reader.filing import parse_filing

COVER = "<p>Garnet Co.</p><p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13</p>"
FILLER = f"<p>{'We make lathes and pumps for many customers around the world. ' * 8}</p>"
YEARS = ("", "2023", "2022")
ORDERS = (YEARS, ("Equipment orders", "$3,751", "$3,100"), ("Services", "4,210", "4,020"))


PAY = (YEARS, ("Ms. Ode", "$875,010", "$801,220"), ("Mr. Ury", "612,100", "590,150"))


def html(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def scales(*body: str) -> list[str | None]:
    source = f"<html>{COVER}{FILLER}{''.join(body)}"
    parsed = parse_filing(f"{source}</html>".encode(), "garnet.htm")
    return [table.scale for table in parsed.tables]


def test_one_statement_in_the_discussion_governs_the_statements_too() -> None:
    assert scales(
        "<p><b>Item 7. Management's Discussion and Analysis</b></p>",
        "<p>Unless otherwise noted, tables are presented in U.S. dollars in millions.</p>",
        f"<p>Orders rose.</p>{html(*ORDERS)}",
        "<p>Prices of our shares were as follows.</p>",
        html(YEARS, ("First quarter", "$103.25", "$98.10"), ("Second quarter", "101.17", "97.10")),
        f"<p>The following table is in thousands:</p>{html(*ORDERS)}",
        f"<p>Orders of pumps rose.</p>{html(*ORDERS)}",
        "<p><b>Item 8. Financial Statements and Supplementary Data</b></p>",
        f"<p>Leases were steady.</p>{html(*ORDERS)}",
        "<p><b>Item 11. Executive Compensation</b></p>",
        f"<p>Pay was as follows.</p>{html(*PAY)}",
    ) == ["millions", None, "thousands", "millions", "millions", None]
