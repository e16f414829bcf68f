"""`tenkbench diff`: what it tells of two releases, in words and as JSON, and its refusals."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from flows.benchmark import benchmark
from flows.build import build
from flows.cli.app import main
from flows.ingest import ingest
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tests.altered import altered
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="module")
def lake(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A read-only lake with two releases of the same filings, one of them with fewer pairs."""
    folder = tmp_path_factory.mktemp("diff") / "lake"
    shutil.copytree(Lake(finished.lake).here, folder)
    fewer = altered(finished, lake=str(folder), release="2026.11", pairs=1)
    with flows_as_functions():
        benchmark(fewer)
        ingest(replace(fewer, release="2026.12", limit=2))
    return str(folder)


def told(capsys: pytest.CaptureFixture[str], lake: str, *tokens: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["diff", *tokens, "--lake", lake])
    assert not ended.value.code
    return capsys.readouterr().out


def test_what_is_told_of_two_releases(
    lake: str, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    assert told(capsys, lake, "dev", "2026.11").replace(lake, "LAKE") == snapshot


def test_a_release_with_outdated_steps_is_refused(
    lake: str, finished: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(lake, tmp_path / "lake")
    held = str(tmp_path / "lake")
    build(replace(finished, lake=held, seed=5, force=True))
    with pytest.raises(SystemExit, match="1"):
        main(["diff", "dev", "2026.11", "--lake", held])
    said = capsys.readouterr().err
    assert "failsafeqa.judge.extractive.extractive" in said
    assert "of release 'dev' have been made again since" in said


def test_the_rows_behind_a_count_are_a_command_away(
    lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(capsys, lake, "2026.11", "2026.12")
    _, *command = shlex.split(said.partition("The rows behind the counts: ")[2])
    with pytest.raises(SystemExit, match="0"):
        main([*command, "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (gone,) = [row for row in rows if row["table_name"] == "filings"]
    assert (gone["change"], gone["other_said"]) == ("gone", None)
    assert gone["said"].startswith("TILLAMERE BANCORP")
