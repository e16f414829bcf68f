"""Evidence: tags in sequence, figures across scales, the best sentences first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.baseline.failsafeqa.evidence import Evidence, read_tagged, said_terms, stated_figures
from tasks.quantities.figures import find_figures

SENTENCES = [
    "Acme Mills makes paper.",
    "| 2017 | 2016",
    "Net sales | $ 12,345 | $ 11,800",
    "Cost of sales | 9,100 | 8,700",
    "Mr. Smith became chief executive officer in 2015.",
    "Paper prices rose in all markets.",
]


@settings(deadline=None)
@given(
    st.lists(
        st.text(alphabet="ab <>C0179", max_size=12).filter(lambda text: "<C" not in text),
        max_size=15,
    )
)
def test_tagged_sentences_are_read_back(sentences: list[str]) -> None:
    tagged = "".join(f"<C{number}>{sentence}" for number, sentence in enumerate(sentences))
    assert read_tagged(tagged, "C") == sentences


def test_tag_out_of_sequence_is_text() -> None:
    assert read_tagged("<C0>See <C7> and <C0>.<C1>End", "C") == ["See <C7> and <C0>.", "End"]


@pytest.mark.parametrize(
    ("said", "source", "proved"),
    [
        ("$12.3 million", "Sales | 12,345 |", True),
        ("12,345", "Sales of $12.345 million", True),
        ("$60.9 billion", "60,922", True),
        ("$12.4 million", "Sales | 12,345 |", False),
        ("$5 million", "Sales | 5 | x", True),
        ("$5 million", "Sales ....... 5", True),
        ("$5 million", "Sales     $  5      6", True),
        ("$5 million", "It has 5 mills", False),
        ("$12,345", "Sales of $12.3 thousand", False),
        ("$41,265,000", "Sales | 41 |", False),
        ("$5 million", "Sales of $5.0 million", True),
        ("$5.0 million", "Sales of $5 million", True),
        ("12.5%", "Share | 12.5 |", True),
        ("12.5%", "12.5 of them", False),
        ("12.5%", "Sales | 12,500", False),
        ("2017", "Sales | 2,017,000", False),
    ],
)
def test_a_figure_proves_equal_or_less_precise_ones_and_cells_may_omit_units(
    said: str, source: str, proved: bool
) -> None:
    (figure,) = find_figures(said)
    assert stated_figures(source)[0].proves(figure) is proved


def test_markup_and_the_words_of_figures_are_no_terms() -> None:
    assert said_terms("<table>\n<tr><td>Net sales</td><td>$1.5 million</td></tr></table>") == [
        "net",
        "sal",
    ]


def test_a_figure_outweighs_a_word() -> None:
    statement = "Paper prices and sales: $12.3 million."
    assert Evidence(SENTENCES).supporting(statement, "")[0] == (2, 2)


def test_the_year_of_a_row_brings_its_head_and_neighbours_share_a_run() -> None:
    assert Evidence(SENTENCES).supporting(
        "Net sales were $12,345 thousand in 2017.", "What were net sales?"
    ) == [(1, 2)]


def test_the_head_of_a_long_table_is_cited_with_its_row() -> None:
    rows = [f"Item {chr(97 + n)} | {n + 10},400 | {n + 50},300" for n in range(20)]
    sentences = [
        "In 2017 we moved.\n\n",
        "| 2017 | 2016\n",
        *rows,
        "Net income | 7,777 | 8,888\n\n",
        "We left 2017 behind.",
    ]
    assert Evidence(sentences).supporting("Net income was $7,777 thousand in 2017.", "")[:2] == [
        (22, 22),
        (1, 1),
    ]


BALANCE_SHEET = [
    "We went public in 2009 and went on to make yarn at 14 mills.\n\n",
    "At December 31, 2017, cash totals $203 and the mills are idle.\n\n",
    "| 2017 | 2016\n",
    "Looms, less allowances of $77 and $71 at December 31, 2017 and 2016 | 95 | 99\n",
    "Total assets | $203 | $198\n",
    "Wool payable | 41 | 43\n\n",
]


@pytest.mark.parametrize(
    ("statement", "query"),
    [
        # the prose beside it states the figure and the year of something else
        ("Total assets were $203 in 2017.", "What were total assets in 2017?"),
        # no passage is cited for the word `went`, and no row for the year of its own notes
        ("Total assets went from $198 in 2016 to $203 in 2017.", "How did total assets change?"),
        # a row of a text may leave the year to the query
        ("Total assets: $203.", "List the total assets of 2017."),
    ],
)
def test_a_row_is_cited_with_the_line_of_its_years_alone(statement: str, query: str) -> None:
    assert Evidence(BALANCE_SHEET).supporting(statement, query) == [(4, 4), (2, 2)]


def test_one_word_in_common_proves_nothing() -> None:
    sentences = ["Wool prices went up by 5%.", "Dunmere went bankrupt.", "Yarn is spun."]
    statement = "Wool prices went up by 5%, says Dunmere."
    assert Evidence(sentences).supporting(statement, "") == [(0, 0)]
    assert Evidence(sentences).supporting(f"{statement} It is bankrupt.", "") == [(0, 1)]


def test_the_question_decides_between_equal_sentences() -> None:
    evidence = Evidence(["Sales rose by 5%.", "Costs rose by 5%."])
    assert evidence.supporting("By 5%.", "How much did costs rise?") == [(1, 1)]
    assert evidence.supporting("By 5%.", "How much did sales rise?") == [(0, 0)]


@pytest.mark.parametrize("statement", ["", "of the", "Dragons hoard gold."])
def test_unsupported_statement_has_no_support(statement: str) -> None:
    assert Evidence(SENTENCES).supporting(statement, "Who?") == []


def test_an_empty_document_supports_nothing() -> None:
    assert Evidence([]).supporting("Sales rose 5%.", "Did sales rise?") == []


@pytest.mark.parametrize(
    ("statement", "runs"),
    [("Mr. Smith became rich.", [(4, 4)]), ("Mr. Smith hoards gold coins.", [])],
)
def test_a_sentence_supports_only_what_it_says_most_of(
    statement: str, runs: list[tuple[int, int]]
) -> None:
    assert Evidence(SENTENCES).supporting(statement, "") == runs


def test_a_sentence_nearby_beats_a_slightly_better_one_far_away() -> None:
    sentences = [f"Filler{number} text{number}." for number in range(102)]
    sentences[0] = "Orrin Yarns bought the Tarnford mill from Dunmere Fibre."
    sentences[6] = "Carders, spinners, dyers stayed."
    sentences[100] = "Looms, wool, bobbins, spindles followed."
    statement = (
        "Orrin Yarns bought the Tarnford mill "
        "from Dunmere Fibre with carders, spinners, dyers, looms, wool, bobbins, spindles."
    )
    assert Evidence(sentences).supporting(statement, "") == [(0, 0), (6, 6), (100, 100)]
