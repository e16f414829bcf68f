"""Statements of filings: they read on their own, and say which company they are about."""

from __future__ import annotations

import pytest

from tasks.filings.reader.filing import ParsedFiling
from tasks.suites.longcontext.articles.names import names_company
from tasks.suites.longcontext.articles.statements import (
    ITEMS,
    NearDuplicates,
    WrittenNames,
    reads_alone,
    statements,
    statements_of,
    title_of,
)

ALONE = [
    "We opened a second plant in Toledo and hired ninety people to run it.",
    "The Company’s net sales rose 7% to $442.4 million as prices and volumes increased.",
    "Acme Pumps, Inc. (the “Company”) makes valves for cities that move water and slurries.",
]
NOT_ALONE = [
    "We also opened a second plant in Toledo and hired ninety people to run it.",
    "This increased our net sales by 7% compared with those of the year before.",
    "As a result, we closed the plant in Toledo and dismissed the people who ran it.",
    "In connection with such sale, the Company received $12 million in cash from the buyer.",
    "We describe the loan and its covenants in Note 7 of the consolidated financial statements.",
    "Our risks are described below and in other documents that we file from time to time.",
    "The Company’s properties are listed in the following table with their sizes and uses.",
    "If he is terminated without cause, the Company will pay him a bonus of $30,000.",
    "We opened a plant.",
    "our plant in Toledo makes valves for cities that move water and slurries.",
    "Our net sales | 442.4 | 410.1 | 398.0 | 377.2 | 360.9 | 350.0 | 340.1 | and more.",
    "We opened a second plant in Toledo and hired ninety people to run it:",
    "We opened a second plant (in Toledo and hired ninety people to run it.",
]


@pytest.mark.parametrize("said", ALONE)
def test_keeps_sentences_that_read_on_their_own(said: str) -> None:
    assert reads_alone(said)
    assert list(statements("Acme Pumps, Inc.", said)) == [said]


@pytest.mark.parametrize("said", NOT_ALONE)
def test_leaves_out_sentences_that_point_elsewhere_or_are_not_whole(said: str) -> None:
    assert list(statements("Acme Pumps, Inc.", said)) == []


def test_a_statement_speaks_of_its_company() -> None:
    others = "The market for pumps grew by 4% as many cities renewed their waterworks."
    assert list(statements("Acme Pumps, Inc.", others)) == []
    named = "Competitors of Acme Pumps are larger and have more money for research than others."
    assert list(statements("Acme Pumps, Inc.", named)) == [named]


def test_a_title_has_the_companys_name_once() -> None:
    assert title_of("Acme Pumps, Inc.", ALONE[0]) == f"Acme Pumps, Inc.: {ALONE[0]}"
    assert title_of("Acme Pumps, Inc.", ALONE[2]) == ALONE[2]


@pytest.mark.parametrize(
    ("stated", "text", "name"),
    [
        ("WELLS FARGO & COMPANY/MN", "Wells Fargo & Company is a bank.", "Wells Fargo & Company"),
        ("NVIDIA CORP", "NVIDIA CORPORATION. NVIDIA Corporation sells.", "NVIDIA Corporation"),
        ("HOME HEALTH INC \\PA\\", "the acquirer of Home Health, Inc. is", "Home Health, Inc."),
        ("COCA COLA CO", "The Coca-Cola Company was founded", "Coca-Cola Company"),
        ("WALT DISNEY CO/", "shares of The Walt Disney Company, which", "Walt Disney Company"),
        ("GAINSCO, INC.", "At GAINSCO, INC. we insure cars.", "GAINSCO, INC."),
        ("ACME PUMPS INC", "We make pumps.", "Acme Pumps Inc"),
        ("Acme (Holdings) Inc.", "", "Acme (Holdings) Inc."),
    ],
)
def test_a_companys_name_is_as_its_filing_writes_it(stated: str, text: str, name: str) -> None:
    spellings = WrittenNames()
    spellings.count(stated, text)
    assert spellings.name(stated) == name


def test_a_company_has_one_name_in_all_of_its_filings() -> None:
    spellings = WrittenNames()
    for text in ("Acme Pumps, Inc. sells. Acme Pumps, Inc. buys.", "Acme Pumps Inc. rents.", ""):
        spellings.count("ACME PUMPS INC", text, "cik 1")
    spellings.count("ACME PUMPS INC", "Acme Pumps Inc. is another one.", "cik 2")
    assert spellings.name("ACME PUMPS INC /DE/", "cik 1") == "Acme Pumps, Inc."
    assert spellings.name("ACME PUMPS INC", "cik 2") == "Acme Pumps Inc."


def test_nearly_equal_statements_are_found() -> None:
    known = NearDuplicates()
    assert known.nearest(ALONE[0]) is None
    again = ALONE[0].replace("ninety", "eighty")
    assert known.nearest(again) == ALONE[0]
    assert known.nearest(ALONE[1].replace("7%", "9%").replace("442.4", "510.2")) is None
    assert known.nearest(ALONE[1]) is not None
    assert known.nearest(ALONE[2]) is None


def test_real_filings_give_short_statements_about_their_companies(
    real_filings: list[ParsedFiling],
) -> None:
    n_statements = 0
    for parsed in real_filings:
        spellings, stated = WrittenNames(), parsed.filing.company or ""
        spellings.count(stated, parsed.document.text)
        company = spellings.name(stated)
        for item, said in statements_of(company, parsed.document):
            n_statements += 1
            assert item in ITEMS
            assert 10 <= len(said.split()) <= 60
            assert names_company(title_of(company, said), company)
    assert n_statements > 4_000
