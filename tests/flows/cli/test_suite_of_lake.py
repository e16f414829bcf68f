"""A command that names no suite means the lake's only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli.options import suite_of
from tasks.lake.lake import Lake, LakeStep


def begun(folder: Path, *steps: tuple[str, str]) -> str:
    """A lake with empty commits of these steps: (release, name)."""
    lake = Lake(folder)
    for release, name in steps:
        lake.commit(LakeStep(release, name), {"inputs": {}}, [])
    return str(folder)


def test_the_only_suite_of_a_lake_or_release_is_meant_and_else_the_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of_one = begun(tmp_path / "one", ("dev", "ingest"), ("dev", "faith.build.contexts"))
    of_two = begun(
        tmp_path / "two", ("dev", "faith.build.contexts"), ("2026Q3", "failsafeqa.build.contexts")
    )
    assert suite_of(of_one, None) == suite_of(of_one, "dev") == "faith"
    assert suite_of(of_two, "dev") == "faith"
    assert suite_of(of_two, "2026Q3") == "failsafeqa"
    assert suite_of(str(tmp_path / "none"), None) == "failsafeqa"
    assert capsys.readouterr().err == ""
    assert suite_of(of_two, None) == "failsafeqa"
    said = "Suite failsafeqa. The lake also holds others: --suite faith.\n"
    assert capsys.readouterr().err == said
