"""All five suites as logs of Inspect, and opened by `datasets`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tasks.results.opened import opened_warehouse
from tasks.results.publish.folder import publish
from tasks.results.publish.inspect_export import export_inspect
from tasks.suites.longcontext.articles import step
from tasks.suites.registry import SUITES
from tests.without_prefect import flows_as_functions

# In its own process, as a reader runs it: without a network, and without our code.
_LOAD = """
import json, sys, datasets
folder, cache = sys.argv[1:]
found = {}
for config in datasets.get_dataset_config_names(folder):
    splits = datasets.load_dataset(folder, config, cache_dir=cache)
    found[config] = {split: [dict(row) for row in splits[split]] for split in splits}
print(json.dumps(found, default=str))
"""

SMALL: dict[str, dict[str, Any]] = {
    "failsafeqa": {"pairs": 2},
    "faith": {},
    "tablequest": {"per_level": 2},
    "longcontext": {"lengths": (4_000,), "records": (4,), "queries": 1},
    "refusalbench": {"base_questions": 2, "per_stratum": 1},
}


def opened_by_datasets(folder: Path, cache: Path) -> dict[str, Any]:
    """Open a data set by `datasets` offline: configuration -> split -> rows."""
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(folder), str(cache)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(cache)},
        cwd=cache,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Answers of rules to cases of all suites, judged but not scored."""
    folder = tmp_path_factory.mktemp("tools") / "lake"
    with flows_as_functions(), pytest.MonkeyPatch.context() as patched:
        # more only take longer
        patched.setattr(step, "invent_articles", partial(step.invent_articles, wanted=2_000))
        for suite, own in SMALL.items():
            settings = settings_of(suite=suite, lake=str(folder), workers=1, **own)
            for verb in (ingest, build, infer, judge):
                verb(settings)
    return Lake(folder)


@pytest.fixture(scope="module")
def logs(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The log of each suite."""
    from inspect_ai.log import read_eval_log  # a second, and every test worker imports this file

    files = export_inspect(lake, "dev", tmp_path_factory.mktemp("logs") / "new")
    return {log.eval.task: log for log in map(read_eval_log, map(str, files))}


def test_a_log_has_each_suites_verdicts_as_the_warehouse_counts_them(
    lake: Lake, logs: dict[str, Any]
) -> None:
    query = "select suite, case_id, judge, value from staging.judged_answers"
    with opened_warehouse(lake, "dev", query) as warehouse:
        rows = warehouse.execute(query).fetchall()
    assert set(logs) == set(SUITES)
    scores = {
        (suite, sample.id, judge): score.value
        for suite, log in logs.items()
        for sample in log.samples
        for judge, score in sample.scores.items()
    }
    assert scores.keys() == {(suite, case_id, judge) for suite, case_id, judge, _ in rows}
    for *key, value in rows:
        score = scores[tuple(key)]
        assert score == value or (math.isnan(score) and value is None)


def test_datasets_opens_all_suites(lake: Lake, logs: dict[str, Any], tmp_path: Path) -> None:
    publish(lake, ["dev"], tmp_path / "published")
    opened = opened_by_datasets(tmp_path / "published", tmp_path)
    assert set(opened) == {*SUITES, "filings"}
    for suite in SUITES:
        samples = {sample.id: sample for sample in logs[suite].samples}
        rows = {row["case_id"]: row for row in opened[suite]["dev"]}
        assert rows.keys() == samples.keys()
        for case_id, row in rows.items():
            sample = samples[case_id]
            assert row["target"] == sample.target
            assert [row[name] for name in ("query", "variant")] == [
                sample.metadata[name] for name in ("query", "variant")
            ]
            assert (row["context"] or "") in sample.input[-1].text
