"""Metrics made of others, which are sums of units (`sql/refusalbench/units.sql`).

| metric | of | counts |
|---|---|---|
| `answer_accuracy` | answerable | a quality of 4 or 5; with several passages, RAF |
| `refusal_accuracy` | unanswerable | exactly the expected code |
| `detection_f1` | all | 2TP over 2TP + FP + FN of refusing |
| `category_accuracy` | unanswerable | the expected code over any refusal |
| `unadjusted_factuality`, `raf` | answers to answerable | support by all, by relevant passages |
| `confidence_<level>` | replies with a confidence | right replies over replies of that level |
| `answer_confidence_<level>` | answers among them | the same |
| `refusal_confidence_<level>` | refusals among them | the same |

A metric is made only where all its parts have units. So a case outside a ratio has a unit of 0 over
0: in `category_accuracy` an unanswerable case that was answered, in `confidence_<level>` a reply of
another level.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tasks.statistics.resampling import Summed
from tasks.suites.refusalbench.strata import MIDPOINTS
from tasks.suites.suite import Derived

Values = NDArray[np.float64]
_CRS_PARTS = ("answer_accuracy", "refusal_accuracy")


def crs(parts: Mapping[str, Summed]) -> Values:
    """Return the mean of answer accuracy and refusal accuracy (appendix D, "CRS")."""
    answers, refusals = (parts[name].value for name in _CRS_PARTS)
    return (answers + refusals) / 2


def hybrid_score(parts: Mapping[str, Summed]) -> Values:
    """Return answer and refusal accuracy, each weighted by its cases (appendix D, "Hybrid Score").

    With weights n / (n + m) and m / (n + m) that is the share of all cases that are right.
    """
    answers, refusals = (parts[name] for name in _CRS_PARTS)
    return (answers.total + refusals.total) / (answers.size + refusals.size)


def hierarchical_score(parts: Mapping[str, Summed]) -> Values:
    """Multiply detection F1 by category accuracy (appendix D, "Hierarchical Refusal Score").

    Without a right refusal F1 is 0, and so is the score, though no refusal has a category.
    """
    f1 = parts["detection_f1"].value
    return np.where(f1 == 0, 0.0, f1 * parts["category_accuracy"].value)


def raf_gap(parts: Mapping[str, Summed]) -> Values:
    """Return RAF less unadjusted factuality, of attempted answers (appendix F.9).

    It is positive if answers lean on relevant passages: 0.9 and 0.86 give 0.04.
    """
    return parts["raf"].value - parts["unadjusted_factuality"].value


def expected_calibration_error(parts: Mapping[str, Summed], *, replies: str) -> Values:
    """Return the sum over bins of n / N |accuracy - midpoint| (appendix F.2).

    A bin's n |accuracy - midpoint| is |right replies - n midpoint|, so an empty bin adds nothing.
    """
    bins = [(parts[name], MIDPOINTS[level]) for level, name in _bins(replies).items()]
    gaps = [np.abs(part.total - middle * part.size) for part, middle in bins]
    return np.sum(gaps, axis=0) / np.sum([part.size for part, _ in bins], axis=0)


def _bins(replies: str) -> dict[str, str]:
    """Return the unit metric of each level of confidence."""
    return {level: f"{replies}confidence_{level.lower()}" for level in MIDPOINTS}


def _ece(replies: str) -> Derived:
    return Derived(
        of=tuple(_bins(replies).values()),
        value=partial(expected_calibration_error, replies=replies),
        units="same",
    )


METRICS: dict[str, Derived] = {
    "crs": Derived(of=_CRS_PARTS, value=crs, grows=True),
    "hybrid_score": Derived(of=_CRS_PARTS, value=hybrid_score, grows=True),
    "hierarchical_score": Derived(
        of=("detection_f1", "category_accuracy"), value=hierarchical_score, grows=True, units="same"
    ),
    "raf_gap": Derived(
        of=("raf", "unadjusted_factuality"), value=raf_gap, is_share=False, units="same"
    ),
    "ece": _ece(""),
    "ece_answers": _ece("answer_"),
    "ece_refusals": _ece("refusal_"),
}
