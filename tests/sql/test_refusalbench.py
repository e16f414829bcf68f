"""What RefusalBench's replies count for: scripted models land where they must on every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import duckdb
import pytest

from tasks.core.rows import Case
from tasks.suites.refusalbench.strata import CODES
from tests.refusals import Refusals, expected, register
from tests.sql.conftest import HandmadeLake

Rows = list[tuple[Any, ...]]
Read = Callable[[str], Rows]
ATTEMPT, MISSING = "answer_attempt", "REFUSE_INFO_MISSING_IN_CONTEXT"
_turn = count()
MODELS: dict[str, Callable[[Case], tuple[str | None, str]]] = {
    "perfect": lambda case: (expected(case), "VERY_CONFIDENT"),
    "refuses all": lambda case: ("REFUSE_OTHER", "VERY_UNCERTAIN"),
    "answers all": lambda case: (ATTEMPT, "VERY_CONFIDENT"),
    "says missing": lambda case: (MISSING, "CONFIDENT"),
    "random code": lambda case: (CODES[next(_turn) % len(CODES)], "UNCERTAIN"),
    "unread": lambda case: (None, "CONFIDENT"),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with pytest.MonkeyPatch.context() as patch:
        register(patch)
        lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
        refusals = Refusals(lake, per_stratum=2, per_generator=36, answer_prompts=("plain", "confidence"))
        for name, model in MODELS.items():
            refusals.reply(name, model)
        with lake.open() as opened:
            yield opened


@pytest.fixture
def read(connection: duckdb.DuckDBPyConnection) -> Read:
    return lambda query: connection.execute(query).fetchall()


def values(read: Read, model: str) -> dict[str, float | None]:
    return dict(
        read(
            "select metric, value from refusalbench.metrics "
            f"where model = '{model}' and slice_by = 'overall'"
        )
    )


N_LOW, N_ALL = 1, 3  # of three intensities one must be answered; strata have the same number


LANDS: dict[str, dict[str, float | None]] = {
    "perfect": {
        "right": 1, "answer_accuracy": 1, "refusal_accuracy": 1, "false_refusal": 0,
        "missed_refusal": 0, "refusal": 2 / 3, "correct_refusal": 1, "detection_precision": 1,
        "detection_f1": 1, "category_accuracy": 1, "eligibility": 1, "unadjusted_factuality": 1,
        "raf": 1, "raf_gap": 0, "crs": 1, "hybrid_score": 1, "hierarchical_score": 1,
        "highest_confidence": 1, "confidence_accuracy": 1, "confidence_very_confident": 1,
        "answer_confidence_very_confident": 1, "refusal_confidence_very_confident": 1,
        "ece": 0.05, "ece_answers": 0.05, "ece_refusals": 0.05,
    },
    "refuses all": {
        "right": 0, "answer_accuracy": 0, "refusal_accuracy": 0, "false_refusal": 1,
        "missed_refusal": 0, "refusal": 1, "correct_refusal": 1, "detection_precision": 2 / 3,
        "detection_f1": 4 / 5, "category_accuracy": 0, "crs": 0, "hybrid_score": 0,
        "hierarchical_score": 0, "highest_confidence": 0, "confidence_accuracy": 0,
        "confidence_very_uncertain": 0, "refusal_confidence_very_uncertain": 0,
        "ece": 0.15, "ece_refusals": 0.15,
    },
    "answers all": {
        "right": 1 / 3, "answer_accuracy": 1, "refusal_accuracy": 0, "false_refusal": 0,
        "missed_refusal": 1, "refusal": 0, "correct_refusal": 0, "detection_f1": 0,
        "eligibility": 1, "unadjusted_factuality": 1, "raf": 1, "raf_gap": 0, "crs": 1 / 2,
        "hybrid_score": 1 / 3, "hierarchical_score": 0, "highest_confidence": 1,
        "confidence_accuracy": 1 / 3, "confidence_very_confident": 1 / 3,
        "answer_confidence_very_confident": 1 / 3,
        "ece": 0.95 - 1 / 3, "ece_answers": 0.95 - 1 / 3,
    },
    "says missing": {
        "right": 1 / 9, "answer_accuracy": 0, "refusal_accuracy": 1 / 6, "false_refusal": 1,
        "missed_refusal": 0, "refusal": 1, "correct_refusal": 1, "detection_precision": 2 / 3,
        "detection_f1": 4 / 5, "category_accuracy": 1 / 6, "crs": 1 / 12, "hybrid_score": 1 / 9,
        "hierarchical_score": 4 / 5 / 6, "highest_confidence": 0, "confidence_accuracy": 1 / 9,
        "confidence_confident": 1 / 9, "refusal_confidence_confident": 1 / 9,
        "ece": 0.8 - 1 / 9, "ece_refusals": 0.8 - 1 / 9,
    },
    "random code": {
        "right": 2 / 3 / 7, "answer_accuracy": 0, "refusal_accuracy": 1 / 7, "false_refusal": 1,
        "missed_refusal": 0, "refusal": 1, "correct_refusal": 1, "detection_precision": 2 / 3,
        "detection_f1": 4 / 5, "category_accuracy": 1 / 7, "crs": 1 / 14, "hybrid_score": 2 / 3 / 7,
        "hierarchical_score": 4 / 5 / 7, "highest_confidence": 0, "confidence_accuracy": 2 / 3 / 7,
        "confidence_uncertain": 2 / 3 / 7, "refusal_confidence_uncertain": 2 / 3 / 7,
        "ece": 0.4 - 2 / 3 / 7, "ece_refusals": 0.4 - 2 / 3 / 7,
    },
}  # fmt: skip


@pytest.mark.parametrize("model", LANDS)
def test_scripted_models_land_where_they_must(read: Read, model: str) -> None:
    found = {metric: value for metric, value in values(read, model).items() if value is not None}
    tolerance = 0.05 if model == "random code" else 1e-9
    assert found == {
        metric: pytest.approx(value, abs=tolerance) for metric, value in LANDS[model].items()
    }
