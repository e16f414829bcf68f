"""Whether a figure is a level or a change."""

from __future__ import annotations

import pytest

from tasks.suites.faith.derivations.passage import Passage, read_passage
from tasks.suites.faith.derivations.roles import Role


@pytest.mark.parametrize(
    ("sentence", "role"),
    [
        ("Sales saw a [MASK] increase in 2022.", "change"),
        ("Sales of [MASK] increased in 2022.", "change"),
        # the change is the next figure's
        ("Sales of [MASK] increased 2% in 2022.", "level"),
        ("Sales of [MASK] increased by approximately $2 million in 2022.", "level"),
        # or that of the one before
        ("Increased sales of [MASK] were recorded.", "change"),
        ("Sales increased 2% or $1 million to a total of [MASK] in 2022.", "level"),
    ],
)
def test_a_change_word_speaks_of_the_figure_that_it_stands_at(sentence: str, role: Role) -> None:
    assert read_passage(Passage("", sentence, "")).role == role


def test_a_list_of_names_holds_no_figure() -> None:
    read = read_passage(
        Passage(
            "",
            "Pumps were $5 and $4 in 2022 and 2021, respectively, and valves were [MASK] and $2 in "
            "2022 and 2021, respectively.",
            "",
        )
    )
    assert read.phrase == {"valv"}
