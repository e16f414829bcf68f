"""All five suites as tasks of Inspect with its mock model, and opened by `datasets`."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
import shutil
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
from tasks.core.errors import WrongUsage
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tasks.results.publish import inspect_export
from tasks.results.publish.answers import ModelAnswers, answers_of
from tasks.results.publish.folder import publish
from tasks.results.publish.inspect_export import export_inspect
from tasks.results.publish.judging import in_loop, judge_answer
from tasks.results.publish.task_package import case_record
from tasks.suites.longcontext.articles import step
from tasks.suites.registry import SUITES, load_suite
from tests.flows.opened_by_datasets import opened_by_datasets
from tests.without_prefect import flows_as_functions

SMALL: dict[str, dict[str, Any]] = {
    "failsafeqa": {"pairs": 2},
    "faith": {},
    "tablequest": {"per_level": 2},
    "longcontext": {"lengths": (4_000,), "records": (4,), "queries": 1},
    "refusalbench": {"base_questions": 2, "per_stratum": 1},
}
_O200K = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


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
def answered(lake: Lake) -> dict[str, ModelAnswers]:
    return {each.suite.name: each for each in answers_of(lake, "dev")}


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables by which the tools need no network."""
    home = tmp_path_factory.mktemp("home")
    litellm = importlib.util.find_spec("litellm")
    assert litellm is not None
    assert litellm.submodule_search_locations is not None
    tables = Path(litellm.submodule_search_locations[0], "litellm_core_utils", "tokenizers")
    name = hashlib.sha1(_O200K.encode(), usedforsecurity=False).hexdigest()
    shutil.copy(tables / name, home)  # Inspect counts the mock model's tokens
    return {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "TIKTOKEN_CACHE_DIR": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(home),
        "HOME": str(home),
    }


@pytest.mark.parametrize("suite", SUITES)
def test_an_exported_task_judges_as_the_warehouse_counts(
    suite: str, answered: dict[str, ModelAnswers]
) -> None:
    default = load_suite(suite).default_judges[0]
    found: set[float | None] = set()
    for answer in answered[suite].answers:
        (verdict,) = (each for each in answer.verdicts if each.judgement.judge == default)
        is_cut = answer.response.finish_reason == "length"
        judged = judge_answer(
            suite, case_record(answer.asked), answer.response.text or "", is_cut=is_cut
        )
        assert judged.value == verdict.value, (answer.asked.case.case_id, judged, verdict)
        found.add(judged.value)
    assert 1.0 in found
    wrong = judge_answer(
        suite, case_record(answered[suite].answers[0].asked), '{"answer": "-77.3"}'
    )
    assert wrong.value in (0.0, None)  # of what rules never get wrong, too


def test_a_grader_is_asked_with_the_suites_own_prompt(answered: dict[str, ModelAnswers]) -> None:
    asked: list[str] = []

    async def grade(system: str | None, prompt: str) -> str:
        asked.append(prompt)
        return "It names the figure.\nRating: [[2]]"

    async def score() -> Any:
        ask = in_loop(asyncio.get_running_loop(), grade)
        row = case_record(answered["failsafeqa"].answers[0].asked)
        return await asyncio.to_thread(judge_answer, "failsafeqa", row, "Fifty-one.", ask=ask)

    judged = asyncio.run(score())
    assert (judged.value, judged.said) == (0.0, "2")
    assert len(asked) == 1
    assert "Fifty-one." in asked[0]
    with pytest.raises(WrongUsage, match="rule 'strict' judges faith"):
        judge_answer("faith", case_record(answered["faith"].answers[0].asked), "1", ask=grade)


# What who installs the package does, without a screen.
RUN_TASKS = """
import sys
import tenkbench_tasks
from inspect_ai import eval
options = {"limit": 2, "log_dir": sys.argv[1], "display": "none", "model": "mockllm/model"}
for name in tenkbench_tasks.__all__:
    (log,) = eval(getattr(tenkbench_tasks, name)(), **options)
    print(name, log.status, log.results.scores[0].name)
graded = tenkbench_tasks.failsafeqa(grader=True)
(log,) = eval(graded, model_roles={"grader": "mockllm/model"}, **options)
print("graded", log.status, *log.stats.role_usage)
"""


def test_inspect_runs_all_tasks_with_its_mock_model(
    lake: Lake,
    answered: dict[str, ModelAnswers],
    offline: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # read from the lake once: it takes seconds
    monkeypatch.setattr(inspect_export, "answers_of", lambda *_: answered.values())
    folder = tmp_path / "exported"
    assert len(export_inspect(lake, "dev", folder)) == len(SUITES)
    path = os.pathsep.join([str(folder / "src"), offline["PYTHONPATH"]])
    ran = subprocess.run(
        [sys.executable, "-c", RUN_TASKS, str(tmp_path / "logs")],
        cwd=folder,
        env={**offline, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    *by_task, graded = ran.stdout.splitlines()
    assert set(by_task) == {f"{suite} success suite_judge" for suite in SUITES}
    assert graded == "graded success grader"


def test_datasets_opens_all_suites(
    lake: Lake, answered: dict[str, ModelAnswers], tmp_path: Path
) -> None:
    publish(lake, ["dev"], tmp_path / "published")
    opened = opened_by_datasets(tmp_path / "published", tmp_path)
    assert set(opened) == {*SUITES, "filings"}
    for suite in SUITES:
        asked = {each.asked.case.case_id: each.asked for each in answered[suite].answers}
        rows = {row["case_id"]: row for row in opened[suite]["dev"]}
        assert rows.keys() == asked.keys()
        for case_id, row in rows.items():
            case, pair = asked[case_id].case, asked[case_id].pair
            assert [row[name] for name in ("query", "target", "answer", "variant")] == [
                *(case.query, case.target, pair.answer, case.variant)
            ]
            assert (row["context"] or "") in asked[case_id].prompt
