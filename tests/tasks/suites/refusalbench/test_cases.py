"""Cases are drawn by strata and generator; every perturbation is a case or a reject."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from tasks.core.rows import Case, Context, Reject
from tasks.inference.client import Client
from tasks.suites.refusalbench.cases import NOT_ASKED, NOT_DRAWN, build_cases
from tasks.suites.refusalbench.generation import perturb
from tasks.suites.refusalbench.rows import Perturbation, VerifierVote
from tests.filled import filled
from tests.perturbed import base_question, generator, inputs_of, pair_of

BASES = [base_question(number) for number in range(6)] + [base_question(9, "multi")]
ROWS = [*BASES, *map(pair_of, BASES)]


def made_and_passed() -> tuple[list[Perturbation], list[VerifierVote]]:
    engines = [Client(generator(name), part=None) for name in ("a", "b")]
    made = list(perturb(inputs_of(*ROWS, engines={"generator": engines})))  # type: ignore[dict-item]
    votes = [
        filled(
            VerifierVote,
            verifier_vote_id=f"vote-{each.perturbation_id}",
            perturbation_id=each.perturbation_id,
            passes=True,
        )
        for each in made
    ]
    return made, votes


def built(**options: Any) -> tuple[list[Case], list[Context], list[Reject]]:
    made, votes = made_and_passed()
    rows = list(build_cases(inputs_of(*ROWS, *made, *votes, **options)))
    cases = [row for row in rows if isinstance(row, Case)]
    rejects = [row for row in rows if isinstance(row, Reject)]
    drawn = {json.loads(case.details)["perturbation_id"] for case in cases}
    assert len(drawn) + len(rejects) == len(made)
    assert {reject.reason for reject in rejects} <= {NOT_DRAWN}
    return cases, [row for row in rows if isinstance(row, Context)], rejects


def test_strata_are_drawn_first_and_filled_up() -> None:
    cases, *_ = built(per_stratum=2, per_generator=40)
    single = [case for case in cases if case.traits["setting"] == "single"]
    for generator_name in ("a", "b"):
        of_one = [case for case in single if case.traits["generator"] == generator_name]
        counts = Counter(case.variant for case in of_one)
        assert len(of_one) == 40
        assert len(counts) == 18
        assert min(counts.values()) >= 2
    only_strata, *_ = built(per_stratum=2, per_generator=1)
    assert set(Counter(case.variant for case in only_strata).values()) == {2 * 2 + 2}


def test_another_order_of_rows_draws_the_same_cases() -> None:
    made, votes = made_and_passed()
    there = build_cases(inputs_of(*ROWS, *made, *votes, per_stratum=2, per_generator=20))
    back = build_cases(inputs_of(*ROWS, *made[::-1], *votes[::-1], per_stratum=2, per_generator=20))
    first, second = ({row for row in rows if isinstance(row, Case)} for rows in (there, back))
    assert {case.case_id for case in first} == {case.case_id for case in second}


def test_a_case_shows_the_changed_passages_and_says_what_is_expected() -> None:
    cases, contexts, _ = built()
    texts = {context.context_id: context.text for context in contexts}
    assert len(texts) == len(contexts)
    originals = {pair.qa_pair_id: pair.context_id for pair in map(pair_of, BASES)}
    for case in cases:
        expected = json.loads(case.details)["expected"]
        assert case.is_answerable == (expected == "ANSWER_CORRECTLY")
        assert case.is_answerable == case.variant.endswith("low")
        assert case.target == "$7.7 billion"
        if case.traits["perturbation_class"] == "false_premise":
            assert case.context_id == originals[case.qa_pair_id]
        else:
            text = texts[case.context_id or ""]
            assert text.count("So we say.") >= 1
            assert ("Passage 10:" in text) == (case.traits["setting"] == "multi")


def test_a_case_is_asked_by_each_prompt_that_the_options_name() -> None:
    cases, *_ = built(answer_prompts=("plain", "confidence"), per_stratum=1, per_generator=1)
    prompts = Counter(case.traits["prompt"] for case in cases)
    assert prompts["plain"] == prompts["confidence"] > 0
    assert len({case.case_id for case in cases}) == len(cases)


def test_a_pair_that_is_never_asked_is_a_reject() -> None:
    """Rows of one question, and of another that no generator could perturb."""
    made, votes = made_and_passed()
    lone = [each for each in made if each.base_question_id == BASES[0].base_question_id]
    rows = build_cases(inputs_of(*ROWS[:2], *ROWS[7:9], *lone, *votes))
    found = [row.parent_id for row in rows if isinstance(row, Reject) and row.reason == NOT_ASKED]
    assert found == [BASES[1].base_question_id]
