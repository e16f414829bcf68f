"""A user's own prompts: a model gets their text, and whatever shows the figures says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.cli.views.run_results import print_results
from flows.infer import infer
from flows.judge import judge
from flows.report import report_of
from flows.score import score
from tasks.inference.prompts import use_own_prompts
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tasks.results.publish.inspect_export import export_inspect
from tests.flows.typed import succeed
from tests.servers.threaded import threaded

OWN = {
    "neutral.txt": "My own words.\n{{ context }}\n=====\nTell me: {{ query }}\n",
    # the evidence and the reference are left out
    "verdict.txt": "{{ rubric }}\n{{ query }}\n=====\nRate {{ answer }} as JSON.\n",
}
FILES = "failsafeqa/neutral.txt and failsafeqa/verdict.txt"
SAID = f"Own prompts: {FILES}."
ANSWER = {"choices": [{"message": {"content": "It does not say."}, "finish_reason": "stop"}]}


@pytest.fixture(autouse=True)
def _packaged_afterwards() -> Iterator[None]:
    yield
    use_own_prompts({})


def page_of(run: RunSettings) -> str:
    page, _ = report_of(Lake(run.lake).as_of_now(), run.release, run.suite)
    return page.decode()


def test_own_prompts_are_sent_and_told_and_packaged_ones_come_back(
    copied: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    (folder / "failsafeqa").mkdir(parents=True)
    for name, text in OWN.items():
        (folder / "failsafeqa" / name).write_text(text)
    sent: list[str] = []

    def answer(path: str, asked: Any) -> tuple[int, dict[str, str], str]:
        if asked is not None and asked.get("max_tokens") != 1:  # a primer has no question
            sent.append(asked["messages"][-1]["content"])
        return 200, {}, json.dumps(ANSWER)

    assert "Own prompts" not in page_of(copied)
    with threaded(answer) as url:
        run = replace(copied, model=(f"mine@{url}",), judge_repeats=0.0)
        infer(run)
        assert sent
        assert not any("Tell me: " in prompt for prompt in sent)
        n_packaged = len(sent)
        sent.clear()
        own = replace(run, prompts=str(folder))
        infer(own)
        assert len(sent) == n_packaged
        assert all(prompt.startswith("My own words.\n") for prompt in sent)
        assert all("\nTell me: " in prompt for prompt in sent)
        judge(own)
        score(own)
        assert_told(own, tmp_path, capsys)
        sent.clear()
        infer(run)
    assert sent == []  # the packaged prompts were answered before


def assert_told(run: RunSettings, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SAID in page_of(run)
    print_results(run, as_json=False)
    assert SAID in " ".join(capsys.readouterr().out.split())
    succeed("sql", "from reports.metrics", "--lake", run.lake)
    assert SAID in capsys.readouterr().err
    query = "select distinct own_prompts from raw.models"
    with opened_warehouse(Lake(run.lake).as_of_now(), run.release, query) as warehouse:
        assert warehouse.execute(query).fetchall() == [(FILES.replace(" and ", ", "),)]
    from inspect_ai.log import read_eval_log  # a second, and every test worker imports this file

    file, *_ = export_inspect(Lake(run.lake), run.release, folder / "inspect")
    assert read_eval_log(str(file)).eval.metadata["own_prompts"].startswith(SAID)
