"""Sentences taken apart: only those with a certain subject and time."""

from __future__ import annotations

import pytest

from tasks.suites.shared.clauses import Clause, take_apart
from tasks.suites.shared.phrases import lower_words_of

WORDS = lower_words_of("the results and net sales of its mills, an overview of diluted earnings")


def test_a_subject_is_written_as_in_running_text() -> None:
    said = "Net sales increased 5% in 2017, primarily due to higher prices."
    assert take_apart(said, WORDS) == Clause(
        "net sales", "increased", " 5% in 2017, primarily due to higher prices.", "in 2017"
    )
    named = take_apart("Wexcombe Mills operates four mills in Canada and Ohio.", WORDS)
    assert named is not None
    assert (named.subject, named.time) == ("Wexcombe Mills", "")


@pytest.mark.parametrize(
    "said",
    [
        "Results Overview Diluted earnings increased 5% to $4.1 million in 2017.",
        "Net sales increased 5% to the level that we had planned in our budget of 2017.",
        "It increased 5% to $4.1 million in 2017 from $3.9 million in 2016.",
    ],
    ids=["begins with a heading", "time unclear", "subject elsewhere"],
)
def test_unclear_sentences_are_not_taken_apart(said: str) -> None:
    assert take_apart(said, WORDS) is None


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("Water and Wastewater revenues were $4.1 million in 2017.", "Water and Wastewater"),
        ("Mills and Sales increased in 2017 because of an overview.", "mills and sales"),
    ],
)
def test_words_that_and_joins_are_names_together_or_none(said: str, subject: str) -> None:
    clause = take_apart(said, WORDS | {"water", "sales"})
    assert clause is not None
    assert clause.subject.startswith(subject)
