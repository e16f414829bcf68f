"""The end of a run: digits, missing intervals, names, working commands, its own suite only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from flows.benchmark import benchmark
from flows.cli.views.run_results import print_results
from flows.judge import judge
from flows.score import score
from tasks.pipeline.settings import RunSettings
from tests.scripted import Scripted


def test_the_end_of_a_run_on_three_filings(
    finished: RunSettings, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    print_results(finished, as_json=False)
    shown = capsys.readouterr()
    assert shown.out.replace(finished.lake, "LAKE") == snapshot
    assert shown.err.replace(finished.lake, "LAKE") == snapshot


def test_models_without_a_judge_in_common_are_named_and_explain_takes_scored_ones(
    as_functions: None,
    copied: RunSettings,
    faulty: Callable[..., Scripted],
    capsys: pytest.CaptureFixture[str],
) -> None:
    faulty("desk", ["I cannot say."])
    faulty("referee", ["Fine.\nRating: [[4]]"])
    run = replace(copied, model=("desk",), judge=("referee",), judge_repeats=0.0)
    benchmark(run)
    capsys.readouterr()
    print_results(replace(run, model=("nobody",), judge=()), as_json=False)
    shown = capsys.readouterr()
    told = "No judge has judged all of these models, so do not compare them: "
    assert f"{told}desk by referee; extractive by extractive.\n" in shown.out
    (command,) = [line for line in shown.err.splitlines() if line.startswith("The cases behind")]
    assert command.endswith("--metric llmc --model extractive --judge extractive")
    judge(replace(run, model=("extractive",)))
    score(run)
    capsys.readouterr()
    print_results(replace(run, model=("extractive",)), as_json=False)
    shown = capsys.readouterr()
    assert told not in shown.out
    assert "--metric llmc --model extractive --judge referee\n" in shown.err
