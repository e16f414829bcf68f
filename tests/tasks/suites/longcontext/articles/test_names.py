"""Names of companies: the same, alike, and named in a title."""

import pytest

from tasks.suites.longcontext.articles.names import SIMILAR, may_be_same, names_company, similarity

SAME = [
    ("Sebi", "Securities and Exchange Board of India"),
    ("M&M", "Mahindra and Mahindra Ltd"),
    ("BPCL", "Bharat Petroleum Corporation Limited"),
    ("Hind Copper", "Hindustan Copper Ltd"),
    ("GHCL Ltd.", "Gujarat Heavy Chemicals"),
    ("Reliance", "Reliance Communications"),
    ("Tech M", "Tech Mahindra"),
    ("J&K Bank", "Jammu and Kashmir Bank"),
    ("Nestle", "Nestlé India"),
]
DIFFERENT_BUT_ALIKE = [
    ("Tata Motors", "Tata Steel"),
    ("Reliance Industries", "Reliance Communications"),
    ("Sun Pharma", "Sun TV"),
    ("Bank of India", "Bank of Baroda"),
]
UNLIKE = [
    ("SBI", "RBI"),
    ("Tech M", "Kotak Mahindra"),
    ("Cipla", "Crisil"),
    ("Acme Holdings Corp", "Bolt Holdings Corp"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_doubtful_names_may_be_one_company(a: str, b: str) -> None:
    assert may_be_same(a, b)
    assert may_be_same(b, a)


@pytest.mark.parametrize(("a", "b"), [*DIFFERENT_BUT_ALIKE, *UNLIKE])
def test_other_names_are_other_companies(a: str, b: str) -> None:
    assert not may_be_same(a, b)
    assert not may_be_same(b, a)


@pytest.mark.parametrize(("a", "b"), [*DIFFERENT_BUT_ALIKE, ("Halvorsen Corp", "Halvorsen LLC")])
def test_different_companies_can_look_alike(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a) >= SIMILAR


@pytest.mark.parametrize(
    ("title", "company"),
    [
        ("Which midcap IT stocks to prefer", "IT stocks"),
        ("Order book: L&T's best quarter", "Larsen & Toubro"),
        ("Brokers like Sun Pharma and Lupin", "Sun Pharmaceutical"),
        ("Halvorsen wins an order", "Halvorsen Corp"),
        ("JOHNSON & JOHNSON settles", "Johnson & Johnson"),
        ("Home Health Corporation of America buys", "Home Health Corp of America, Inc."),
    ],
)
def test_a_title_names_a_company(title: str, company: str) -> None:
    assert names_company(title, company)


@pytest.mark.parametrize(
    ("title", "company"),
    [
        ("Tata Steel and Ashok Leyland motors on", "Tata Motors"),
        ("State Bank of Mysore cuts its base rate", "State Bank of India"),
        ("markets rally on stimulus hopes", "Larsen & Toubro"),
        ("last time it bounced in 2012", "L&T"),
        ("Halverson Corp wins an order", "Halvorsen Steel Corp"),
    ],
)
def test_a_title_does_not_name_another_company(title: str, company: str) -> None:
    assert not names_company(title, company)
