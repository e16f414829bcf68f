"""What RefusalBench's replies count for: scripted models land where they must on every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import duckdb
import pytest

from tasks.core.rows import Case
from tasks.suites.refusalbench.strata import CODES
from tests.refusals import Refusals, expected
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
    "silent": lambda case: ("unreadable", "CONFIDENT"),
    "unread": lambda case: (None, "CONFIDENT"),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    refusals = Refusals(
        lake, per_stratum=2, per_generator=36, answer_prompts=("plain", "confidence")
    )
    for name, model in MODELS.items():
        refusals.reply(name, model)
    with lake.open() as opened:
        yield opened


@pytest.fixture
def read(connection: duckdb.DuckDBPyConnection) -> Read:
    return lambda query: connection.execute(query).fetchall()


def values(read: Read, model: str) -> dict[str, float | None]:
    of_model = f"where model = '{model}' and slice_by = 'overall'"
    return dict(read(f"select metric, value from refusalbench.metrics {of_model}"))


# Of three intensities one must be answered, and strata have the same number of cases.
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
    # an empty reply is an attempt that fails: where an answer is expected, and where a code is
    "silent": {
        "right": 0, "answer_accuracy": 0, "refusal_accuracy": 0, "false_refusal": 0,
        "missed_refusal": 1, "refusal": 0, "correct_refusal": 0, "detection_f1": 0,
        "eligibility": 0, "unadjusted_factuality": 0, "raf": 0, "raf_gap": 0, "crs": 0,
        "hybrid_score": 0, "hierarchical_score": 0, "highest_confidence": 0,
        "confidence_accuracy": 0, "confidence_confident": 0, "answer_confidence_confident": 0,
        "ece": 0.8, "ece_answers": 0.8,
    },
}  # fmt: skip


@pytest.mark.parametrize("model", LANDS)
def test_scripted_models_land_where_they_must(read: Read, model: str) -> None:
    found = {metric: value for metric, value in values(read, model).items() if value is not None}
    tolerance = 0.05 if model == "random code" else 1e-9
    assert found == {
        metric: pytest.approx(value, abs=tolerance) for metric, value in LANDS[model].items()
    }


def test_what_could_not_be_read_is_unscored_and_bounds_say_what_it_could_be(read: Read) -> None:
    assert read(
        "select n, n_unscored, value, worst, best from refusalbench.metrics "
        "where model = 'unread' and metric = 'refusal_accuracy' and slice_by = 'overall'"
    ) == [(0, 144, None, 0, 1)]


def test_a_metric_made_of_others_counts_each_case_that_it_leans_on_once(read: Read) -> None:
    metrics = "('crs', 'hybrid_score', 'hierarchical_score', 'ece')"
    of = f"from refusalbench.metrics where slice_by = 'overall' and metric in {metrics}"
    assert set(read(f"select metric, n {of} and model = 'perfect'")) == {
        ("crs", 216), ("hybrid_score", 216), ("hierarchical_score", 216), ("ece", 216),
    }  # fmt: skip
    assert set(read(f"select n, n_unscored {of} and model = 'unread'")) == {(0, 216)}
    assert set(
        read(
            "select n from reports.comparisons where slice_by = 'overall' "
            f"and metric in {metrics} and model = 'perfect' and other_model = 'says missing'"
        )
    ) == {(216,)}


def test_each_reply_is_one_of_six_responses(read: Read) -> None:
    n_of: dict[str, dict[str | None, int]] = {
        "perfect": {"correct answer": 72, "right refusal": 144},
        "answers all": {"correct answer": 72, "missed refusal": 144},
        "refuses all": {"false refusal": 72, "wrong refusal": 144},
        "says missing": {"false refusal": 72, "right refusal": 24, "wrong refusal": 120},
        "silent": {"wrong answer": 72, "missed refusal": 144},
        "unread": {None: 216},
    }
    found = read(
        "select model, rating, n, share from refusalbench.rating_classes "
        "where expected = 'all' and model != 'random code'"
    )
    assert {row[:3] for row in found} == {
        (model, rating, n) for model, responses in n_of.items() for rating, n in responses.items()
    }
    shares = [(share, n / 216) for model, _, n, share in found if model != "unread"]
    assert [share for share, _ in shares] == pytest.approx([expected for _, expected in shares])
    of_perfect = "where suite = 'refusalbench' and expected = 'all' and model = 'perfect'"
    assert read(f"select n, shares from reports.rating_shares {of_perfect}") == [
        (216, "right refusal: 0.67, correct answer: 0.33")
    ]
    best = "select by_answers, by_refusals from refusalbench.champions where slice_by = 'overall'"
    assert read(best) == [("answers all, perfect", "perfect")]


def test_reliability_is_by_level_and_kind_of_reply(read: Read) -> None:
    found = read(
        "select replies, n, share, accuracy, midpoint from refusalbench.reliability "
        "where model = 'answers all'"
    )
    assert found == [(kind, 216, 1, pytest.approx(1 / 3), 0.95) for kind in ("all", "answers")]


def test_the_leaderboard_is_in_the_order_of_crs(read: Read) -> None:
    found = read(
        "select model, n, n_unscored from refusalbench.leaderboard "
        "where setting = 'all' and model in ('perfect', 'says missing', 'answers all', 'unread')"
    )
    assert found == [
        ("perfect", 216, 0),
        ("answers all", 216, 0),
        ("says missing", 216, 0),
        ("unread", 0, 216),
    ]


def test_an_answer_is_good_where_it_is_right(read: Read) -> None:
    found = read(
        "select model, is_answerable, is_compliant, count(*) from reports.explain "
        "where model in ('perfect', 'answers all') group by all order by all"
    )
    assert found == [
        ("answers all", False, False, 288),
        ("answers all", True, True, 144),
        ("perfect", False, True, 288),
        ("perfect", True, True, 144),
    ]


def test_replies_that_are_empty_are_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    refusals = Refusals(HandmadeLake(tmp_path_factory.mktemp("words")))
    refusals.reply("coder", lambda case: ("REFUSE_OTHER", ""))
    refusals.reply("silent", lambda case: ("unreadable", ""), text=" ")
    n = len(refusals.cases)
    with refusals.lake.open() as opened:
        remarks = opened.execute("select says, query from refusalbench.remarks").fetchall()
        *_, (says, query) = remarks
        listed = opened.execute(query).fetchall()
    assert says == f"{n:,} of {2 * n:,} answers are empty or unreadable, and count as wrong."
    assert len(listed) == n
