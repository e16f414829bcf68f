"""What SQL makes of ratings given twice, by judges and by people; against scipy and statsmodels."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import scipy

from tasks.core.rows import AttackVerdict, Audit, AuditItem, Case, Judgement, Request, Response
from tests.filled import filled
from tests.sql.conftest import HandmadeLake, answered

ANSWER = "$5 million"
N_FILINGS = 12
PERTURBATIONS = ("baseline", "ocr", "missing_context")
MODELS = ("a", "b", "c")


@pytest.fixture
def answers(lake: HandmadeLake) -> list[Request]:
    """Three models answer three cases of one pair of each of twelve filings (contexts here)."""
    requests = []
    for filing in range(N_FILINGS):
        lake.add_pair(f"p{filing}", perturbations=PERTURBATIONS)
    for case in lake.of(Case):
        for model in MODELS:
            request, response = answered(case, model)
            lake.add(request, replace(response, text=ANSWER))
            requests.append(request)
    return requests


def rate(lake, request: Request, judge: str, rating: int | None, *again: int | None) -> None:
    """Have a judge rate an answer, once or more often; None is unscored."""
    for repeat, each in enumerate((rating, *again)):
        name = f"{request.request_id} by {judge}, {repeat}"
        lake.add(
            Judgement(
                judgement_id=name,
                request_id=request.request_id,
                case_id=request.case_id or "",
                model=request.model,
                judge=judge,
                repeat=repeat,
                rating=each,
                unscored_reason="no verdict" if each is None else None,
                judge_request_id=f"judging of {name}",
            )
        )


def audit(lake, request: Request, auditor: str, rating: int, n_stratum: int = 1) -> None:
    """Have a human rate an answer that was drawn from a stratum of n_stratum."""
    item = filled(
        AuditItem,
        audit_item_id=request.request_id,
        request_id=request.request_id,
        answer_sha256=hashlib.sha256(ANSWER.encode()).hexdigest(),
        rubric="answerable",
        n_stratum=n_stratum,
        n_drawn=1,
    )
    if item not in lake.of(AuditItem):
        lake.add(item)
    of_item = {"audit_item_id": request.request_id, "audit_id": f"{request.request_id} {auditor}"}
    lake.add(Audit(**of_item, auditor=auditor, rating=rating, note=None))


def drawn(n: int, seed: int, agreement: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """Two raters' ratings: the second says what the first says, or anything."""
    chosen = np.random.default_rng(seed)
    first = chosen.integers(1, 7, n)
    return first, np.where(chosen.random(n) < agreement, first, chosen.integers(1, 7, n))


def kappa_of(one: np.ndarray, other: np.ndarray, ratings: range, weights: str | None) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    table = np.array([[np.sum((one == x) & (other == y)) for y in ratings] for x in ratings])
    return cohens_kappa(table, wt=weights, return_results=False)


