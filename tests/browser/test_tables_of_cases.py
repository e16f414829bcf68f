"""TableQuest's cases in a browser: the filing's table, its needed cells, and both orders."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tasks.lake.lake import Lake
from tasks.results.opened import opened_warehouse
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.page import page_of
from tasks.results.report.provenance import provenance
from tasks.suites.registry import load_suite
from tests.once import made_once
from tests.played_tables import SOUND, played

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page one of whose tables has a hostile cell, where a case needs it."""
    with ThreadPoolExecutor(1) as apart:  # the browser's own loop may run in this thread
        folder = apart.submit(made_once, tmp_path_factory, "played-tables", played).result()
    lake, suite = Lake(str(folder / "lake")), load_suite("tablequest")
    sources = provenance(lake.commits("dev"), "tablequest", SOUND)
    with opened_warehouse(lake, "dev") as warehouse:
        reports = gather(warehouse, suite, "dev", sources.judges)
    for row in reports["tablequest.shown_tables"]:
        shown = HOSTILE.replace("<", "&lt;").replace(">", "&gt;")
        row["html"] = row["html"].replace("</td><td>", f"{shown}</td><td>")
    measured = measured_of(
        reports, suite, "dev", judges=sources.judges, parameters=sources.parameters
    )
    file = tmp_path_factory.mktemp("page") / "tables.html"
    file.write_text(page_of(measured, sources, 1), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", [1280, 500])
def test_a_case_shows_the_cells_that_it_needs_as_text_and_both_orders(
    open_report: Callable[..., Any], file: Path, width: int
) -> None:
    page = open_report(size=(width, 800), file=file).page
    assert page.locator("#case table.of-filing").count() >= 1
    assert page.locator("#case table.of-filing mark").count() >= 1
    assert HOSTILE in page.locator("#case table.of-filing").first.inner_text()
    assert page.locator("img").count() == 0
    games = page.locator("#case .answer", has_text="against base").all_inner_texts()
    assert len(games) == 2
    assert all("base shown first: " in game and "better_model" in game for game in games)
    page.select_option("#filter-model", label="clean")
    page.locator("#case-list a").nth(1).click()
    page.locator("#case h4").first.wait_for()
    assert page.locator("#case .answer", has_text="clean against base").count() == 1
    assert page.locator("#case .answer", has_text="messy against base").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
