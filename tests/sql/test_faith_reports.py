"""What reports say of FAITH's figures: how many of each kind, and what a reader has to know besides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.masked_rows import MaskedSpan, Vote
from tasks.schemas import Reject
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import fill


@pytest.fixture
def masked(lake, answered, bought):
    """Two figures of one filing: one with a proof and a panel's votes, which is asked for, and one with nothing."""
    fill(lake, answered, bought)
    add_masked(lake)
    return lake


def test_scenarios_of_figures_add_up_and_our_own_have_no_mask_type_besides(masked, asked) -> None:
    found = asked(
        "select slice, n_figures, n_proved, n_asked, n_asked_proved, n_asked_voted from reports.faith_instances"
    )
    assert found == [
        ("overall", 2, 1, 1, 1, 1),
        ("scenario=direct lookup", 1, 1, 1, 1, 1),
        ("scenario=no derivation", 1, 0, 0, 0, 0),
        ("unit=money", 2, 1, 1, 1, 1),
    ]


def test_published_figures_have_the_published_mask_type(masked, asked) -> None:
    for span in masked.of(MaskedSpan):
        masked.swap(span, replace(span, uid=span.span_id))
    found = asked("select slice, n_figures from reports.faith_instances where slice like 'mask_type=%'")
    assert found == [("mask_type=A", 2)]


def test_filings_of_which_nothing_can_be_asked_are_counted_from_their_rejects(masked, asked) -> None:
    from_rejects = "select says, query from reports.faith_remarks where query like 'from raw.rejects%'"
    assert asked(from_rejects) == []
    reason = "Item 7 has no data tables"
    masked.add(
        Reject(reject_id="r", stage="contexts", parent_id="document", reason=reason, detail=""), suite="faith"
    )
    ((said, query),) = asked(from_rejects)
    assert said == f"1 of 1 filings have nothing to ask: {reason}."
    assert asked(f"select reject_id {query}") == [("r",)]


def test_a_voter_that_cannot_be_read_is_named(masked, asked) -> None:
    about_votes = "select says from reports.faith_remarks where query = 'from raw.votes'"
    says = "{} of the panel says of {} figures that the tables give them, and of {} that they do not; {} votes could not be read"
    assert asked(about_votes) == [(says.format(name, 1, 0, 0) + ".",) for name in ("one", "three", "two")]
    one, two, _ = sorted(masked.of(Vote), key=lambda vote: (vote.model == "three", vote.model))
    masked.swap(one, replace(one, is_answerable=None, unread_reason="the reply has no JSON object"))
    masked.swap(two, replace(two, is_answerable=False))
    assert asked(about_votes) == [
        (says.format("one", 0, 0, 1) + ", so that the panel vouches for no figure.",),
        (says.format("three", 1, 0, 0) + ".",),
        (says.format("two", 0, 1, 0) + ".",),
    ]
