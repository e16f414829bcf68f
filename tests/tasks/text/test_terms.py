"""Content terms and names of a text."""

from __future__ import annotations

import pytest

from tasks.text.terms import content_terms, names_in, stem


@pytest.mark.parametrize(
    "family",
    [
        ["revenue", "revenues", "Revenue's"],
        ["operate", "operates", "operating", "operation", "operations"],
        ["employee", "employees"],
        ["loss", "losses"],
    ],
)
def test_forms_of_a_word_share_a_stem(family: list[str]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    ("a", "b"), [("business", "busy"), ("interest", "internal"), ("net", "nets a")]
)
def test_different_words_keep_different_stems(a: str, b: str) -> None:
    assert stem(a) != stem(b)


def test_stop_words_and_numbers_are_not_terms() -> None:
    assert content_terms("What was the total revenue of 2017, $1,234?") == ["total", "revenu"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "The Company acquired Motorola Mobility from Google Inc. in May 2012.",
            ["Motorola Mobility", "Google Inc."],
        ),
        ("Tim Cook and Bank of America agreed. Revenue fell.", ["Tim Cook", "Bank of America"]),
        (
            "IBM sells. iPhone sales in the United States and China rose.",
            ["IBM", "iPhone", "United States", "China"],
        ),
        ("Our Vice President visited J.P. Morgan & Co. Inc.", ["J.P. Morgan & Co. Inc."]),
        ("What did Alphabet's Board of Directors decide?", ["Alphabet"]),
        ("CONSOLIDATED STATEMENTS OF OPERATIONS DATA", []),
        ("See Note 5 and Item 7. Total Revenue was up.", []),
        ("Sales rose. Costs fell.", []),
    ],
)
def test_finds_names_without_the_usual_capitals(text: str, names: list[str]) -> None:
    assert names_in(text) == names
