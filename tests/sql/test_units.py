"""The things behind each cell of FailSafeQA's metrics: together they make up its figures."""

from __future__ import annotations

import pytest

PERTURBATIONS = (
    "baseline",
    "misspelled",
    "incomplete",
    "out_of_domain",
    "ocr",
    "missing_context",
    "irrelevant_context",
)

PARTS = {"llmc": ("robustness", "context_grounding")}
# by the part of the metric in which they count: (score, numerator) of each unit
Scores = dict[str, list[tuple[int | None, int | None]]]


def value_of(scores: Scores, metric: str, unscored: int | None) -> float | None:
    """A cell's value with `unscored` in the place of what has no score; None leaves that out.

    What has no score but a numerator of 0 could not have passed.
    """
    shares = {}
    for part, each in scores.items():
        counted = [
            (unscored and (unscored if numerator is None else numerator))
            if score is None
            else score
            for score, numerator in each
        ]
        counted = [score for score in counted if score is not None]
        shares[part] = sum(counted) / len(counted) if counted else None
    if metric != "llmc":
        return shares[metric]
    robustness, grounding = shares.get("robustness"), shares.get("context_grounding")
    if robustness is None or grounding is None:
        return None
    return (
        1.25 * robustness * grounding / (0.25 * grounding + robustness)
        if robustness + grounding
        else 0.0
    )


@pytest.fixture
def rated(lake):
    """Two tasks, models and judges; unscored answers, a pair without ocr, one nobody answered."""
    lake.add_pair("a")
    lake.add_pair("b", task="tg")
    lake.add_pair("c", perturbations=tuple(name for name in PERTURBATIONS if name != "ocr"))
    lake.add_pair("d", task="tg")
    for model, judge, step in (("m", "j", 1), ("m", "k", 2), ("other", "j", 3)):
        for number, name in enumerate("abc"):
            given = [name for name in PERTURBATIONS if (name, number) != ("ocr", 2)]
            ratings = {
                each: (step * (place + number)) % 7 or None for place, each in enumerate(given)
            }
            lake.judge(name, ratings, model=model, judge=judge)
    lake.judge("b", dict.fromkeys(PERTURBATIONS, 6), model="sound")
    return lake


def test_each_cell_of_the_metrics_is_made_of_its_units(rated, asked) -> None:
    units = {
        tuple(cell): scores
        for *cell, scores in asked(
            """select model, judge, metric, slice_by, slice_value, list((score, numerator))
            from staging.cell_units
            inner join staging.units using (model, judge, metric, unit_id)
            group by all"""
        )
    }
    cells = asked(
        """select model, judge, metric, slice_by, slice_value, n_unscored, value, worst, best
        from failsafeqa.metrics"""
    )
    assert {metric for _, _, metric, *_ in cells} == {
        "compliance",
        "robustness",
        "context_grounding",
        "llmc",
    }
    for model, judge, metric, slice_by, slice_value, n_unscored, *values in cells:
        scores = {
            part: units[model, judge, part, slice_by, slice_value]
            for part in PARTS.get(metric, (metric,))
        }
        n_without = sum(score is None for each in scores.values() for score, _ in each)
        assert n_without == n_unscored
        assert [value_of(scores, metric, unscored) for unscored in (None, 0, 1)] == [
            value if value is None else pytest.approx(value) for value in values
        ], (model, judge, metric, slice_by, slice_value)
    assert (None, 0) in units["m", "j", "robustness", "overall", "all"]
    # a metric that is made of others has no units of its own
    assert {cell[:5] for cell in cells if cell[2] not in PARTS} == set(units)


def test_a_case_is_its_own_unit_and_a_pair_names_the_cases_that_decide_it(rated, asked) -> None:
    units = "from staging.cell_units where model = 'm' and judge = 'j'"
    assert asked(
        f"select case_ids {units} and metric = 'context_grounding' "
        "and qa_pair_id = 'a' and slice_by = 'task' and slice_value = 'qa'"
    ) in (
        [(["a.missing_context"],), (["a.irrelevant_context"],)],
        [(["a.irrelevant_context"],), (["a.missing_context"],)],
    )
    ((case_ids,),) = asked(
        f"select case_ids {units} and metric = 'robustness' "
        "and qa_pair_id = 'c' and slice_by = 'overall'"
    )
    assert case_ids == ["c.baseline", "c.incomplete", "c.misspelled", "c.out_of_domain"]
