"""The sample filings say that they are invented, and their figures are consistent."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tasks.core.rows import Context
from tasks.filings.reader.filing import parse_filing
from tasks.filings.samples import sample_folder
from tasks.suites.failsafeqa.contexts import truncate

FILINGS = ("brackwater-2018.htm", "quillstone-2023.htm", "tillamere-1997.txt")


def read(name: str) -> str:
    return (sample_folder() / name).read_text(encoding="utf-8")


def plain(name: str) -> str:
    """Return the words and figures of a filing on one line, to search in."""
    text = re.sub(r"<ix:header>.*?</ix:header>", " ", read(name), flags=re.DOTALL)
    text = html.unescape(
        re.sub(r"<(?!/?(?:span|ix:))[^>]*>", " ", text).replace("</span><span", "</span> <span")
    )
    text = re.sub(r"<[^>]*>", "", text).replace("\x97", "—")
    return " ".join(text.split())


def statement(name: str, title: str, end: str) -> dict[str, list[float]]:
    """Return the first rows of a statement by label; a dash is 0."""
    body = plain(name)
    body = body[body.rindex(title) + len(title) :]
    body = body[: body.index(end) + len(end) + 60]
    rows: dict[str, list[float]] = {}
    row = re.compile(
        r"([A-Z][A-Za-z&'’(),:\- ]*?)[ .]*"
        r"((?:\$? ?\(? ?(?:\d[\d,]*(?:\.\d+)?|—|--) ?\)?(?: |$)){2,3})"
    )
    for label, figures in row.findall(body):
        cells = re.findall(r"(\(?) ?(\d[\d,]*(?:\.\d+)?|—|--)", figures)
        values = [
            0.0 if c in ("—", "--") else float(c.replace(",", "")) * (-1 if bracket else 1)
            for bracket, c in cells
        ]
        rows.setdefault(label.strip(" :"), values)
    return rows


def find(rows: dict[str, list[float]], label: str) -> list[float]:
    """Return a row's figures; a section's first row has the section before its label."""
    if label in rows:
        return rows[label]
    (found,) = (values for name, values in rows.items() if name.endswith(f" {label}"))
    return found


def assert_sum(rows: dict[str, list[float]], total: str, *parts: str) -> None:
    columns = zip(*(find(rows, part) for part in parts), strict=True)
    assert [sum(column) for column in columns] == find(rows, total), total


def test_folder_has_three_filings() -> None:
    found = sorted(
        path.name
        for path in sample_folder().iterdir()
        if path.suffix in {".htm", ".html", ".txt", ".gz"}
    )
    assert found == list(FILINGS)


@pytest.mark.parametrize("name", FILINGS)
def test_sample_says_that_it_is_invented(name: str) -> None:
    head = plain(name)[:2500]
    assert "Sample document written for the tenkbench project" in head
    assert "fictional" in head
    assert "nothing here was filed" in head


@pytest.mark.parametrize("name", FILINGS)
def test_sample_has_enough_figures_for_questions(name: str) -> None:
    sentences = re.split(r"(?<=[a-z%)\d]\.) (?=[A-Z])", plain(name))
    standing_alone = [
        sentence
        for sentence in sentences
        if re.search(r"\$\d|\d%|\d,\d{3}|\d\.\d", sentence)
        and len(sentence) < 400
        and not re.match(r"(It|This|These|They|That|Of the)\b", sentence)
    ]
    assert len(standing_alone) >= 40


@pytest.mark.parametrize("name", FILINGS)
def test_no_sample_names_another_company(name: str) -> None:
    for other in FILINGS:
        if other != name:
            assert other.split("-")[0] not in read(name).lower()


def test_pump_maker_s_statements_add_up() -> None:
    income = statement(
        "brackwater-2018.htm",
        "CONSOLIDATED STATEMENTS OF INCOME",
        "Diluted weighted average shares",
    )
    costs = {label: [-value for value in values] for label, values in income.items()}
    signed = income | {f"less {label}": values for label, values in costs.items()}
    assert_sum(signed, "Gross profit", "Net sales", "less Cost of sales")
    assert_sum(
        signed,
        "Operating income",
        "Gross profit",
        "less Selling, general and administrative expenses",
        "less Research and development expenses",
        "less Amortization of intangible assets",
        "less Restructuring charges",
    )
    assert_sum(
        signed,
        "Income before income taxes",
        "Operating income",
        "Interest expense",
        "Other income (expense), net",
    )
    assert_sum(
        signed, "Net income", "Income before income taxes", "less Provision for income taxes"
    )
    per_share = zip(income["Net income"], income["Diluted weighted average shares"], strict=True)
    assert [round(net / shares, 2) for net, shares in per_share] == income[
        "Diluted earnings per share"
    ]

    balance = statement("brackwater-2018.htm", "CONSOLIDATED BALANCE SHEETS", "equity $")
    assert_sum(balance, "Total assets", "Total liabilities", "Total shareholders’ equity")
    assert_sum(
        balance,
        "Total assets",
        "Total current assets",
        "Property, plant and equipment, net",
        "Goodwill",
        "Intangible assets, net",
        "Other assets",
    )

    cash = statement(
        "brackwater-2018.htm", "CONSOLIDATED STATEMENTS OF CASH FLOWS", "at end of year"
    )
    assert_sum(
        cash,
        "Net increase in cash and cash equivalents",
        "Cash provided by operating activities",
        "Cash used for investing activities",
        "Cash used for financing activities",
        "Effect of exchange rates on cash",
    )
    assert cash["Cash and cash equivalents at end of year"][:2] == find(
        balance, "Cash and cash equivalents"
    )


def test_bank_s_statements_add_up() -> None:
    income = statement(
        "tillamere-1997.txt", "CONSOLIDATED STATEMENTS OF INCOME", "Weighted average shares"
    )
    signed = income | {
        f"less {label}": [-value for value in values] for label, values in income.items()
    }
    assert_sum(
        signed, "NET INTEREST INCOME", "Total interest income", "less Total interest expense"
    )
    assert_sum(
        signed,
        "Income before income taxes",
        "Net interest income after provision",
        "Total noninterest income",
        "less Total noninterest expense",
    )
    assert_sum(
        signed, "NET INCOME", "Income before income taxes", "less Provision for income taxes"
    )

    balance = statement(
        "tillamere-1997.txt", "CONSOLIDATED BALANCE SHEETS", "SHAREHOLDERS' EQUITY .."
    )
    assert_sum(
        balance,
        "TOTAL ASSETS",
        "Cash and due from banks",
        "Federal funds sold",
        "Securities available for sale",
        "Securities held to maturity",
        "Loans, net of unearned income",
        "Allowance for loan losses",
        "Premises and equipment, net",
        "Other assets",
    )
    assert_sum(balance, "TOTAL ASSETS", "Total liabilities", "Shareholders' equity")


def test_software_firm_s_statements_add_up() -> None:
    income = statement(
        "quillstone-2023.htm",
        "CONSOLIDATED STATEMENTS OF OPERATIONS",
        "Weighted average diluted shares",
    )
    signed = income | {
        f"less {label}": [-value for value in values] for label, values in income.items()
    }
    assert_sum(signed, "Gross profit", "Total revenue", "less Total cost of revenue")
    assert_sum(signed, "Operating income", "Gross profit", "less Total operating expenses")
    assert_sum(
        signed,
        "Income before income taxes",
        "Operating income",
        "Interest expense",
        "Interest income",
    )
    assert_sum(
        signed, "Net income", "Income before income taxes", "less Provision for income taxes"
    )

    balance = statement("quillstone-2023.htm", "CONSOLIDATED BALANCE SHEETS", "equity $")
    assert_sum(balance, "Total assets", "Total liabilities", "Total stockholders’ equity")

    cash = statement(
        "quillstone-2023.htm", "CONSOLIDATED STATEMENTS OF CASH FLOWS", "at end of year"
    )
    assert_sum(cash, "Cash at end of year", "Cash at beginning of year", "Net increase in cash")
    assert cash["Cash at end of year"][:2] == find(balance, "Cash and cash equivalents")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "brackwater-2018.htm",
            (
                "Net sales in 2018 were $442.4 million, an increase of 10.2% "
                "from $401.4 million in 2017."
            ),
        ),
        (
            "tillamere-1997.txt",
            (
                "Net interest income increased 7.2% to $28.6 million in 1997 "
                "from $26.7 million in 1996."
            ),
        ),
        (
            "quillstone-2023.htm",
            "Total revenue increased 12.2% to $1,126 million in 2023 from $1,004 million in 2022.",
        ),
    ],
)
def test_prose_repeats_the_tables_figures(name: str, sentence: str) -> None:
    assert sentence in plain(name)


def test_folder_is_a_real_path() -> None:
    assert isinstance(sample_folder(), Path)
    assert (sample_folder() / "README.md").is_file()


@pytest.mark.parametrize(
    ("name", "form", "period", "items", "n_tables"),
    [
        (
            "brackwater-2018.htm",
            "10-K",
            "2018-12-31",
            "1 1A 1B 2 3 4 5 6 7 7A 8 9 9A 9B 10 11 12 13 14 15 16",
            15,
        ),
        (
            "quillstone-2023.htm",
            "10-K",
            "2023-12-31",
            "1 1A 1B 1C 2 3 4 5 6 7 7A 8 9 9A 9B 9C 10 11 12 13 14 15 16",
            8,
        ),
        ("tillamere-1997.txt", "10-K405", "1997-12-31", "1 2 3 4 5 6 7 7A 8 9 10 11 12 13 14", 9),
    ],
)
def test_reads_a_sample_whole(name: str, form: str, period: str, items: str, n_tables: int) -> None:
    parsed = parse_filing((sample_folder() / name).read_bytes(), name)
    assert parsed.filing.form == form
    assert str(parsed.filing.period_end) == period
    assert parsed.filing.company is not None
    assert parsed.filing.company.lower().startswith(name.split("-")[0])
    assert [item.item for item in parsed.document.items] == items.split()
    assert len(parsed.tables) == n_tables
    starts = {paragraph.start_char for paragraph in parsed.document.paragraphs}
    assert {item.start_char for item in parsed.document.items} <= starts


@pytest.mark.parametrize("name", FILINGS)
def test_sample_fits_whole_into_a_context(name: str) -> None:
    document = parse_filing((sample_folder() / name).read_bytes(), name).document
    (context,) = truncate([document])
    assert isinstance(context, Context)
    assert context.text == document.text
    assert 5_000 < context.n_tokens < 12_000
