"""The metrics of the authors' code, as it computes them.

Two of them differ where a reply has no known code, such as `ERROR`: `run_models_all` takes it for
neither refusal nor answer and keeps it below the bar. `extract_metrics_final` takes it for a
refusal, and leaves a missing match out of refusal accuracy. Ours are in `metrics.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from tasks.suites.refusalbench.judge.codes import ATTEMPT
from tasks.suites.refusalbench.judge.verdicts import GOOD
from tasks.suites.refusalbench.strata import ANSWER, CODES, MIDPOINTS

Variant = Literal["run_models_all", "extract_metrics_final", "garage_run_models_all"]
ResultRow = Mapping[str, Any]


def official(rows: Sequence[ResultRow], variant: Variant) -> dict[str, float]:
    """Compute one model's metrics as a script of the authors does.

    Args:
        rows: the authors' result rows: fields of `RefusalVerdict` and `ground_truth_label`; for
            GaRAGe those of `GarageVerdict` and `is_answerable`.
        variant: the script. Names of metrics are its own.

    Returns:
        Values by name; 0 without a case, nan if all matches are missing.
    """
    return _VARIANTS[variant](rows)


def calibration(rows: Sequence[ResultRow]) -> dict[str, Any] | None:
    """Compute the authors' calibration of replies with a `confidence_level`; None without rows.

    ECE is the sum over bins of n / N |accuracy - midpoint|. Replies without a known level count
    only in the overall accuracy. For answers or refusals alone, give those rows: the authors' code
    has no such split.
    """
    if not rows:
        return None
    bins = {
        level: [_is_right(row) for row in rows if row.get("confidence_level") == level]
        for level in MIDPOINTS
    }
    bins = {level: right for level, right in bins.items() if right}
    accuracies = {level: sum(right) / len(right) for level, right in bins.items()}
    counts = {level: len(right) for level, right in bins.items()}
    total = sum(counts.values())
    gaps = sum(counts[level] * abs(accuracies[level] - MIDPOINTS[level]) for level in bins)
    return {
        "expected_calibration_error": gaps / total if total else 0,
        "overall_accuracy": _share(rows, _is_right),
        "bin_accuracies": accuracies,
        "bin_counts": counts,
        "total_samples": total,
    }


def _run_models_all(rows: Sequence[ResultRow]) -> dict[str, float]:
    answerable, unanswerable = _split(rows, _expects_answer)
    accuracy, refusal_accuracy = _share(answerable, _is_right), _share(unanswerable, _matches)
    return {
        "accuracy": accuracy,
        "num_answerable": len(answerable),
        "false_refusal_rate": _share(answerable, _has_known_code),
        "refusal_accuracy": refusal_accuracy,
        "num_unanswerable": len(unanswerable),
        "overall_refusal_rate": _share(unanswerable, _has_known_code),
        "missed_refusal_rate": _share(unanswerable, _answers),
        "calibrated_refusal_score": 0.5 * accuracy + 0.5 * refusal_accuracy,
    }


def _extract_metrics_final(rows: Sequence[ResultRow]) -> dict[str, float]:
    answerable, unanswerable = _split(rows, _expects_answer)
    accuracy = _share(answerable, _is_right)
    refusal_accuracy = _mean(unanswerable, "refusal_match_correct")
    true_refusals = [row for row in unanswerable if not _answers(row)]
    n_refusals = sum(not _answers(row) for row in rows)
    precision = len(true_refusals) / n_refusals if n_refusals else 0.0
    recall = len(true_refusals) / len(unanswerable) if unanswerable else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall else 0.0
    category_accuracy = _share(true_refusals, _matches)
    return {
        "answer_accuracy": accuracy,
        "refusal_accuracy": refusal_accuracy,
        "calibrated_refusal_score": 0.5 * accuracy + 0.5 * refusal_accuracy,
        "false_refusal_rate": _share(answerable, lambda row: not _answers(row)),
        "missed_refusal_rate": _share(unanswerable, _answers),
        "overall_refusal_rate": recall,
        "refusal_precision": precision,
        "refusal_recall": recall,
        "refusal_detection_f1": f1,
        "category_accuracy": category_accuracy,
        "hierarchical_refusal_score": f1 * category_accuracy,
        "total_instances": len(rows),
        "answerable_instances": len(answerable),
        "unanswerable_instances": len(unanswerable),
    }


def _garage_run_models_all(rows: Sequence[ResultRow]) -> dict[str, float]:
    answerable, unanswerable = _split(rows, lambda row: bool(row["is_answerable"]))
    raf = _mean(answerable, "raf_score")
    refusal_accuracy = _mean(unanswerable, "refusal_match_correct")
    # a weight of 0 drops a part that has no cases
    weights = [len(part) / len(rows) if rows else 0.0 for part in (answerable, unanswerable)]
    return {
        "garage_eligibility": _mean(answerable, "eligibility_score"),
        "garage_unadjusted_factuality": _mean(answerable, "unadjusted_factuality_score"),
        "garage_raf": raf,
        "false_refusal_rate": _mean(answerable, "false_refusal"),
        "num_answerable": len(answerable),
        "refusal_accuracy": refusal_accuracy,
        "missed_refusal_rate": _mean(unanswerable, "missed_refusal"),
        "overall_refusal_rate": _share(
            unanswerable, lambda row: row["refusal_classification"] != ATTEMPT
        ),
        "num_unanswerable": len(unanswerable),
        "hybrid_score": weights[0] * raf + weights[1] * refusal_accuracy,
    }


_VARIANTS: dict[Variant, Callable[[Sequence[ResultRow]], dict[str, float]]] = {
    "run_models_all": _run_models_all,
    "extract_metrics_final": _extract_metrics_final,
    "garage_run_models_all": _garage_run_models_all,
}


def _expects_answer(row: ResultRow) -> bool:
    return bool(row["ground_truth_label"] == ANSWER)


def _answers(row: ResultRow) -> bool:
    return bool(row["model_predicted_type"] == ATTEMPT)


def _has_known_code(row: ResultRow) -> bool:
    return row["model_predicted_type"] in CODES


def _matches(row: ResultRow) -> bool:
    return row["refusal_match_correct"] is True


def _is_right(row: ResultRow) -> bool:
    """Tell whether a good answer was given where one is due, or else the right code."""
    if _expects_answer(row):
        return _answers(row) and (row["answer_quality_score"] or 0) >= GOOD
    return _matches(row)


def _split(
    rows: Iterable[ResultRow], test: Callable[[ResultRow], bool]
) -> tuple[list[ResultRow], list[ResultRow]]:
    parts: tuple[list[ResultRow], list[ResultRow]] = ([], [])
    for row in rows:
        parts[not test(row)].append(row)
    return parts


def _share(rows: Sequence[ResultRow], test: Callable[[ResultRow], bool]) -> float:
    return sum(map(test, rows)) / len(rows) if rows else 0.0


def _mean(rows: Sequence[ResultRow], field: str) -> float:
    """Return the mean of the values that there are."""
    values = [row[field] for row in rows if row[field] is not None]
    return sum(values) / len(values) if values else float("nan") if rows else 0.0
