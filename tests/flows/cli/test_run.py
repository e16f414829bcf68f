"""What a command says before its flow starts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.cli import run
from tasks.pipeline.resolved import settings_of
from tests.servers.answering import answering

LISTED = (200, b'{"data": [{"id": "ours"}]}')


@pytest.fixture
def said_before(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Callable[..., str]:
    def said(**settings: Any) -> str:
        monkeypatch.setattr(run, "_import_flow", lambda _: next(iter(())))
        with pytest.raises(StopIteration):
            run.start("benchmark", settings_of(**settings))
        return capsys.readouterr().err

    return said


@pytest.mark.parametrize(
    ("answer", "says"), [(LISTED, ""), ((401, b""), "refuses access (401). Set key_env")]
)
def test_a_server_that_refuses_is_told_before_the_build(
    answer: tuple[int, bytes], says: str, tmp_path: Path, said_before: Callable[..., str]
) -> None:
    with answering({"/v1/models": answer}) as server:
        said = said_before(lake=str(tmp_path), model=(f"ours@{server.url}/v1",))
    assert ("The run goes on" in said) == bool(says)
    assert says in said


@pytest.mark.parametrize(
    ("suite", "judge", "says"),
    [
        ("refusalbench", (), "A model can judge them: --judge MODEL"),
        ("refusalbench", ("codes", "extractive"), ""),
        ("failsafeqa", (), ""),
        ("failsafeqa,refusalbench", (), "refusalbench: codes is a rule"),
    ],
)
def test_what_a_rule_cannot_judge_is_told_before_the_run(
    suite: str, judge: tuple[str, ...], says: str, tmp_path: Path, said_before: Callable[..., str]
) -> None:
    said = said_before(lake=str(tmp_path), suite=suite, judge=judge)
    assert ("codes is a rule" in said) == bool(says)
    assert says in said
