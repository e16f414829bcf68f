"""Answers of a lake as Inspect logs."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tasks.core.errors import RunFailed
from tasks.lake.lake import Lake, LakeError
from tasks.results.opened import opened_warehouse
from tasks.results.publish.inspect_export import export_inspect
from tests.invented_lake import RELEASE, SUITE, Invented, invent

SKILL = {"alpha-70b": 0.9, "beta-8b": 0.75}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    invented = Invented(n_filings=12, pairs_per_filing=1, skill=SKILL)
    return invent(tmp_path_factory.mktemp("answers") / "lake", invented)


@pytest.fixture(scope="module")
def metrics(lake: Lake) -> dict[tuple[str, str], tuple[float, float | None, float | None]]:
    """The value and the interval of each model's metrics over all cases."""
    query = "select model, metric, value, low, high from reports.metrics where slice_by = 'overall'"
    with opened_warehouse(lake, RELEASE, query) as warehouse:
        return {(row[0], row[1]): row[2:] for row in warehouse.execute(query).fetchall()}


def test_a_log_has_each_case_with_its_answer_its_score_and_the_metrics(
    lake: Lake, metrics: dict[Any, Any], tmp_path: Path
) -> None:
    from inspect_ai.log import read_eval_log  # a second, and every test worker imports this file

    logs = [read_eval_log(str(path)) for path in export_inspect(lake, RELEASE, tmp_path / "out")]
    assert {(log.eval.task, log.eval.model) for log in logs} == {(SUITE, model) for model in SKILL}
    for log in logs:
        assert log.status == "success"
        (scores,) = log.results.scores
        assert scores.name == "judge-72b"
        of_model = {
            metric: ends for (name, metric), ends in metrics.items() if name == log.eval.model
        }
        for metric, ends in of_model.items():
            for end, value in zip(("", "_low", "_high"), ends, strict=True):
                metric_of_log = scores.metrics.get(metric + end)
                assert (None if metric_of_log is None else metric_of_log.value) == value
        assert scores.metrics["compliance_low"].value < scores.metrics["compliance"].value
        values = [sample.scores["judge-72b"].value for sample in log.samples]
        scored = [value for value in values if not math.isnan(value)]
        assert sum(scored) / len(scored) == pytest.approx(of_model["compliance"][0])
    sample = logs[0].samples[0]
    assert {"variant", "company", "filing_id", "period_end"} <= set(sample.metadata)
    assert sample.metadata["query"] in sample.messages[0].text
    assert sample.output.completion == sample.messages[-1].text


def test_a_release_without_answers_says_how_to_get_some(lake: Lake, tmp_path: Path) -> None:
    class Unanswered(Lake):
        def as_of_now(self) -> Lake:
            known = super().as_of_now()
            assert known._known is not None
            for step in list(known._known):
                if ".infer." in step.name:
                    del known._known[step]
            return known

    with pytest.raises(LakeError, match=r"No model has answered(.|\n)*--model extractive"):
        export_inspect(Unanswered(lake.url), RELEASE, tmp_path / "out")


def test_a_missing_inspect_ai_is_named_and_nothing_else_imports_it(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = "flows.cli.app, flows.cli.exchange, tasks.results.publish.inspect_export"
    seen = "any(name.partition('.')[0] == 'inspect_ai' for name in sys.modules)"
    code = f"import sys; import {modules}; sys.exit({seen})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(RunFailed, match=r"pip install 'tenkbench\[inspect\]'"):
        export_inspect(lake, RELEASE, tmp_path / "out")
