"""Passages by terms, rows by labels, and misspelled terms by their neighbours."""

from __future__ import annotations

import pytest

from tasks.text.retrieval import Index
from tasks.text.terms import content_terms

TEXT = """Overview

Wexcombe Mills spins wool. It employs 310 people in three towns.

Competition

Larger mills sell at lower prices. Two of them opened near Wexcombe in 2016.

The results, in thousands, were:

| 2017 | 2016
Net sales | $ 4,100 | $ 3,900
Cost of sales | 3,000 | 2,800"""


@pytest.fixture
def index() -> Index:
    return Index(TEXT)


def best(index: Index, query: str) -> str:
    return index.rank(content_terms(query))[0][0].text


def test_finds_a_sentence_by_its_terms(index: Index) -> None:
    assert (
        best(index, "How many people does Wexcombe employ?")
        == "It employs 310 people in three towns."
    )


def test_finds_a_row_by_its_label_with_its_years(index: Index) -> None:
    passage, coverage = index.rank(content_terms("net sales"))[0]
    assert passage.row is not None
    assert passage.row.label == "Net sales"
    assert passage.years == {"2016", "2017"}
    assert coverage == pytest.approx(1.0)


def test_coverage_is_the_share_of_query_terms_in_a_passage(index: Index) -> None:
    _, whole = index.rank(content_terms("larger mills"))[0]
    _, half = index.rank(content_terms("larger zeppelins"))[0]
    assert whole == pytest.approx(1.0)
    assert half < 0.6


def test_offsets_of_passages_are_exact(index: Index) -> None:
    assert all(TEXT[p.start_char : p.end_char] == p.text for p in index.passages)
    assert [p.start_char for p in index.passages] == sorted(p.start_char for p in index.passages)
