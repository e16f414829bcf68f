"""Ratings given twice, by judges and by people, and what two raters' ratings come to."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from tasks.core.rows import Audit, AuditItem, Judgement, Request

ANSWER = "$5 million"
N_FILINGS = 12
PERTURBATIONS = ("baseline", "ocr", "missing_context")
MODELS = ("a", "b", "c")


def rate(lake, request: Request, judge: str, rating: int | None) -> Judgement:
    """Have a judge rate an answer; None is unscored."""
    judgement = Judgement(
        judgement_id=f"{request.request_id} by {judge}",
        request_id=request.request_id,
        case_id=request.case_id or "",
        model=request.model,
        judge=judge,
        rating=rating,
        unscored_reason="no verdict" if rating is None else None,
        judge_request_id=f"judging of {request.request_id} by {judge}",
    )
    lake.add(judgement)
    return judgement


def rate_again(lake, judgement: Judgement, rating: int | None) -> None:
    lake.add(
        replace(
            judgement,
            judgement_id=f"{judgement.judgement_id} again",
            repeat=1,
            rating=rating,
            unscored_reason="no verdict" if rating is None else None,
            judge_request_id=f"{judgement.judge_request_id} again",
        )
    )


def audit(
    lake,
    request: Request,
    auditor: str,
    rating: int,
    n_stratum: int = 1,
    stratum: str = "",
    draw: str = "draw",
) -> None:
    """Have a human rate an answer that was drawn from a stratum of n_stratum."""
    item_id = f"{draw}: {request.request_id}"
    item = AuditItem(
        audit_item_id=item_id,
        draw_id=draw,
        judgement_id="",
        request_id=request.request_id,
        answer_sha256=hashlib.sha256(ANSWER.encode()).hexdigest(),
        rubric="answerable",
        stratum=stratum,
        n_stratum=n_stratum,
        n_drawn=1,
    )
    if item not in lake.of(AuditItem):
        lake.add(item)
    lake.add(
        Audit(
            audit_id=f"{item_id} {auditor}",
            audit_item_id=item_id,
            auditor=auditor,
            rating=rating,
            note=None,
        )
    )


def drawn(n: int, seed: int, agreement: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """Two raters' ratings: the second says what the first says, or anything."""
    chosen = np.random.default_rng(seed)
    first = chosen.integers(1, 7, n)
    return first, np.where(chosen.random(n) < agreement, first, chosen.integers(1, 7, n))


def table_of(one: np.ndarray, other: np.ndarray, ratings: range) -> np.ndarray:
    return np.array([[np.sum((one == x) & (other == y)) for y in ratings] for x in ratings])


def kappa_of(one: np.ndarray, other: np.ndarray) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    return cohens_kappa(table_of(one >= 4, other >= 4, range(2)), return_results=False)


def weighted_kappa_of(one: np.ndarray, other: np.ndarray) -> float:
    from statsmodels.stats.inter_rater import cohens_kappa

    return cohens_kappa(table_of(one, other, range(1, 7)), wt="quadratic", return_results=False)
