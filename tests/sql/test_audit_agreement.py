"""How people's ratings agree with a judge's and each other's, beside scipy and statsmodels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy

from tasks.core.rows import Response
from tests.sql.rated import audit, drawn, kappa_of, rate


def correlations(one: np.ndarray, other: np.ndarray) -> tuple[float, ...]:
    return (
        scipy.stats.pearsonr(one, other).statistic,
        scipy.stats.spearmanr(one, other).statistic,
        scipy.stats.kendalltau(one, other).statistic,
        float(np.mean((one >= 4) == (other >= 4))),
        kappa_of(one, other),
    )


COLUMNS = "pearson, spearman, kendall, agreement, kappa"


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
