"""Rules first, then three models by another judge: what is shown, exported and proposed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from flows.cli.views.run_results import print_results
from tasks.pipeline.settings import RunSettings
from tests.flows.typed import succeed
from tests.scripted import Scripted

MODELS = ("one", "two", "three")


@pytest.fixture
def judged(as_functions: None, copied: RunSettings, faulty: Callable[..., Scripted]) -> RunSettings:
    """A release of rules, to which a run added three models and a judge of its own."""
    for number, model in enumerate(MODELS):
        faulty(model, ["I cannot say.", *["It is 5."] * number])
    faulty("other-judge", ["Fine.\nRating: [[4]]", "Poor.\nRating: [[1]]"])
    run = replace(copied, model=MODELS, judge=("other-judge",), judge_repeats=0.0)
    benchmark(run)
    return run


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    both = capsys.readouterr()
    return f"{both.out}\n{both.err}"


def commands_of(text: str) -> set[str]:
    """What a reader would paste: up to the end of its line or quotation."""
    return {
        found[1] or found[2] for found in re.finditer(r"`(tenkbench [^`]+)`|(tenkbench .+)", text)
    }


def test_every_command_that_is_printed_works_when_pasted(
    judged: RunSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    where = ["--lake", judged.lake]
    print_results(judged, as_json=False)
    succeed("report", "report.html", *where)
    succeed("explain", "--metric", "llmc", "--model", "one", *where)
    succeed("explain", "--metric", "robustness", "--model", "one", "--against", "two", *where)
    for wrong in (
        ["explain", "--metric", "llmc", *where],
        ["explain", "case-of-nothing", *where],
        ["export", "inspect", "out", "--judge", "nobody", *where],
    ):
        with pytest.raises(SystemExit):
            main(wrong)
    commands = commands_of(printed(capsys))
    assert {command.split()[1] for command in commands} >= {"report", "explain", "sql"}
    for command in sorted(commands):
        succeed(*shlex.split(command)[1:])
        capsys.readouterr()