def agreement_of(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The share on which both say the same of compliance, and its kappa."""
    both = one >= 4, other >= 4
    return float(np.mean(both[0] == both[1])), kappa_of(*both, range(2), None)


# --- two judges ----------------------------------------------------------------------------


def test_two_judges_agree_as_statsmodels_says(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=1)
    for request, x, y in zip(answers, one, other, strict=True):
        rate(lake, request, "j", int(x))
        rate(lake, request, "k", int(y))
    slices = {
        ("overall", "all"): np.full(len(answers), True),
        ("model", "b"): np.array([request.model == "b" for request in answers]),
        ("rubric", "answerable"): np.array(["missing" not in row.request_id for row in answers]),
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
        weighted = kappa_of(x, y, range(1, 7), "quadratic")
        assert found[name][4:] == pytest.approx((*agreement_of(x, y), weighted))
    for row in lake.of(Judgement):  # as if judges decided instead
        label = "correct" if row.rating >= 4 else "wrong"
        lake.swap(row, replace(row, rating=None, label=label))
    query = "select agreement, kappa from reports.judge_agreement where slice_by = 'overall'"
    assert asked(query) == [pytest.approx(agreement_of(one, other))]


def test_flips_and_changes_of_repeats_are_counted_by_hand(lake, answers, asked) -> None:
    again = {0: (5, 5), 1: (5, 3), 2: (2, 1), 3: (4, 6), 4: (None, 4), 5: (4, None), 6: (3, 4)}
    of_a = [request for request in answers if request.model == "a"]
    for place, request in enumerate(of_a[:: len(PERTURBATIONS)]):  # one a filing
        rate(lake, request, "j", *again.get(place, (5,)))
    (row,) = asked(
        """select judge, n, n_unscored, n_flips, flip_rate, mean_rating_change,
            low <= flip_rate, high >= flip_rate
        from reports.judge_repeats where slice_by = 'overall'"""
    )
    changes = (0 + 2 + 1 + 2 + 1) / 5
    assert row == ("j", 5, 2, 2, pytest.approx(2 / 5), pytest.approx(changes), True, True)
    slices = asked("select slice_by, slice_value from reports.judge_repeats")
    assert slices == [("model", "a"), ("overall", "all"), ("rubric", "answerable")]


def test_repeats_change_no_metric(lake, answers, asked) -> None:
    for request in answers:
        rate(lake, request, "j", 5)
    before = asked("from failsafeqa.metrics order by all")
    for judgement in lake.of(Judgement):
        again = replace(judgement, judgement_id=f"{judgement.judgement_id} again", repeat=1)
        lake.add(replace(again, rating=1))
    assert asked("from failsafeqa.metrics order by all") == before


# --- self-preference -----------------------------------------------------------------------


def preferences(asked) -> list[tuple]:
    """What judges' ratings of their own answers and of others' differ by from another judge's."""
    return asked(
        "select judge, own_difference, others_difference, self_preference "
        "from reports.judge_self_preference where measure = 'rating'"
    )


def test_a_judge_that_rates_its_own_answers_two_higher_prefers_itself_by_two(
    lake, answers, asked
) -> None:
    for request in answers:
        rate(lake, request, "k", 3)
        rate(lake, request, "a", 5 if request.model == "a" else 3)
    assert preferences(asked) == [("a", 2, 0, 2)]
    n_cases = len(answers) // len(MODELS)
    assert asked(
        "select other_judge, n, self_preference from reports.judge_self_preference "
        "where measure = 'compliance'"
    ) == [("k", n_cases, 1)]


def test_leniency_towards_everyone_is_no_self_preference(lake, answers, asked) -> None:
    one, _ = drawn(len(answers), seed=5)
    for request, x in zip(answers, np.minimum(one, 4), strict=True):
        rate(lake, request, "k", int(x))
        rate(lake, request, "a", int(x) + 2)
    assert preferences(asked) == [("a", 2, 2, 0)]


def test_the_other_judges_own_answers_are_no_yardstick(lake, answers, asked) -> None:
    """If b, who prefers itself, counted among the others, `a` would seem to slight them."""
    for request in answers:
        rate(lake, request, "a", 3)
        rate(lake, request, "b", 6 if request.model == "b" else 3)
    found = {judge: preference for judge, *_, preference in preferences(asked)}
    assert found == {"a": 0, "b": 3}


def test_what_a_judge_failed_in_is_counted_in_one_row(lake, answers, asked) -> None:
    again = {1: [5], 2: [2], 3: [2]}
    for place, request in enumerate(answers):
        rate(lake, request, "j", None if place == 0 else 5, *again.get(place, ()))
        rate(lake, request, "k", 5)
    attacks = {"very long": (6, None, 2), "honest wrong answer": (5, 1)}
    rated = [(kind, rating) for kind, ratings in attacks.items() for rating in ratings]
    for number, (kind, rating) in enumerate(rated):
        verdict = filled(AttackVerdict, attack_id=f"attack {number}", kind=kind, judge="j")
        lake.add(replace(verdict, at_least=1, at_most=3, rating=rating))
    n = len(answers)
    assert asked("select * exclude (release, suite) from reports.judge_trials") == [
        ("j", n, 1, n - 1, 3, 1, 2, 1, 3, 2, None),
        ("k", n, 0, n, 0, 0, 0, 0, 0, 0, None),
    ]


# --- people --------------------------------------------------------------------------------

COLUMNS = "n, pearson, spearman, kendall, agreement, kappa"


def audited(asked, condition: str) -> list[tuple]:
    return asked(
        f"select {COLUMNS} from reports.audit_agreement where {condition} and slice_by = 'overall'"
    )


def correlations(one: np.ndarray, other: np.ndarray) -> tuple[float, ...]:
    kinds = (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)
    return (*(kind(one, other).statistic for kind in kinds), *agreement_of(one, other))


def test_an_audited_answer_counts_for_all_that_its_stratum_has(lake, answers, asked) -> None:
    """Weights are repetitions: scipy agrees on answers written out as often as they count."""
    one, other = drawn(len(answers), seed=8)
    weights = np.random.default_rng(9).integers(1, 5, len(answers))
    for request, x, y, weight in zip(answers, one, other, weights, strict=True):
        rate(lake, request, "j", int(x))
        audit(lake, request, "ann", int(y), n_stratum=int(weight))
    expected = correlations(np.repeat(one, weights), np.repeat(other, weights))
    assert audited(asked, "rater = 'ann'") == [pytest.approx((len(answers), *expected))]


def test_two_auditors_are_compared_on_what_both_rated(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=10)
    for request, x, y in zip(answers[:20], one, other, strict=False):
        rate(lake, request, "j", 4)
        audit(lake, request, "ann", int(x))
        audit(lake, request, "bob", int(y))
    audit(lake, answers[20], "bob", 6)
    expected = correlations(one[:20], other[:20])
    compared = "compared_with = 'auditor' and rater = 'ann' and other_rater = 'bob'"
    assert audited(asked, compared) == [pytest.approx((20, *expected))]
    assert audited(asked, "rater = 'all auditors'")[0][0] == 40


def test_a_rating_of_an_answer_that_has_been_replaced_is_kept_and_not_counted(
    lake, answers, asked
) -> None:
    for request in answers[:2]:
        rate(lake, request, "j", 4)
        audit(lake, request, "ann", 4)
    response = lake.only(Response, request_id=answers[0].request_id)
    lake.change(response, text="another answer")
    assert audited(asked, "rater = 'ann'")[0][0] == 1
    assert asked("select count(*) from raw.audits") == [(2,)]
