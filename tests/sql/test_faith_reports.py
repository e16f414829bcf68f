"""Reports of FAITH's figures: how many of each kind, and what else a reader must know."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Filing, QAPair
from tasks.suites.faith.rows import MaskedSpan, Vote
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import fill


@pytest.fixture
def masked(lake, answered, bought):
    """Two figures of one filing: one asked for, with a proof and a panel's votes; one bare."""
    fill(lake, answered, bought)
    add_masked(lake)
    return lake


def test_scenarios_of_figures_add_up_and_our_own_have_no_mask_type_besides(masked, asked) -> None:
    found = asked(
        "select slice_by, slice_value, n_figures, n_searched, n_proved, n_asked, "
        "n_asked_proved, n_asked_voted from faith.instances"
    )
    assert found == [
        ("overall", "all", 2, 2, 1, 1, 1, 1),
        ("scenario", "direct lookup", 1, 1, 1, 1, 1, 1),
        ("scenario", "no derivation", 1, 1, 0, 0, 0, 0),
        ("unit", "count", 1, 1, 0, 0, 0, 0),
        ("unit", "money", 1, 1, 1, 1, 1, 1),
    ]


def test_questions_are_said_to_rest_on_the_filings_that_they_are_of(masked, asked) -> None:
    of_filings = "select says, query from faith.remarks where says like '%filing%'"
    ((said, query),) = asked(of_filings)
    assert said.startswith("1 of 1 filings have questions")
    assert asked(query) == [("document", 1)]
    for row in (*masked.of(QAPair), *masked.of(Case)):
        if row.qa_pair_id == "masked":
            masked.drop(row)
    for span in masked.of(MaskedSpan):
        masked.swap(span, replace(span, qa_pair_id=None))
    (none, (said, query)) = asked(of_filings)
    assert none[0].startswith("0 of 1 filings have questions")
    assert said == (
        "1 of 1 filings have no questions: Item 7 has tables, but no figure that can be asked for."
    )
    assert asked(query) == [(["document"], 2)]


@pytest.mark.parametrize(
    ("strict", "differs_by", "words"),
    [
        ("correct", None, None),
        ("the opposite sign", "sign", "1 published answers differ from their sentence: 0 state"),
        ("another number", "figure", "1 published answers differ from their sentence: 1 state"),
    ],
)
def test_labels_say_by_what_published_answers_differ(
    masked, asked, strict: str, differs_by: str | None, words: str | None
) -> None:
    (filing,) = masked.of(Filing)
    masked.swap(filing, replace(filing, form="dataset"))
    (case,) = (case for case in masked.of(Case) if case.suite == "faith")
    details = {"as_written": {"strict": strict, "official": "correct"}}
    masked.swap(case, replace(case, details=json.dumps(details)))
    labels = asked("select differs_by from faith.labels")
    assert labels == ([(differs_by,)] if differs_by else [])
    remarks = asked("select says, query from faith.remarks where says like '%published answers%'")
    assert len(remarks) == (words is not None)
    if words:
        ((says, query),) = remarks
        assert says.startswith(words)
        assert len(asked(query)) == 1


def test_a_voter_that_cannot_be_read_is_named(masked, asked) -> None:
    about_votes = "select says from faith.remarks where query = 'from raw.votes'"
    says = (
        "{} of the panel votes that the tables give {} figures and do not give {}; "
        "{} votes could not be read"
    )
    assert asked(about_votes) == [
        (says.format(name, 1, 0, 0) + ".",) for name in ("one", "three", "two")
    ]
    one, two, _ = sorted(masked.of(Vote), key=lambda vote: (vote.model == "three", vote.model))
    masked.swap(one, replace(one, is_answerable=None, unread_reason="the reply has no JSON object"))
    masked.swap(two, replace(two, is_answerable=False))
    assert asked(about_votes) == [
        (says.format("one", 0, 0, 1) + ", so the panel vouches for no figure.",),
        (says.format("three", 1, 0, 0) + ".",),
        (says.format("two", 0, 1, 0) + ".",),
    ]
