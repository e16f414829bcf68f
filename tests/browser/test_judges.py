"""One page with the figures of two judges, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.report import write_report
from tests.invented_lake import RELEASE, SUITE, Invented, invent
from tests.once import made_once


def judged_twice(folder: Path) -> None:
    invented = Invented(skill={"alpha": 0.9, "beta": 0.4}, contrary_judge="zeta")
    lake = invent(folder / "lake", invented)
    write_report(lake.url, RELEASE, SUITE, folder / "report.html")


def test_the_choice_shows_all_figures_and_cases_of_another_judge_and_back(
    open_report: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = made_once(tmp_path_factory, "judged-twice", judged_twice)
    page = open_report(file=folder / "report.html").page
    seen = []
    for judge in ("zeta", "judge-72b", "zeta"):
        page.select_option("#show-judge", label=judge)
        page.wait_for_selector("#case h4")
        by = set(page.locator("#leaderboard-table tbody td.name").all_inner_texts())
        assert judge in by
        assert not {"zeta", "judge-72b"} - {judge} & by
        page.locator("#leaderboard-table thead th", has_text="Model").click()  # it sorts
        page.select_option("#filter-model", label="alpha")
        page.locator("#case-list a").nth(1).click()
        page.wait_for_selector("#case .answer")
        page.emulate_media(media="print")
        page.emulate_media(media="screen")
        lead = page.locator("p.lead").first.inner_text()
        assert f"by the ratings of {judge}" in lead
        seen.append((lead, page.locator("#case-list .about").all_inner_texts()))
    assert seen[0] == seen[2] != seen[1]
    assert seen[0][1] != seen[1][1]  # verdicts on the same cases
