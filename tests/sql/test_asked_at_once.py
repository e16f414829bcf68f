"""The reports that people ask for at once: hardest questions, costs, sectors, changes and more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tasks.core.rows import Case, Judgement
from tasks.warehouse.releases import Release
from tests.sql.conftest import PERTURBATIONS, HandmadeLake, answer_request
from tests.sql.filed import add_pair_of_filing

Asked = Callable[..., list[tuple]]


def rate(lake: HandmadeLake, pair: str, rating: int | None, **of: Any) -> None:
    lake.judge(pair, dict.fromkeys(PERTURBATIONS, rating), **of)


def test_a_question_that_no_model_gets_right_comes_first(lake: HandmadeLake, asked: Asked) -> None:
    for pair, ratings in {"easy": (5, 6), "split": (1, 6), "hard": (1, 2)}.items():
        lake.add_pair(pair)
        for model, rating in zip(("m", "o"), ratings, strict=True):
            rate(lake, pair, rating, model=model)
    lake.judge("hard", {"baseline": 4}, model="third")
    found = asked(
        "select qa_pair_id, value, n, n_models, n_models_at_zero from reports.hardest_questions"
    )
    assert found == [
        ("hard", pytest.approx(1 / 15), 15, 3, 2),
        ("split", 0.5, 14, 2, 1),
        ("easy", 1.0, 14, 2, 0),
    ]


def test_a_question_without_any_verdict_comes_last_and_has_no_value(
    lake: HandmadeLake, asked: Asked
) -> None:
    for pair, rating in (("a", None), ("b", 6)):
        lake.add_pair(pair)
        rate(lake, pair, rating)
    columns = "qa_pair_id, value, n, n_unscored, n_models, n_models_at_zero"
    found = asked(f"select {columns} from reports.hardest_questions")
    assert found == [("b", 1.0, 7, 0, 1, 0), ("a", None, 0, 7, 0, 0)]


def decide(lake: HandmadeLake, labels: dict[str, str | None], judge: str, **other: Any) -> None:
    """Have a rule of FAITH label the baseline of each pair."""
    for pair, label in labels.items():
        case_id = f"{pair}.baseline"
        lake.add(
            Judgement(
                judgement_id=f"{case_id} {judge}",
                request_id=f"{case_id} m",
                case_id=case_id,
                model="m",
                judge=judge,
                label=label,
                unscored_reason=None if label else "no figure",
                **other,
            ),
            suite="faith",
        )


def test_judges_that_disagree_stand_side_by_side_without_ratings(
    lake: HandmadeLake, asked: Asked
) -> None:
    for pair in "abcd":
        lake.add_pair(pair, perturbations=("baseline",))
    lake.move_to("faith")
    strict = {"a": "correct", "b": "wrong", "c": "wrong", "d": None}
    decide(lake, strict, "strict", rationale="to the cent")
    decide(lake, {"a": "correct", "b": "correct", "c": "wrong", "d": "wrong"}, "official")
    columns = "judge, other_judge, case_id, is_compliant, verdict, other_verdict"
    reasons = "rationale, other_rationale, target"
    found = asked(f"select {columns}, {reasons} from reports.judge_disagreements")
    pair = ("official", "strict", "b.baseline", True, "correct", "wrong")
    assert found == [(*pair, None, "to the cent", "$5 million")]


def test_a_disagreement_of_ratings_is_one_of_right_and_wrong(
    lake: HandmadeLake, asked: Asked
) -> None:
    lake.add_pair("a")
    lake.judge("a", {"baseline": 3, "ocr": 4, "missing_context": 6})
    lake.judge("a", {"baseline": 4, "ocr": 6, "missing_context": None}, judge="k")
    columns = "judge, other_judge, case_id, verdict, other_verdict"
    found = asked(f"select {columns} from reports.judge_disagreements")
    assert found == [("j", "k", "a.baseline", "3", "4")]


@pytest.fixture
def paid(lake: HandmadeLake, answered: Callable[..., Any]) -> HandmadeLake:
    """Two models answer seven cases for a cent each, of which one gets 2 right and one none."""
    lake.add_pair("a")
    rate(lake, "a", 1, model="none")
    ratings: dict[str, int | None] = dict.fromkeys(PERTURBATIONS, 1)
    lake.judge("a", ratings | {"ocr": 5, "baseline": 4, "misspelled": None}, model="two")
    for model in ("none", "two"):
        for case in lake.of(Case):
            _, response = answered(case)
            request = replace(answer_request(case, model), key=f"{model} {case.case_id}")
            response = replace(response, request_id=request.request_id, cost_usd=0.01)
            lake.add(request, replace(response, attempts=1))
    return lake


def test_a_correct_answer_costs_what_all_answers_cost(paid: HandmadeLake, asked: Asked) -> None:
    columns = "model, n, n_unscored, n_correct, n_calls, cost_usd, cost_per_correct_usd"
    assert asked(f"select {columns} from reports.cost_per_correct_answer") == [
        ("two", 6, 1, 2, 7, pytest.approx(0.07), pytest.approx(0.035)),
        ("none", 7, 0, 0, 7, pytest.approx(0.07), None),
    ]


def test_reused_answers_cost_each_release_the_same(paid: HandmadeLake, asked: Asked) -> None:
    for (table, release, suite), rows in list(paid.rows.items()):
        paid.rows[table, "later", suite] = list(rows)
        assert release == "dev"
    query = (
        "select release, n_calls, cost_per_correct_usd from reports.cost_per_correct_answer "
        "where model = 'two' order by release"
    )
    cents = pytest.approx(0.035)
    assert asked(query) == [("dev", 7, cents), ("later", 7, cents)]


def test_a_model_without_a_price_has_no_cost_per_answer(lake: HandmadeLake, asked: Asked) -> None:
    lake.add_pair("a")
    rate(lake, "a", 6)
    query = "select n_correct, cost_usd, cost_per_correct_usd from reports.cost_per_correct_answer"
    assert asked(query) == [(7, None, None)]


def test_a_sector_stands_beside_the_whole(lake: HandmadeLake, asked: Asked) -> None:
    for pair, sic, rating in (("a", "2911", 6), ("b", "6021", 1), ("c", None, 6)):
        add_pair_of_filing(lake, pair, sic=sic)
        rate(lake, pair, rating)
    found = asked(
        "select sector, value, overall, n from reports.sectors where metric = 'compliance'"
    )
    overall = pytest.approx(2 / 3)
    assert found == [
        ("finance", 0.0, overall, 7),
        ("manufacturing", 1.0, overall, 7),
        ("unknown", 1.0, overall, 7),
    ]


def test_the_last_release_is_the_one_before_in_time_not_by_name(
    lake: HandmadeLake,
) -> None:
    made = {"spring": "2026-04-02", "autumn": "2026-10-01", "dev": "2026-12-24", "b-dev": "2026-05"}
    for release, rating in {"spring": 6, "autumn": 1, "dev": 6, "b-dev": 6}.items():
        lake.add_pair("a", release=release)
        rate(lake, "a", rating, release=release)
    rate(lake, "a", 6, model="new", release="autumn")
    releases = [Release(name, not name.endswith("dev"), at) for name, at in made.items()]
    query = """
        select release, last_release, model, last_value, value, change, n
        from reports.since_last_release
        where metric = 'compliance' and slice_by = 'overall' order by all"""
    with lake.open(releases=releases) as connection:
        assert connection.execute(query).fetchall() == [
            ("autumn", "spring", "m", 1.0, 0.0, -1.0, 7),
            ("autumn", "spring", "new", None, 1.0, None, 7),
            ("b-dev", "spring", "m", 1.0, 1.0, 0.0, 7),
            ("dev", "autumn", "m", 0.0, 1.0, 1.0, 7),
        ]
