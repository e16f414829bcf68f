"""What a command says before its flow starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli import run
from tasks.pipeline.resolved import settings_of
from tests.servers.answering import answering

LISTED = (200, b'{"data": [{"id": "ours"}]}')


def no_flow(verb: str) -> None:
    """Stand in for the import of a verb's flow."""
    raise InterruptedError(verb)


@pytest.mark.parametrize(
    ("answer", "says"), [(LISTED, ""), ((401, b""), "refuses access (401). Set key_env")]
)
def test_a_server_that_refuses_is_told_before_the_build(
    answer: tuple[int, bytes],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_import_flow", no_flow)
    with answering({"/v1/models": answer}) as server:
        settings = settings_of(lake=str(tmp_path), model=(f"ours@{server.url}/v1",))
        with pytest.raises(InterruptedError):
            run.start("benchmark", settings)
    said = capsys.readouterr().err
    assert ("The run goes on" in said) == bool(says)
    assert says in said


@pytest.mark.parametrize(
    ("suite", "judge", "says"),
    [
        ("refusalbench", (), "A model can judge them: --judge MODEL"),
        ("refusalbench", ("codes", "extractive"), ""),
        ("failsafeqa", (), ""),
    ],
)
def test_what_a_rule_cannot_judge_is_told_before_the_run(
    suite: str,
    judge: tuple[str, ...],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_import_flow", no_flow)
    with pytest.raises(InterruptedError):
        run.start("benchmark", settings_of(lake=str(tmp_path), suite=suite, judge=judge))
    said = capsys.readouterr().err
    assert ("codes is a rule" in said) == bool(says)
    assert says in said
