"""FAITH's figures by hand: accuracy, slices by trait, scenarios reported and derived, models."""

from __future__ import annotations

import json

import pytest

from tasks.core.rows import Judgement

REASONS = {"correct": "the same figure", "wrong": "another figure"}
SCENARIOS = {"a": "direct lookup", "b": "direct lookup", "c": "comparative", "d": "multivariate"}
UNREAD = "the reply has no JSON object with an answer"


@pytest.fixture
def masked(lake):
    """Four pairs of four contexts, answered by two models and decided by one rule."""
    for name, scenario in SCENARIOS.items():
        traits = {"unit": "money", "scenario": scenario}
        lake.add_pair(name, task="mask", perturbations=("baseline",), **traits)
    decide(lake, "m", a="correct", b="wrong", c="correct", d=None)
    decide(lake, "n", a="correct", b="correct", c="wrong", d="wrong")
    lake.move_to("faith")
    return lake


def decide(
    lake, model: str, suite: str = "failsafeqa", scenario: str | None = "A", **verdicts: str | None
) -> None:
    """Add a model's verdicts (None is unscored). Each reply says how it found its figure."""
    for name, verdict in verdicts.items():
        case_id = f"{name}.baseline"
        said = json.dumps({"answer": "$5", "scenario": scenario})
        row = Judgement(
            judgement_id=f"{case_id} {model}",
            request_id=f"{case_id} {model}",
            case_id=case_id,
            model=model,
            judge="strict",
            label=verdict,
            unscored_reason=UNREAD if verdict is None else None,
            rationale=REASONS.get(verdict),
            details=None if verdict is None else said,
        )
        lake.add(row, suite=suite)


@pytest.mark.parametrize(
    ("model", "slice_by", "slice_value", "expected"),
    [
        ("m", "overall", "all", (3, 1, 2 / 3, 2 / 4, 3 / 4)),
        ("m", "scenario", "direct lookup", (2, 0, 1 / 2, 1 / 2, 1 / 2)),
        ("m", "scenario", "comparative", (1, 0, 1.0, 1.0, 1.0)),
        ("n", "unit", "money", (4, 0, 1 / 2, 1 / 2, 1 / 2)),
    ],
)
def test_accuracy_counts_what_is_decided_and_says_what_is_not(
    masked, asked, model: str, slice_by: str, slice_value: str, expected: tuple
) -> None:
    found = asked(
        "select n, n_unscored, value, worst, best from faith.metrics "
        f"where metric = 'accuracy' and model = '{model}' "
        f"and slice_by = '{slice_by}' and slice_value = '{slice_value}'"
    )
    assert found == [pytest.approx(expected)]


def test_models_are_compared_on_what_both_are_decided_on_as_a_whole_by_scenario_and_unit(
    masked, asked
) -> None:
    found = asked(
        """select slice_by, slice_value, n, value, other_value, n_only_model, n_only_other
        from reports.comparisons where suite = 'faith'"""
    )
    assert found == [
        ("overall", "all", 3, pytest.approx(2 / 3), pytest.approx(2 / 3), 1, 1),
        ("scenario", "comparative", 1, 1.0, 0.0, 1, 0),
        ("scenario", "direct lookup", 2, 0.5, 1.0, 0, 1),
        ("unit", "money", 3, pytest.approx(2 / 3), pytest.approx(2 / 3), 1, 1),
    ]


def test_the_scenario_that_a_model_says_stands_beside_the_derived_one(masked, asked) -> None:
    found = asked(
        "select derived, reported, n, share, n_correct "
        "from faith.scenarios where model = 'm' order by all"
    )
    assert found == [
        ("comparative", "direct lookup", 1, 1.0, 1),
        ("direct lookup", "direct lookup", 2, 1.0, 1),
        ("multivariate", "none", 1, 1.0, 0),
    ]


def test_a_scenario_is_named_by_its_letter_or_in_words(masked, asked) -> None:
    named = {
        "A": "direct lookup",
        "b": "comparative",
        "C: bivariate": "bivariate",
        "Bivariate calculation": "bivariate",
        "Scenario B": "comparative",
        "(D)": "multivariate",
        "A - the figure stands in the table": "direct lookup",
        "C) bivariate calculation": "bivariate",
        "E": "another",
        "Change over the year": "another",
        "B or C": "another",
        None: "none",
    }
    for number, scenario in enumerate(named):
        decide(masked, f"says {number}", "faith", scenario, c="correct")
    found = asked(
        "select model, reported, n from faith.scenarios where model like 'says%' "
        "order by split_part(model, ' ', 2)::integer"
    )
    assert found == [(f"says {n}", meant, 1) for n, meant in enumerate(named.values())]


def test_an_unreadable_reply_counts_as_wrong_and_a_failed_call_is_unscored(masked, asked) -> None:
    judgement = masked.only(Judgement, judgement_id="c.baseline m")
    masked.change(judgement, label="unreadable", details=None)
    counts = "select n, n_unscored, value, worst, best from faith.metrics"
    assert asked(f"{counts} where model = 'm' and slice_by = 'overall'") == [
        pytest.approx((3, 1, 1 / 3, 1 / 4, 2 / 4))
    ]
    assert asked("from faith.check_labels_are_known") == []


def test_reasons_are_counted_by_label(masked, asked) -> None:
    found = asked("select label, reason, n from faith.reasons where model = 'm' order by all")
    assert found == [
        ("correct", "the same figure", 2),
        ("unscored", UNREAD, 1),
        ("wrong", "another figure", 1),
    ]
