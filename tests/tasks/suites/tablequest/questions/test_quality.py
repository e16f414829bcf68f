"""Verifiers answer blind, judge and vote; without them only proofs count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tasks.suites.tablequest.questions.proofs import CELL_NOT_FOUND, STATED
from tasks.suites.tablequest.questions.quality import (
    NO_SOURCES,
    NOT_PROVED,
    NOT_READ,
    NOT_RELEVANT,
    NOT_VALID,
    OTHER_ANSWER,
    OTHER_LEVEL,
    decide,
    verify,
)
from tasks.suites.tablequest.questions.synthesis import write_drafts
from tasks.suites.tablequest.rows import Draft, Verification
from tests.scripted import Scripted
from tests.written_questions import snippet, verifier, writer

CONTEXT = snippet("one")
DRAFTS = {
    draft.level: draft for draft in write_drafts([CONTEXT], writer()) if isinstance(draft, Draft)
}
EASY, MEDIUM, HARD = DRAFTS["easy"], DRAFTS["medium"], DRAFTS["hard"]
UNCOMPUTED = replace(MEDIUM, proved=False, unproved_reason=CELL_NOT_FOUND, value=None)
IN_WORDS = replace(MEDIUM, proved=None, answer="Freight", value=None)


def votes_on(draft: Draft, *verifiers: Scripted) -> list[Verification]:
    return list(verify([draft], {CONTEXT.context_id: CONTEXT}, verifiers))


def test_a_verifier_sees_our_answer_only_after_it_has_given_its_own() -> None:
    engine = verifier(own="no answer")
    (vote,) = votes_on(MEDIUM, engine)
    blind, judged = engine.calls
    assert blind.inputs() == {"context": CONTEXT.text, "query": MEDIUM.query}
    assert MEDIUM.cot not in blind.prompt
    assert judged.inputs()["own_answer"] == "no answer"
    assert (judged.inputs()["answer"], judged.inputs()["steps"]) == (MEDIUM.answer, MEDIUM.cot)
    ids = (blind.request.request_id, judged.request.request_id)
    assert (vote.answer_request_id, vote.request_id) == ids


@pytest.mark.parametrize(
    ("draft", "own", "agrees", "is_same"),
    [
        (MEDIUM, "-3.2%", False, True),  # figures are compared by the rule, whatever it says
        (MEDIUM, "3.2%", True, False),
        (EASY, "$1,250 thousand", True, False),
        (IN_WORDS, "the freight segment", True, True),  # words by the verifier
        (IN_WORDS, "Freight", False, False),
        (HARD, "Prices fell.", False, False),
    ],
)
def test_figures_are_compared_by_the_strict_match_and_words_by_the_verifier(
    draft: Draft, own: str, agrees: bool, is_same: bool
) -> None:
    (vote,) = votes_on(draft, verifier(own=own, agrees=agrees))
    assert (vote.own_answer, vote.agrees, vote.accepts) == (own, is_same, is_same)


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ({"relevant": False}, NOT_RELEVANT),
        ({"valid": False}, NOT_VALID),
        ({"level": "easy"}, OTHER_LEVEL),
        ({"sources": ""}, NO_SOURCES),
        ({"own": "-3.4%"}, OTHER_ANSWER),
        ({"relevant": None}, NOT_READ),
    ],
)
def test_each_criterion_can_reject(verdict: dict[str, Any], reason: str) -> None:
    votes = votes_on(MEDIUM, verifier(**verdict))
    assert not votes[0].accepts
    evidence, why, detail = decide(MEDIUM, votes)
    assert (evidence, why) == (None, reason)
    assert "checker" in detail


YES, NO, UNREAD = verifier("yes"), verifier("no", valid=False), verifier("unread", relevant=None)
ELSE = verifier("else", own="-3.4%")


@pytest.mark.parametrize(
    ("verifiers", "is_kept"),
    [
        ([YES], True),
        ([YES, NO], False),
        ([YES, YES, NO], True),
        ([YES, UNREAD, UNREAD], False),
        ([YES, NO, ELSE], False),
    ],
)
def test_votes_decide_by_majority(verifiers: Sequence[Scripted], is_kept: bool) -> None:
    votes = [votes_on(MEDIUM, engine)[0] for engine in verifiers]
    assert (decide(MEDIUM, votes)[0] is not None) == is_kept


@pytest.mark.parametrize(
    ("draft", "evidence", "reason"),
    [
        (EASY, "proved", ""),
        (MEDIUM, "proved", ""),
        (HARD, "unverified", ""),
        (UNCOMPUTED, None, CELL_NOT_FOUND),
        (IN_WORDS, None, NOT_PROVED),
    ],
)
def test_without_verifiers_only_proofs_count_and_hard_questions_say_so(
    draft: Draft, evidence: str | None, reason: str
) -> None:
    assert decide(draft, [])[:2] == (evidence, reason)


@pytest.mark.parametrize("level", [EASY, MEDIUM, HARD])
def test_no_vote_saves_a_contradiction(level: Draft) -> None:
    lie = replace(level, proved=False, unproved_reason=STATED)
    votes = votes_on(level, verifier(own=level.answer))
    assert votes[0].accepts
    assert decide(lie, votes)[:2] == (None, STATED)
