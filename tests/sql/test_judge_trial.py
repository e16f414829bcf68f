"""What SQL makes of ratings given twice, by one judge and by two; against statsmodels and numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.core.rows import AttackVerdict
from tests.sql.rated import (
    MODELS,
    PERTURBATIONS,
    drawn,
    kappa_of,
    rate,
    rate_again,
    weighted_kappa_of,
)

# --- two judges ----------------------------------------------------------------------------


def test_two_judges_agree_as_statsmodels_says(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=1)
    for request, x, y in zip(answers, one, other, strict=True):
        rate(lake, request, "j", int(x))
        rate(lake, request, "k", int(y))
    slices = {
        ("overall", "all"): np.full(len(answers), True),
        ("model", "b"): np.array([request.model == "b" for request in answers]),
        ("rubric", "answerable"): np.array(
            ["missing" not in request.request_id for request in answers]
        ),
    }
    rows = asked(
        """select slice_by, slice_value, judge, other_judge, n, n_unscored_by_either, agreement,
            kappa, weighted_kappa
        from reports.judge_agreement"""
    )
    found = {row[:2]: row[2:] for row in rows}
    assert set(found) == {*slices, ("model", "a"), ("model", "c"), ("rubric", "missing_context")}
    for name, inside in slices.items():
        x, y = one[inside], other[inside]
        assert found[name][:4] == ("j", "k", inside.sum(), 0)
        assert found[name][4:] == pytest.approx(
            (np.mean((x >= 4) == (y >= 4)), kappa_of(x, y), weighted_kappa_of(x, y))
        )


# --- repeats -------------------------------------------------------------------------------


def test_flips_and_changes_of_repeats_are_counted_by_hand(lake, answers, asked) -> None:
    again = {0: (5, 5), 1: (5, 3), 2: (2, 1), 3: (4, 6), 4: (None, 4), 5: (4, None), 6: (3, 4)}
    of_a = [request for request in answers if request.model == "a"][
        :: len(PERTURBATIONS)
    ]  # one a filing
    for place, request in enumerate(of_a):
        first, second = again.get(place, (5, None))
        judgement = rate(lake, request, "j", first)
        if place in again:
            rate_again(lake, judgement, second)
    (row,) = asked(
        """select judge, n, n_unscored, n_flips, flip_rate, mean_rating_change,
            low <= flip_rate, high >= flip_rate
        from reports.judge_repeats where slice_by = 'overall'"""
    )
    assert row == (
        "j",
        5,
        2,
        2,
        pytest.approx(2 / 5),
        pytest.approx((0 + 2 + 1 + 2 + 1) / 5),
        True,
        True,
    )
    slices = asked("select slice_by, slice_value from reports.judge_repeats")
    assert slices == [("model", "a"), ("overall", "all"), ("rubric", "answerable")]


def test_repeats_change_no_metric(lake, answers, asked) -> None:
    judgements = [rate(lake, request, "j", 5) for request in answers]
    before = asked("from failsafeqa.metrics order by all")
    for judgement in judgements:
        rate_again(lake, judgement, 1)
    assert asked("from failsafeqa.metrics order by all") == before


# --- self-preference -----------------------------------------------------------------------


def test_a_judge_that_rates_its_own_answers_two_higher_prefers_itself_by_two(
    lake, answers, asked
) -> None:
    for request in answers:
        rate(lake, request, "k", 3)
        rate(lake, request, "a", 5 if request.model == "a" else 3)
    rows = asked(
        "select judge, other_judge, measure, n, own_difference, others_difference, self_preference "
        "from reports.judge_self_preference"
    )
    n_cases = len(answers) // len(MODELS)
    assert rows == [
        ("a", "k", "compliance", n_cases, 1.0, 0.0, 1.0),
        ("a", "k", "rating", n_cases, 2.0, 0.0, 2.0),
    ]


def test_leniency_towards_everyone_is_no_self_preference(lake, answers, asked) -> None:
    one, _ = drawn(len(answers), seed=5)
    for request, x in zip(answers, np.minimum(one, 4), strict=True):
        rate(lake, request, "k", int(x))
        rate(lake, request, "a", int(x) + 2)
    ((own, others, preference),) = asked(
        "select own_difference, others_difference, self_preference "
        "from reports.judge_self_preference where measure = 'rating'"
    )
    assert (own, others, preference) == (2, 2, 0)


def test_the_other_judges_own_answers_are_no_yardstick(lake, answers, asked) -> None:
    """If b, who prefers itself, counted among the others, `a` would seem to slight them."""
    for request in answers:
        rate(lake, request, "a", 3)
        rate(lake, request, "b", 6 if request.model == "b" else 3)
    rows = asked(
        "select judge, self_preference from reports.judge_self_preference where measure = 'rating'"
    )
    assert rows == [("a", 0), ("b", 3)]


# --- attacks -------------------------------------------------------------------------------


def verdict(name: str, kind: str, rating: int | None, judge: str = "j") -> AttackVerdict:
    return AttackVerdict(
        attack_verdict_id=f"{name} {judge}",
        attack_id=name,
        kind=kind,
        rubric="answerable",
        answer=f"answer {name}",
        at_least=1,
        at_most=3,
        judge=judge,
        rating=rating,
        unscored_reason="no verdict" if rating is None else None,
        rationale=None,
        judge_request_id=f"{name} {judge}",
    )


def test_what_a_judge_failed_in_is_counted_in_one_row(lake, answers, asked) -> None:
    for place, request in enumerate(answers):
        first = rate(lake, request, "j", None if place == 0 else 5)
        rate(lake, request, "k", 5)
        if place in (1, 2, 3):
            rate_again(lake, first, 5 if place == 1 else 2)
    lake.add(
        verdict("fooled", "very long", 6),
        verdict("silent", "very long", None),
        verdict("sound", "very long", 2),
        verdict("missed", "honest wrong answer", 5),
        verdict("held", "honest wrong answer", 1),
    )
    n = len(answers)
    assert asked("select * exclude (release, suite) from reports.judge_trials") == [
        ("j", n, 1, n - 1, 3, 1, 2, 1, 3, 2, None),
        ("k", n, 0, n, 0, 0, 0, 0, 0, 0, None),
    ]


# --- coverage ------------------------------------------------------------------------------
