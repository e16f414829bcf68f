"""How people's ratings agree with a judge's and each other's, beside scipy and statsmodels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from tasks.core.rows import Response
from tests.sql.rated import N_FILINGS, audit, drawn, kappa_of, rate


def correlations(one: np.ndarray, other: np.ndarray) -> tuple[float, ...]:
    return (
        scipy.stats.pearsonr(one, other).statistic,
        scipy.stats.spearmanr(one, other).statistic,
        scipy.stats.kendalltau(one, other).statistic,
        float(np.mean((one >= 4) == (other >= 4))),
        kappa_of(one, other),
    )


COLUMNS = "pearson, spearman, kendall, agreement, kappa"
INTERVALS = ("pearson", "spearman", "kendall", "kappa")


def test_audits_correlate_with_a_judge_as_scipy_says(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=7)
    for request, x, y in zip(answers, one, other, strict=True):
        rate(lake, request, "j", int(x))
        audit(lake, request, "ann", int(y))
    rows = asked(
        f"select rater, compared_with, other_rater, slice_by, slice_value, n, {COLUMNS} "
        "from reports.audit_agreement"
    )
    overall = {row[0]: row for row in rows if row[3] == "overall"}
    for rater in ("ann", "all auditors"):
        assert overall[rater][1:6] == ("judge", "j", "overall", "all", len(answers))
        assert overall[rater][6:] == pytest.approx(correlations(one, other))
    answerable = np.array(["missing" not in request.request_id for request in answers])
    (found,) = [row[6:] for row in rows if row[0] == "ann" and row[4] == "answerable"]
    assert found == pytest.approx(correlations(one[answerable], other[answerable]))


def test_an_audited_answer_counts_for_all_that_its_stratum_has(lake, answers, asked) -> None:
    """Weights are repetitions: scipy agrees on answers written out as often as they count."""
    one, other = drawn(len(answers), seed=8)
    weights = np.random.default_rng(9).integers(1, 5, len(answers))
    for request, x, y, weight in zip(answers, one, other, weights, strict=True):
        rate(lake, request, "j", int(x))
        audit(lake, request, "ann", int(y), n_stratum=int(weight))
    (row,) = asked(
        f"select n, {COLUMNS} from reports.audit_agreement "
        "where rater = 'ann' and slice_by = 'overall'"
    )
    assert row[0] == len(answers)
    assert row[1:] == pytest.approx(
        correlations(np.repeat(one, weights), np.repeat(other, weights))
    )


def test_a_stratum_counts_whole_however_few_of_its_answers_an_auditor_has_rated(
    lake, answers, asked
) -> None:
    """Ann leaves out three of four answers of the small stratum, and Bob two of the large one."""
    for place, request in enumerate(answers[:8]):
        rate(lake, request, "j", 5 if place % 2 else 2)
        size, stratum = (100, "common") if place < 4 else (10, "rare")
        if place < 5:
            audit(lake, request, "ann", 5, n_stratum=size, stratum=stratum)
        if place > 1:
            audit(lake, request, "bob", 5 if place < 4 else 2, n_stratum=size, stratum=stratum)
    found = asked(
        """select rater, other_rater, n, agreement from reports.audit_agreement
        where rater != 'all auditors' and slice_by = 'overall'"""
    )
    assert {row[:3]: row[3] for row in found} == {
        ("ann", "j", 5): pytest.approx(100 / 2 / 110),
        ("bob", "j", 6): pytest.approx((100 / 2 + 10 / 2) / 110),
        ("ann", "bob", 3): pytest.approx(100 / 110),
    }


def test_two_auditors_are_compared_on_what_both_rated(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=10)
    for request, x, y in zip(answers[:20], one, other, strict=False):
        rate(lake, request, "j", 4)
        audit(lake, request, "ann", int(x))
        audit(lake, request, "bob", int(y))
    audit(lake, answers[20], "bob", 6)
    (row,) = asked(
        f"""select rater, other_rater, n, {COLUMNS} from reports.audit_agreement
        where compared_with = 'auditor' and slice_by = 'overall'"""
    )
    assert row[:3] == ("ann", "bob", 20)
    assert row[3:] == pytest.approx(correlations(one[:20], other[:20]))
    ((n,),) = asked(
        "select n from reports.audit_agreement "
        "where rater = 'all auditors' and slice_by = 'overall'"
    )
    assert n == 40


def test_intervals_of_rank_correlations_agree_with_another_bootstrap(lake, answers, asked) -> None:
    one, other = drawn(len(answers), seed=11, agreement=0.5)
    for request, x, y in zip(answers, one, other, strict=True):
        rate(lake, request, "j", int(x))
        audit(lake, request, "ann", int(y))
    ((kendall, low, high, spearman, spearman_low, spearman_high),) = asked(
        """select kendall, kendall_low, kendall_high, spearman, spearman_low, spearman_high
        from reports.audit_agreement where rater = 'ann' and slice_by = 'overall'"""
    )
    filing = np.array([request.request_id.partition(".")[0] for request in answers])
    rows_of = [np.flatnonzero(filing == name) for name in np.unique(filing)]
    chosen = np.random.default_rng(12)
    replicates = []
    for _ in range(500):
        rows = np.concatenate(
            [rows_of[place] for place in chosen.integers(0, N_FILINGS, N_FILINGS)]
        )
        replicates.append(
            (
                scipy.stats.kendalltau(one[rows], other[rows]).statistic,
                scipy.stats.spearmanr(one[rows], other[rows]).statistic,
            )
        )
    ends = np.quantile(replicates, [0.025, 0.975], axis=0)
    factor = (
        scipy.stats.t.ppf(0.975, N_FILINGS - 1) / 1.959964 * np.sqrt(N_FILINGS / (N_FILINGS - 1))
    )
    assert (low, high) == pytest.approx(tuple(kendall + (ends[:, 0] - kendall) * factor), abs=0.05)
    assert (spearman_low, spearman_high) == pytest.approx(
        tuple(spearman + (ends[:, 1] - spearman) * factor), abs=0.05
    )


def test_a_rating_of_an_answer_that_has_been_replaced_is_kept_and_not_counted(
    lake, answers, asked
) -> None:
    for request in answers[:2]:
        rate(lake, request, "j", 4)
        audit(lake, request, "ann", 4)
    (response,) = (row for row in lake.of(Response) if row.request_id == answers[0].request_id)
    lake.swap(response, replace(response, text="another answer"))
    assert asked(
        "select n from reports.audit_agreement where rater = 'ann' and slice_by = 'overall'"
    ) == [(1,)]
    assert asked("select count(*) from raw.audits") == [(2,)]


def test_an_auditor_who_rates_all_alike_correlates_with_nobody(lake, answers, asked) -> None:
    one, _ = drawn(len(answers), seed=13)
    for request, x in zip(answers, one, strict=True):
        rate(lake, request, "j", int(x))
        audit(lake, request, "ann", 5)
    (row,) = asked(
        "select pearson, spearman, kendall, kappa from reports.audit_agreement "
        "where rater = 'ann' and slice_by = 'overall'"
    )
    assert row == (None, None, None, pytest.approx(0))


@pytest.mark.parametrize("n_apart", [0, 1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_intervals_of_perfect_and_near_perfect_agreement_are_whole_and_hold_their_value(
    seed: int, n_apart: int, lake, answers, asked
) -> None:
    """Odd weights have rounded sums, yet raters who never differ are told from those who do."""
    ratings, _ = drawn(60, seed)
    weights = np.random.default_rng(seed).integers(1, 12, 60)
    for place, (request, rating, weight) in enumerate(zip(answers, ratings, weights, strict=False)):
        rate(lake, request, "j", int(rating))
        for auditor, given in (("ann", rating), ("bob", 7 - rating if place < n_apart else rating)):
            audit(lake, request, auditor, int(given), n_stratum=int(weight))
    rows = asked(
        f"""select {", ".join(f"{name}, {name}_low, {name}_high" for name in INTERVALS)}
        from reports.audit_agreement"""
    )
    found = [row[place : place + 3] for row in rows for place in range(0, len(row), 3)]
    assert len(found) > len(INTERVALS)
    for value, low, high in found:
        assert (low is None) == (high is None)
        assert value is None or -1 <= value <= 1
        assert low is None or -1 <= low <= value <= high <= 1
        if n_apart == 0 and value is not None:
            assert (value, low) == (pytest.approx(1), None)
    if n_apart:
        assert any(low is not None and low < value for value, low, _ in found)
