"""Intervals: against another implementation, and where there is little to go by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy

from tasks.warehouse.connection import open_warehouse
from tests.scored import score_into
from tests.simulated import ANSWERABLE, PERTURBATIONS, UNANSWERABLE, simulated


def test_intervals_agree_with_another_implementation(tmp_path: Path) -> None:
    parts = simulated(tmp_path, 3, 60, seed=1)
    with open_warehouse(parts) as warehouse:
        score_into(warehouse)
        found = {
            (judge, metric): (value, low, high)
            for judge, metric, value, low, high in warehouse.execute(
                "select judge, metric, value, low, high "
                "from failsafeqa.metrics where slice_by = 'overall'"
            ).fetchall()
        }
        scored = warehouse.execute(
            "select judge, group_number, qa_pair_id, variant, compliance from staging.judged_cases "
            "inner join staging.pairs using (release, suite, qa_pair_id)"
        ).fetchall()
    for judge in ("j0", "j1", "j2"):
        by_filing = resampled([row[1:] for row in scored if row[0] == judge])
        for metric, (value, low, high) in by_filing.items():
            assert found[judge, metric][0] == pytest.approx(value)
            # two bootstraps of one sample differ by what 1,000 draws leave open
            assert found[judge, metric][1:] == pytest.approx((low, high), abs=0.02)


def resampled(rows: list[tuple[str, str, str, int]]) -> dict[str, tuple[float, float, float]]:
    """Return each metric's (value, low, high): numpy draws filings, each draw is measured whole."""
    filings: dict[str, dict[str, dict[str, int]]] = {}
    for filing, pair, variant, compliance in rows:
        filings.setdefault(filing, {}).setdefault(pair, {})[variant] = compliance
    names = sorted(filings)

    def measured(drawn: list[str]) -> dict[str, float]:
        pairs = [pair for name in drawn for pair in filings[name].values()]
        robustness = float(np.mean([min(pair[name] for name in ANSWERABLE) for pair in pairs]))
        grounding = float(np.mean([pair[name] for pair in pairs for name in UNANSWERABLE]))
        both = 1.25 * robustness * grounding / (0.25 * grounding + robustness)
        return {"robustness": robustness, "context_grounding": grounding, "llmc": both}

    chosen = np.random.default_rng(5)
    draws = [
        measured([names[place] for place in chosen.integers(len(names), size=len(names))])
        for _ in range(2_000)
    ]
    n = len(names)
    found = {}
    for metric, value in measured(names).items():
        standard_error = np.std([draw[metric] for draw in draws]) * np.sqrt(n / (n - 1))
        reach = scipy.stats.t.ppf(0.975, n - 1) * standard_error / (value * (1 - value))
        found[metric] = (
            value,
            scipy.special.expit(scipy.special.logit(value) - reach),
            scipy.special.expit(scipy.special.logit(value) + reach),
        )
    return found


def intervals(asked: Callable) -> dict[str, tuple[float | None, ...]]:
    """Map each metric to value, low, high, worst, best; for compliance the baseline's."""
    rows = asked(
        """select metric, value, low, high, worst, best from failsafeqa.metrics
        where (slice_by, slice_value) =
        if(metric = 'compliance', ('variant', 'baseline'), ('overall', 'all'))"""
    )
    return {metric: rest for metric, *rest in rows}


def rated(*ratings: int | None) -> dict[str, int | None]:
    return dict(zip(PERTURBATIONS, ratings, strict=True))


def test_where_all_filings_agree_the_bound_is_the_exact_one(lake, asked) -> None:
    for name in ("a", "b", "c", "d"):
        lake.add_pair(name)
        lake.judge(name, rated(5, 5, 5, 5, 5, 1, 1))
    exact = 0.025 ** (1 / 4)
    found = intervals(asked)
    assert found["compliance"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["robustness"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["context_grounding"] == pytest.approx([0, 0, 1 - exact, 0, 0])
    both = 1.25 * (1 - exact) / (0.25 * (1 - exact) + 1)
    assert found["llmc"] == pytest.approx([0, 0, both, 0, 0])


def test_bounds_of_what_is_unscored(lake, asked) -> None:
    for name, ratings in (
        ("a", rated(5, 5, 5, 5, 5, 5, None)),
        ("b", rated(None, 5, 5, 5, 5, 1, 5)),
    ):
        lake.add_pair(name)
        lake.judge(name, ratings)
    found = intervals(asked)
    assert found["compliance"][3:] == [0.5, 1]
    assert found["robustness"][3:] == [0.5, 1]
    assert found["context_grounding"][3:] == [0.5, 0.75]
    worst, best = (1.25 * r * g / (0.25 * g + r) for r, g in ((0.5, 0.5), (1, 0.75)))
    assert found["llmc"][3:] == pytest.approx([worst, best])
