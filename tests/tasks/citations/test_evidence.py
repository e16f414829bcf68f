"""Evidence: tags are read in sequence, figures match across scales, the best sentences win."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.citations.evidence import Evidence, read_tagged, states_figure
from tasks.text.figures import find_figures

SENTENCES = [
    "Acme Mills makes paper.",
    "| 2017 | 2016",
    "Net sales | $ 12,345 | $ 11,800",
    "Cost of sales | 9,100 | 8,700",
    "Mr. Smith became chief executive officer in 2015.",
    "Paper prices rose in all markets.",
]


@given(
    st.lists(st.text(alphabet="ab <>C0179", max_size=12).filter(lambda text: "<C" not in text), max_size=15)
)
def test_tagged_sentences_are_read_back(sentences: list[str]) -> None:
    tagged = "".join(f"<C{number}>{sentence}" for number, sentence in enumerate(sentences))
    assert read_tagged(tagged, "C") == sentences


def test_a_tag_out_of_sequence_is_text() -> None:
    assert read_tagged("<C0>See <C7> and <C0>.<C1>End", "C") == ["See <C7> and <C0>.", "End"]


@pytest.mark.parametrize(
    ("said", "stated", "same"),
    [
        ("$12.3 million", "12,345", True),
        ("12,345", "$12.345 million", True),
        ("$60.9 billion", "60,922", True),
        ("$12.4 million", "12,345", False),
        ("$5 million", "5", False),
        ("12.5%", "12,500", False),
        ("2017", "2,017,000", False),
    ],
)
def test_a_cell_of_a_scaled_table_states_the_amount(said: str, stated: str, same: bool) -> None:
    (left,), (right,) = find_figures(said), find_figures(stated)
    assert states_figure(left, right) is same
    assert states_figure(right, left) is same


def test_a_figure_outweighs_a_word() -> None:
    statement = "Paper prices and sales: $12.3 million."
    assert Evidence(SENTENCES).supporting(statement, "")[0] == (2, 2)


def test_the_year_of_a_row_brings_its_head_and_neighbours_share_a_run() -> None:
    assert Evidence(SENTENCES).supporting(
        "Net sales were $12,345 thousand in 2017.", "What were net sales?"
    ) == [(1, 2)]


def test_the_question_decides_between_equal_sentences() -> None:
    evidence = Evidence(["Sales rose by 5%.", "Costs rose by 5%."])
    assert evidence.supporting("By 5%.", "How much did costs rise?") == [(1, 1)]
    assert evidence.supporting("By 5%.", "How much did sales rise?") == [(0, 0)]


@pytest.mark.parametrize("statement", ["", "of the", "Dragons hoard gold."])
def test_what_no_sentence_says_has_no_support(statement: str) -> None:
    assert Evidence(SENTENCES).supporting(statement, "Who?") == []


def test_an_empty_document_supports_nothing() -> None:
    assert Evidence([]).supporting("Sales rose 5%.", "Did sales rise?") == []
