"""Which answers people rate: every stratum alike, and the same answers for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from tasks.core.errors import WrongUsage
from tasks.core.rows import AuditItem
from tasks.results.audit.drawing import Rated, Shown, _cited, allotted, apart, stratified

PERTURBATIONS = ("baseline", "ocr", "missing_context")


def frame(n: int = 600, n_models: int = 2) -> list[Rated]:
    """Answers of which one in ten is not compliant."""
    return [
        Rated(
            judgement_id=f"judgement {number}",
            request_id=f"request {number}",
            judge_request_id=f"judging {number}",
            model=f"model {number % n_models}",
            rubric="missing_context" if number % 3 == 2 else "answerable",
            variant=PERTURBATIONS[number % 3],
            is_compliant=number % 10 != 0,
            answer_sha256="",
            question=f"question {number // 14}?",
            quotes=(),
        )
        for number in range(n)
    ]


@pytest.mark.parametrize(
    ("n", "n_strata"),
    [(100, 9), (9, 9), (8, 6), (6, 6), (5, 4), (4, 4)],
    ids=lambda value: str(value),
)
def test_the_finest_strata_that_the_number_is_enough_for_are_used(n, n_strata) -> None:
    """One of the two models, the odd one, never fails.

    The strata are 3 perturbations x 3, then x 2, then 2 rubrics x 2.
    """
    strata = stratified(frame(), n)
    assert len(strata) == n_strata
    assert sum(map(len, strata.values())) == 600


def test_fewer_answers_than_strata_are_refused_with_the_number_that_would_do() -> None:
    with pytest.raises(WrongUsage, match="4 strata"):
        stratified(frame(), 3)


def test_each_stratum_gives_as_many_as_it_has_or_as_the_others() -> None:
    strata = stratified(frame(), 100)
    sizes = {name: len(found) for name, found in allotted(strata, 100, seed=1).items()}
    assert sum(sizes.values()) == 100
    assert set(sizes.values()) == {11, 12}
    few = {"rare": frame()[:2], "common": frame()[2:]}
    assert Counter(map(len, allotted(few, 20, seed=1).values())) == {2: 1, 18: 1}


def test_all_are_drawn_where_there_are_no_more() -> None:
    strata = stratified(frame(20), 1000)
    assert sum(map(len, allotted(strata, 1000, seed=1).values())) == 20


def test_a_draw_depends_on_its_seed_and_not_on_the_order_of_rows() -> None:
    def drawn(rows: list[Rated], seed: int) -> set[str]:
        found = allotted(stratified(rows, 100), 100, seed)
        return {rated.request_id for of_stratum in found.values() for rated in of_stratum}

    assert drawn(frame(), 1) == drawn(frame()[::-1], 1)
    assert drawn(frame(), 1) != drawn(frame(), 2)


def test_questions_are_drawn_alike() -> None:
    """Of 43 questions in 600 answers, 20 draws take 20 and 86 each twice."""

    def most(n: int) -> int:
        found = allotted(stratified(frame(), n), n, seed=1)
        return max(Counter(rated.question for of in found.values() for rated in of).values())

    assert most(20) == 1
    assert most(86) <= 3


def shown(name: str, question: str) -> Shown:
    item = AuditItem(
        audit_item_id=name,
        draw_id="draw",
        judgement_id="judgement",
        request_id="request",
        answer_sha256="",
        rubric="answerable",
        stratum="all",
        n_stratum=1,
        n_drawn=1,
    )
    return Shown(item, question, "", "", "", "")


@pytest.mark.parametrize("n_questions", [20, 23, 74])
def test_no_question_comes_twice_in_twenty_rows(n_questions: int) -> None:
    """Four answers to one question and one to three to others, as they come: all of one at once."""
    rows = [
        shown(f"{question} {n}", f"question {question}")
        for question in range(n_questions)
        for n in range(2)
    ]
    ordered = [each.question for each in apart(rows)]
    assert sorted(ordered) == sorted(each.question for each in rows)
    windows = [ordered[start : start + 20] for start in range(len(ordered) - 19)]
    assert all(len(set(window)) == 20 for window in windows)


def test_few_questions_are_as_far_apart_as_they_can_be() -> None:
    rows = [shown(f"{n}", f"question {n % 3}") for n in range(12)]
    ordered = [each.question for each in apart(rows)]
    assert all(len(set(ordered[start : start + 3])) == 3 for start in range(10))


def test_the_cited_passages_come_without_the_opening() -> None:
    text = "FORM 10-K [...]\n-----\n[...] Sales grew. [...]\n-----\n[...] Costs fell. [...]"
    assert _cited(["Sales grew."], text) == "Sales grew."
    assert _cited([], text) == "[...] Sales grew. [...]\n-----\n[...] Costs fell. [...]"
    assert _cited([], "FORM 10-K [...]") == "FORM 10-K [...]"
