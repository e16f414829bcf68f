"""A step that runs on some rows of its shard is predicted as if it ran on all."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tasks.pipeline.resolved import settings_of
from tasks.results.estimate import trial_build
from tasks.results.estimate.estimate import estimate
from tasks.suites.longcontext.articles import step

PLACEMENTS = ("append", "best_practices")


def test_prompts_and_what_they_share_are_those_of_the_whole_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 12,000 take longer; with 2,000 the estimate is not as close
    monkeypatch.setattr(step, "invent_articles", partial(step.invent_articles, wanted=5_000))
    run = settings_of(
        suite="longcontext",
        lake=str(tmp_path / "lake"),
        workers=1,
        lengths=(4_000, 6_000),
        records=(9, 5),  # a last round of queries is smaller than the others
        queries=4,
        placements=PLACEMENTS,
    )
    whole = {line.operation: line for line in estimate(run).lines}
    monkeypatch.setattr(trial_build, "WHOLE_SHARD", 8)
    monkeypatch.setattr(trial_build, "SHARD_ROWS", 8)
    sampled = {line.operation: line for line in estimate(run).lines}
    for placement in PLACEMENTS:
        exact, predicted = (lines[f"answer_{placement}"] for lines in (whole, sampled))
        assert exact.basis == "counted"
        assert predicted.basis.endswith("of 14 rows of step records")
        assert predicted.requests == pytest.approx(exact.requests, rel=0.01)
        assert predicted.prompt == pytest.approx(exact.prompt, rel=0.01)
        assert predicted.shared == pytest.approx(exact.shared, rel=0.05)
