"""All five suites as tasks of Inspect and lm-eval, with their mock models, and by `datasets`."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
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
from tasks.core.tables import to_record
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import settings_of
from tasks.results.publish import inspect_export, lm_eval_export
from tasks.results.publish.answers import Answer, ModelAnswers, answers_of
from tasks.results.publish.folder import publish
from tasks.results.publish.inspect_export import export_inspect
from tasks.results.publish.judging import in_loop, judge_answer
from tasks.results.publish.lm_eval_export import export_lm_eval
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
# lm-eval's command without its own tasks: to read their 13,000 files would take most of the time.
LM_EVAL = """
from functools import partialmethod
from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager
TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)
cli_evaluate()
"""
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


@pytest.fixture
def _answered_once(answered: dict[str, ModelAnswers], monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports get the answers that have been read from the lake: it takes seconds."""
    for export in (inspect_export, lm_eval_export):
        monkeypatch.setattr(export, "answers_of", lambda *_: answered.values())


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
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # ours; they take time
        "TIKTOKEN_CACHE_DIR": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(home),
        "HOME": str(home),
    }


def row_of(answer: Answer) -> dict[str, str]:
    """The part of a task file's row that a judge reads."""
    asked = answer.asked
    rows = {"case": to_record(asked.case), "pair": to_record(asked.pair)}
    return {name: json.dumps(row) for name, row in rows.items()} | {
        "operation": asked.request.operation
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
        judged = judge_answer(suite, row_of(answer), answer.response.text or "", is_cut=is_cut)
        assert judged.value == verdict.value, (answer.asked.case.case_id, judged, verdict)
        found.add(judged.value)
    assert 1.0 in found
    wrong = judge_answer(suite, row_of(answered[suite].answers[0]), '{"answer": "-77.3"}')
    assert wrong.value in (0.0, None)  # of what rules never get wrong, too


def test_a_grader_is_asked_with_the_suites_own_prompt(answered: dict[str, ModelAnswers]) -> None:
    asked: list[str] = []

    async def grade(system: str | None, prompt: str) -> str:
        asked.append(prompt)
        return "It names the figure.\nRating: [[2]]"

    async def score() -> Any:
        ask = in_loop(asyncio.get_running_loop(), grade)
        row = row_of(answered["failsafeqa"].answers[0])
        return await asyncio.to_thread(judge_answer, "failsafeqa", row, "Fifty-one.", ask=ask)

    judged = asyncio.run(score())
    assert (judged.value, judged.said) == (0.0, "2")
    assert len(asked) == 1
    assert "Fifty-one." in asked[0]
    with pytest.raises(WrongUsage, match="rule 'strict' judges faith"):
        judge_answer("faith", row_of(answered["faith"].answers[0]), "1", ask=grade)


@pytest.mark.usefixtures("_answered_once")
def test_inspect_tasks_run_with_the_mock_model_and_pass_the_lint(
    lake: Lake, offline: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "exported"
    logs = export_inspect(lake, "dev", folder)
    assert len(logs) == len(SUITES)
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    ran = subprocess.run(pytest_, cwd=folder, env=offline, capture_output=True, text=True)
    # each suite twice, and the one whose judge is a model
    assert f"{2 * len(SUITES) + 1} passed" in ran.stdout, ran.stdout + ran.stderr
    lint = Path(sys.executable).with_name("inspect-evals-lint")
    checked = subprocess.run(
        [lint, "--all", "--output-format", "json"], cwd=folder, capture_output=True, text=True
    )
    report = json.loads(checked.stdout)
    assert checked.returncode == 0
    assert report["passed"]
    statuses = {each["status"] for of in report["packages"] for each in of["rules"]}
    assert statuses == {"pass", "skip"}, checked.stdout  # no warnings and no exceptions, either


@pytest.mark.usefixtures("_answered_once")
def test_lm_eval_runs_each_suite_with_its_dummy_model(
    lake: Lake, answered: dict[str, ModelAnswers], offline: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "exported"
    tasks = export_lm_eval(lake, "dev", folder)
    assert {task.name for task in tasks} == set(SUITES)
    command = [sys.executable, "-c", LM_EVAL, "run", "--model", "dummy", "--limit", "2"]
    command += ["--include_path", str(folder), "--log_samples", "--output_path", str(tmp_path)]
    command += ["--tasks", ",".join(f"tenkbench_{task.name}" for task in tasks)]
    ran = subprocess.run(command, cwd=tmp_path, env=offline, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (results,) = tmp_path.rglob("results_*.json")
    scores = json.loads(results.read_text(encoding="utf-8"))["results"]
    assert set(scores) == {f"tenkbench_{suite}" for suite in SUITES}
    assert scores["tenkbench_longcontext"]["right,none"] == 0
    for suite in SUITES:
        (samples,) = tmp_path.rglob(f"samples_tenkbench_{suite}_*.jsonl")
        sample = json.loads(samples.read_text(encoding="utf-8").splitlines()[0])
        shown = sample["arguments"]["gen_args_0"]["arg_0"]
        asked = next(
            each.asked
            for each in answered[suite].answers
            if each.asked.case.case_id == sample["doc"]["id"]
        )
        # without a chat template, lm-eval joins the system message and the prompt
        assert shown == (asked.prefix.system or "") + asked.prompt


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
