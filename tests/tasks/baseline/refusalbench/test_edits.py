"""Edits cut what their lever names, and nothing that the rest of the passage needs."""

from __future__ import annotations

import pytest

from tasks.baseline.refusalbench.edits import EDITS, blanked, pointed, replaced
from tasks.baseline.refusalbench.question import Question

SALES = "Net sales rose by 2% in 2021."


def asks(query: str, answer: str, measure: str = "") -> Question:
    asked = {"company": "Acme", "measure": measure, "period": "2021", "figure": answer}
    return Question(
        is_single=True,
        perturbation_class="missing_info",
        intensity="low",
        query=query,
        answers=(answer,),
        asked=asked if measure else {},
        signal=(),
        noise=(),
    )


RISE = asks(
    "By what percentage did Acme's net sales increase in 2021?", "2%", "increase in net sales"
)
START = asks("When was Acme organized?", "March 1985")


@pytest.mark.parametrize(
    ("edit", "text", "left"),
    [
        ("cut_statistic", f"{SALES} Rent was $5 million, up from $4 million in 2020.", "$4"),
        ("cut_brackets", f"{SALES} Flour (our oldest product) sold well.", "oldest"),
        ("cut_adjective", f"{SALES} We have a strong brand.", "strong"),
        ("purge", SALES, "2%"),
        ("cut_answer", f"{SALES} Prices drive the increase in net sales.", "2%"),
    ],
)
def test_cuts_what_the_lever_names(edit: str, text: str, left: str) -> None:
    assert left in text
    assert left not in EDITS[edit](text, RISE)


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ("cut_statistic", f"{SALES} Ms. Roe, 54, joined us in May."),
        ("cut_statistic", f"{SALES} Ms. Roe earned $5 million. Mr. Poe and Ms. Roe left."),
        (
            "cut_statistic",
            f"{SALES} Rent was $5 million, up from $4 million. The increase is ours.",
        ),
        ("cut_brackets", f'{SALES} Acme Mills Inc. ("Mills") grinds flour.'),
        ("cut_brackets", f"{SALES} Acme Corporation (Acme Mills) grinds flour."),
        ("cut_adjective", f"{SALES} There is no significant customer."),
        ("cut_answer", f"{SALES} This followed a decline in net sales."),
        ("cut_answer", f"{SALES} Our lease ends in May."),
        ("purge", "Net sales rose by 2%, or $5 million, in 2021."),
    ],
)
def test_leaves_what_it_does_not_name(edit: str, text: str) -> None:
    assert EDITS[edit](text, RISE) == text


def test_a_figure_of_something_else_stays() -> None:
    text = f"{SALES} Rent rose by 2% in 2021."
    assert blanked(text, RISE, "[●]") == text
    both = "Acme was organized in March 1985. Its lease began in March 1985."
    assert blanked(both, START, "[●]") == both
    assert blanked(SALES, RISE, "[●]") == "Net sales rose by [●] in 2021."


def test_takes_a_date_out_of_its_sentence() -> None:
    text = "Acme was organized in Ohio in March 1985. It mills flour."
    assert EDITS["purge"](text, START) == "Acme was organized in Ohio. It mills flour."


def test_a_pointer_stands_in_place_of_the_sentence_alone() -> None:
    text = f"[Acme, annual report]\nWe mill flour. {SALES} Our lease ends in May."
    told = pointed(text, RISE, "It is on a recording.")
    assert told == text.replace(SALES, "It is on a recording.")
    assert replaced(text, "Wells.") == "[Acme, annual report]\nWells."


def test_empties_a_cell_and_no_other() -> None:
    question = asks("What was Acme's cash in 2021?", "$20 million", "cash")
    table = "(In millions) | 2021 | 2020\nCash | $20 | $11\nLand | 47 | 19\nTotal | $67 | $30"
    assert EDITS["empty_cell"](table, question) == (
        "(In millions) | 2021 | 2020\nCash | | $11\nLand | 47 | 19\nTotal | $67 | $30"
    )
    assert EDITS["cut_rows"](f"Assets\n\n{table}", question) == (
        "Assets\n\n(In millions) | 2021 | 2020"
    )
