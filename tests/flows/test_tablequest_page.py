"""From TableQuest's ratings down to the cells, on the page and the terminal."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import pytest

from flows.cli.app import main
from flows.report import report_of
from tasks.lake.lake import Lake
from tasks.results.opened import opened_warehouse
from tasks.suites.tablequest.judge.verdict import EMPTY
from tests.once import made_once
from tests.played_tables import SOUND, played


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = made_once(tmp_path_factory, "played-tables", lambda folder: played(folder))
    return str(folder / "lake")


@pytest.fixture(scope="module")
def page(lake: str) -> str:
    return report_of(Lake(lake), "dev", "tablequest", SOUND).content.decode()


def explained(capsys: pytest.CaptureFixture[str], lake: str, *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main(["explain", "--lake", lake, "--suite", "tablequest", *arguments])
    said = capsys.readouterr()
    return said.out or said.err


def rows(lake: str, query: str) -> list[Any]:
    with opened_warehouse(Lake(lake), "dev") as connection:
        return connection.execute(query).fetchall()


def blocks(page: str) -> dict[str, Any]:
    found = re.findall(r'id="(cases-\w+)">([^<]+)</script>', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(block))) for name, block in found}


def test_a_case_shows_its_tables_with_the_needed_cells_and_both_orders(
    lake: str, page: str
) -> None:
    found = blocks(page)
    found.pop("cases-index")
    needed = dict(
        rows(
            lake,
            "select query, list(distinct text) from raw.qa_pairs inner join raw.drafts as drafts "
            "using (release, suite, qa_pair_id, query) inner join tablequest.draft_operands "
            "using (release, suite, draft_id) group by all",
        )
    )
    assert len(needed) == len(found)
    for pair in found.values():
        marked = {
            text
            for table in pair["tables"]
            for cells in table["rows"]
            for text, *_, is_marked in cells
            if is_marked
        }
        assert marked == set(needed[pair["question"]])
        assert {"Cells"} <= dict(pair["evidence"]).keys() <= {"Cells", "Steps"}
        for case in pair["cases"]:
            assert len(case["answers"]) == 3
            assert [game["other_model"] for game in case["games"]] == ["base", "base"]
            assert case["nOtherGames"] == 1  # --compare all
            for game in case["games"]:
                orders = (game["shown_first"]["rationale"], game["shown_second"]["rationale"])
                assert all("better_model" in said or said == EMPTY for said in orders)


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
