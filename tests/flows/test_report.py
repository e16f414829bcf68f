"""`tenkbench report` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli.app import main
from tasks.warehouse.sql_files import checks_of
from tests.invented_lake import RELEASE, SUITE, Invented, invent


def tenkbench(*words: str) -> int:
    """The exit status of a command."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lake")
    return invent(folder, Invented(n_filings=2, pairs_per_filing=1, skill={"alpha-70b": 0.9})).url


def test_it_writes_one_file_and_says_where_it_is(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tenkbench("report", "--lake", root, "--release", RELEASE) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    said = capsys.readouterr().err
    assert "report.html: 0." in said or "report.html: 1." in said  # megabytes
    assert (tmp_path / "report.html").as_uri() in said


def test_a_json_file_gets_what_the_page_shows(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "shown.json"
    assert tenkbench("report", str(target), "--lake", root, "--release", RELEASE) == 0
    assert "browser" not in capsys.readouterr().err
    shown = json.loads(target.read_text(encoding="utf-8"))
    assert (shown["suite"], shown["release"], shown["judge"]) == (SUITE, RELEASE, "judge-72b")
    assert [model["name"] for model in shown["models"]] == ["alpha-70b"]
    assert shown["verdict"][0].startswith("alpha-70b scores ")
    assert shown["n_answers"] == 2 * 7
    assert shown["n_checks"] == len(checks_of(SUITE))
    (value,) = (
        row["value"]
        for row in shown["relations"]["reports.metrics"]
        if (row["metric"], row["slice_by"]) == ("robustness", "overall")
    )
    assert 0 <= value <= 1
    cases = [case for question in shown["questions"] for case in question["cases"]]
    assert len(cases) == 2 * 7
    (answer,) = cases[0]["answers"]
    assert answer["model"] == "alpha-70b"
    assert answer["verdict"].startswith("rated ")
    assert answer["is_good"] in (True, False)
