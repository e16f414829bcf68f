"""The first sentences say no more than the tests between models allow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.results.report.measured import Candidate, Comparison, Estimate, Measured
from tasks.results.report.unscored import Unscored
from tasks.results.report.verdict import listed, verdict


def model(name: str, is_baseline: bool = False) -> Candidate:
    return Candidate(name, is_baseline, "openai 1", None, 0, None)


def cell(value: float | None, low: float | None = 0.1, high: float | None = 0.9) -> Estimate:
    return Estimate(70, 0, value, low, high, value, value)


def compared(
    one: str, other: str, difference: float, p: float | None, detectable: float | None = 0.1
) -> Comparison:
    return Comparison("llmc", one, other, 70, difference, -0.1, 0.3, p, detectable)


def saying(
    measured: Measured, models: list[Candidate], cells: list[Estimate], *comparisons: Comparison
) -> str:
    estimates = {(m.name, "llmc", "overall"): c for m, c in zip(models, cells, strict=True)}
    return " ".join(
        verdict(
            replace(measured, models=tuple(models), estimates=estimates, comparisons=comparisons)
        )
    )


def test_a_lead_that_a_test_bears_out_is_told(measured: Measured) -> None:
    said = saying(
        measured, [model("a"), model("b")], [cell(0.8), cell(0.5)], compared("a", "b", 0.3, 0.004)
    )
    assert "a comes first with 0.80 (95 % interval 0.10 to 0.90)" in said
    assert "The lead of a over b is larger than chance readily explains" in said
    assert "not shown" not in said


def test_the_order_in_which_a_pair_was_compared_does_not_matter(measured: Measured) -> None:
    said = saying(
        measured, [model("a"), model("b")], [cell(0.8), cell(0.5)], compared("b", "a", -0.3, 0.004)
    )
    assert "The lead of a over b is larger than chance readily explains" in said


def test_a_lead_that_chance_explains_is_no_lead(measured: Measured) -> None:
    said = saying(
        measured, [model("a"), model("b")], [cell(0.8), cell(0.7)], compared("a", "b", 0.1, 0.05)
    )
    assert (
        "a is not shown to differ from b: taken alone, before the adjustment for several pairs, "
        "a comparison would detect a difference of 0.10 four times out of five."
    ) in said
    assert "larger than chance" not in said


def test_what_several_comparisons_could_detect_is_told_from_least_to_most(
    measured: Measured,
) -> None:
    models, cells = [model("a"), model("b"), model("c")], [cell(0.8), cell(0.7), cell(0.7)]
    level = [compared("a", "b", 0.1, 0.5, 0.2), compared("a", "c", 0.1, 0.5, 0.14)]
    assert "a comparison would detect a difference of 0.14 to 0.20" in saying(
        measured, models, cells, *level
    )


def test_a_difference_that_points_the_other_way_is_no_lead(measured: Measured) -> None:
    """On the pairs that both are scored on the order can be another than over all."""
    said = saying(
        measured, [model("a"), model("b")], [cell(0.8), cell(0.7)], compared("a", "b", -0.1, 0.001)
    )
    assert "larger than chance" not in said


def test_without_a_test_nothing_is_said_of_a_difference(measured: Measured) -> None:
    said = saying(measured, [model("a"), model("b")], [cell(0.8), cell(0.5)])
    assert "Whether a differs from b could not be tested" in said


def test_one_model_has_no_rank(measured: Measured) -> None:
    said = saying(measured, [model("a")], [cell(0.8)])
    assert "nothing can be said about its rank" in said
    assert "first" not in said


def test_a_baseline_that_leads_is_no_language_model(measured: Measured) -> None:
    said = saying(measured, [model("rules", True), model("b")], [cell(0.8), cell(0.5)])
    assert "rules, a rule-based baseline and no language model," in said


def test_one_filing_has_no_interval(measured: Measured) -> None:
    assert "there is no interval" in saying(measured, [model("a")], [cell(0.8, None, None)])


def test_nothing_scored_is_said(measured: Measured) -> None:
    assert "nothing that it is made of was scored" in saying(measured, [model("a")], [cell(None)])


def test_many_models_are_counted(measured: Measured) -> None:
    models = [model(name) for name in "abcdefg"]
    behind = [compared("a", name, 0.3, 0.001) for name in "bcdefg"]
    said = saying(measured, models, [cell(0.9)] * 7, *behind)
    assert "over all 6 others" in said
    assert "over 5 of the 6 others" in saying(measured, models, [cell(0.9)] * 7, *behind[1:])


def test_models_of_one_value_come_together(measured: Measured) -> None:
    models = [model("a"), model("b"), model("c")]
    said = saying(measured, models, [cell(0.8), cell(0.8), cell(0.5)])
    assert "a comes first with 0.80 (95 % interval 0.10 to 0.90), together with b." in said
    said = saying(measured, models[:2], [cell(0.8), cell(0.8)])
    assert "a reaches 0.80 (95 % interval 0.10 to 0.90), together with b." in said
    assert "first" not in said
    assert "not shown to differ" not in said


def test_a_model_that_could_not_be_judged_is_named_and_has_no_place(measured: Measured) -> None:
    rows = (Unscored("mute", measured.judge, "baseline", "no verdict", 70, 70),)
    found = replace(measured, unscored=rows)
    missing = (
        f"mute: 70 of 70 answers could not be rated by {measured.judge} (no verdict). "
        "mute has no LLM Compliance and no place."
    )
    said = saying(found, [model("a"), model("mute")], [cell(0.8), cell(None)])
    assert said.endswith(
        "No other model has figures in LLM Compliance, "
        f"so nothing can be said about its rank. {missing}"
    )
    said = saying(
        found, [model("a"), model("b"), model("mute")], [cell(0.8), cell(0.7), cell(None)]
    )
    assert said.endswith(missing)
    assert "from b" in said
    said = saying(found, [model("mute")], [cell(None)])
    assert said.endswith(
        f"mute: 70 of 70 answers could not be rated by {measured.judge} (no verdict)."
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_names_are_listed(names: list[str], said: str) -> None:
    assert listed(names) == said
