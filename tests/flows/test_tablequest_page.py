"""From TableQuest's ratings down to the cells, on the page and the terminal."""

from __future__ import annotations

import re

import pytest

from flows.cli.app import main
from tasks.suites.tablequest.judge.reading import EMPTY
from tests.once import made_once
from tests.played_tables import SOUND, played


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = made_once(tmp_path_factory, "played-tables", lambda folder: played(folder))
    return str(folder / "lake")


def explained(capsys: pytest.CaptureFixture[str], lake: str, *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main(["explain", "--lake", lake, "--suite", "tablequest", *arguments])
    said = capsys.readouterr()
    return said.out or said.err


def test_an_elo_rating_leads_to_its_games_and_a_game_to_words_and_cells(
    lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = ("--metric", "elo", "--model", "messy", "--judge", SOUND)
    listed = explained(capsys, lake, *cell, "--all")
    stated = re.search(r"^[\d,]+(?: .*)?; n (\d+); 0 unscored$", listed, re.MULTILINE)
    assert stated
    games = re.findall(r"│ (case-\w+) +│ (won|tie|lost) against base ", listed)
    assert len(games) == int(stated[1]) > 10
    assert "against clean" not in listed
    of_all = explained(capsys, lake, "--metric", "points", *cell[2:], "--all")
    for model in ("clean", "base"):
        assert len(re.findall(rf"│ (?:won|tie|lost) against {model} ", of_all)) == len(games)
    lost = [explained(capsys, lake, case, *cell[2:]) for case, how in games if how == "lost"]
    assert any(EMPTY in whole for whole in lost)  # decided without a call
    decided = next(whole for whole in lost if '"better_model": "model_2"' in whole)
    assert {"won", "lost"} <= set(re.findall(r"│ label +│ (\w+)", decided))
    assert re.search(r"│ evidence +│ \{'Cells': 'table \d, ", decided)
