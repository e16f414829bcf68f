"""Companies are named as sentences name them."""

from __future__ import annotations

from datetime import date

import pytest

from tasks.suites.failsafeqa.questions.subject import (
    Subject,
    fiscal_year,
    names_company,
    short_name,
)


@pytest.mark.parametrize(
    ("company", "text", "name"),
    [
        ("HARROW GATE CO/", "HARROW GATE CO\nHarrow Gate spins.", "Harrow Gate"),
        ("TARN-WELL CO", "Tarn-Well spins. TARN-WELL", "Tarn-Well"),
        ("ORRIN YARNS, INC. ORRIN YARNS, L.P.", "", "Orrin Yarns"),
        ("HOME WOOL CORP OF AMERICA INC \\PA\\", "home wool", "Home Wool Corp of America"),
        ("DUNMERE & COMPANY/MN", "", "Dunmere"),
        ("NVX CORP", "NVX rose. Nvx", "NVX"),
        ("", "text", ""),
    ],
)
def test_a_name_has_no_legal_form_and_the_texts_capitals(
    company: str, text: str, name: str
) -> None:
    assert short_name(company, text) == name


@pytest.mark.parametrize(
    ("query", "company", "is_named"),
    [
        ("What were Harrow Gate's sales?", "Harrow Gate", True),
        ("What were HARROW GATE sales?", "Harrow Gate", True),
        ("What were Harrow's sales?", "Harrow Gate", True),
        ("What were HG's sales?", "Harrow Gate", True),
        ("What did internet services cost?", "Internet America", False),
        ("What did the harrow cost?", "Harrow Gate", False),
        ("What were the Company's sales?", "Harrow Gate", False),
    ],
)
def test_a_query_names_the_company(query: str, company: str, is_named: bool) -> None:
    assert names_company(query, company) is is_named


def test_a_year_that_ends_in_the_first_days_of_january_is_the_last() -> None:
    assert fiscal_year(date(2017, 1, 1)) == 2016
    assert fiscal_year(date(2024, 1, 28)) == 2024


def test_a_period_reads_as_in_a_sentence() -> None:
    assert Subject(year_end=date(2017, 1, 1)).period == "the fiscal year ended January 1, 2017"
    assert Subject().period == ""
