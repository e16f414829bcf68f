"""Comparisons of models whose populations are known, and of metrics made of others."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pytest

from tasks.core.rows import Comparison
from tasks.scoring.comparisons import compared, comparisons_of
from tasks.scoring.counted import Formula, formula_of, ratio
from tasks.scoring.metrics import metrics_of
from tasks.suites.failsafeqa.metrics import LLM_COMPLIANCE
from tasks.suites.registry import load_suite
from tasks.suites.suite import Suite
from tests.simulated import (
    KINDS,
    OPPOSITE,
    OPPOSITE_FIGURES,
    Kinds,
    Leaning,
    answered,
    f1_of,
    figures_found,
    paired,
    scoreable,
    with_donors,
)

N_FILINGS, N_EXPERIMENTS = 20, 300
BETTER: Kinds = {"easy": (0.98, 0.02), "hard": (0.8, 0.1)}
WORSE: Kinds = {"easy": (0.9, 0.1), "hard": (0.5, 0.4)}


def compared_in(warehouse: duckdb.DuckDBPyConnection, suite: Suite) -> list[Comparison]:
    return comparisons_of(warehouse, suite, "dev", {"beta": 0.5})


LLMC = formula_of("llmc", LLM_COMPLIANCE, {"beta": 0.5})


@pytest.mark.parametrize("other", [BETTER, WORSE])
def test_of_intervals_of_two_ratios_difference_90_to_99_percent_hold_the_truth(
    other: Kinds,
) -> None:
    chosen = np.random.default_rng(7)
    units = figures_found(N_EXPERIMENTS, N_FILINGS, chosen, (WORSE, other))["f1"]
    rows = list(compared((paired("f1", units, N_FILINGS),), Formula("f1", ratio, is_share=True)))
    truth = f1_of(WORSE) - f1_of(other)
    assert len(rows) == N_EXPERIMENTS
    assert 0.90 <= np.mean([row["low"] <= truth <= row["high"] for row in rows]) <= 0.99
    # units are not 0 or 1
    named = ("p_mcnemar", "p_permutation", "n_only_model")
    assert {tuple(row[name] for name in named) for row in rows} == {(None, None, None)}
    found = np.mean([row["p_student"] <= 0.05 for row in rows])
    assert found > 0.9 if other is BETTER else found <= 0.08


@pytest.mark.parametrize(("metric", "name"), [
    *(("llmc", name) for name in OPPOSITE), *(("f1", name) for name in OPPOSITE_FIGURES)
])  # fmt: skip
def test_equal_models_of_opposite_profiles_are_found_to_differ_in_3_to_7_percent(
    metric: str, name: str
) -> None:
    """An exchange of the models rejects in up to 30 %: it tests that their profiles are one."""
    chosen, is_f1 = np.random.default_rng(16), metric == "f1"
    models, draw = (OPPOSITE_FIGURES, figures_found) if is_f1 else (OPPOSITE, answered)
    units = draw(1_500, N_FILINGS, chosen, models[name])
    parts = tuple(
        paired(part, units[part], N_FILINGS) for part in (("f1",) if is_f1 else LLM_COMPLIANCE.of)
    )
    rows = list(compared(parts, Formula("f1", ratio, is_share=True) if is_f1 else LLMC))
    assert len(rows) == 1_500
    assert {row["p_permutation"] for row in rows} == {None}
    assert 0.03 <= np.mean([row["p_student"] <= 0.05 for row in rows]) <= 0.07
    for row in rows:  # the interval says the same
        assert (row["p_student"] <= 0.05) == (row["low"] > 0 or row["high"] < 0)


def test_of_intervals_of_two_shares_with_donors_90_to_99_percent_hold_the_difference() -> None:
    models = Leaning(0.5, 2), Leaning(0.5, 2, 1.0)
    units = with_donors(N_EXPERIMENTS, N_FILINGS, np.random.default_rng(8), models)["share"]
    rows = list(
        compared((paired("share", units, N_FILINGS),), Formula("share", ratio, is_share=True))
    )
    truth = models[0].share - models[1].share
    assert 0.90 <= np.mean([row["low"] <= truth <= row["high"] for row in rows]) <= 0.99
    for row in rows:
        assert row["n_only_model"] - row["n_only_other"] == round(row["difference"] * row["n"])


def test_a_metric_made_of_others_is_compared_where_all_of_them_are() -> None:
    suite = load_suite("failsafeqa")
    units = answered(1, 8, np.random.default_rng(11), (KINDS, KINDS, KINDS))
    grounding = units["context_grounding"]
    of_two = replace(grounding, **{
        name: np.where(np.arange(3)[:, None] == 1, np.nan, getattr(grounding, name))
        for name in ("numerator", "denominator")
    })  # fmt: skip
    with scoreable({**units, "context_grounding": of_two}, 8) as warehouse:
        rows = compared_in(warehouse, suite)
    pairs = {
        metric: {(row.model, row.other_model) for row in rows if row.metric == metric}
        for metric in ("robustness", "context_grounding", "llmc")
    }
    assert pairs["robustness"] == {("m0", "m1"), ("m0", "m2"), ("m1", "m2")}
    assert pairs["context_grounding"] == pairs["llmc"] == {("m0", "m2")}
    whole = {row.metric: row for row in rows if (row.model, row.other_model) == ("m0", "m2")}
    parts = [(whole[name].value, whole[name].other_value) for name in suite.metrics["llmc"].of]
    expected = [1.25 * r * g / (0.25 * g + r) for r, g in zip(*parts, strict=True)]
    assert [whole["llmc"].value, whole["llmc"].other_value] == pytest.approx(expected)


def test_a_difference_from_a_model_that_is_never_right_is_as_unsure_as_that_model() -> None:
    suite, n_filings = load_suite("failsafeqa"), 10
    units = answered(1, n_filings, np.random.default_rng(13), (KINDS, KINDS))
    robustness = units["robustness"]
    robustness.numerator[0, 1] = 0
    with scoreable(units, n_filings) as warehouse:
        metrics = metrics_of(warehouse, suite, "dev", options={"beta": 0.5})
        rows = compared_in(warehouse, suite)
    for metric in ("robustness", "llmc"):
        (row,) = (each for each in rows if each.metric == metric)
        one, other = (
            each
            for name in ("m0", "m1")
            for each in metrics
            if (each.model, each.metric, each.slice_by) == (name, metric, "overall")
        )
        assert other.value == 0 < row.value
        # each side adds what that model may be off by, in squares
        down = np.hypot(one.value - one.low, other.high - other.value)
        up = np.hypot(one.high - one.value, other.value - other.low)
        assert [row.low, row.high] == pytest.approx([one.value - down, one.value + up])
        assert row.minimum_detectable_difference > (row.high - row.low) / 2
