"""Long context's page in a browser: heatmaps, and what replies name of a long text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Open
from tests.haystack_page import measured_in, write_page
from tests.newsroom import Built, newsroom
from tests.once import made_once

HOSTILE = "<img src=x onerror=alert(1)>"
SIZES = [((1280, 800), "light"), ((500, 800), "dark")]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of three models on haystacks whose titles are hostile."""

    def make(folder: Path) -> None:
        companies = [f"{HOSTILE} {name}" for name in ("Corp", "LLC", "Foods", "Capital")]
        articles = newsroom(1500, companies=[*companies, "Dunmore Corp", "Farrowby LLC"])
        built = Built(articles, lengths=(4000, 8000), records=(3,), queries=2)
        write_page(measured_in(folder / "lake", built), folder / "page.html")

    return made_once(tmp_path_factory, "haystack-page", make) / "page.html"


@pytest.mark.parametrize(("size", "scheme"), SIZES)
def test_heatmaps_and_strips_pass_axe_and_fit(
    open_report: Open, file: Path, size: tuple[int, int], scheme: str
) -> None:
    page = open_report(size=size, scheme=scheme, file=file).page
    page.select_option("#filter-variant", label="Best practices")
    page.locator("#case-list a").first.click()
    page.wait_for_selector("#case .strip")
    response = Axe().run(page).response
    assert [(broken["id"], broken["nodes"][0]["html"]) for broken in response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert page.locator("img").count() == 0


def signs(page: Any, model: str) -> tuple[dict[str, int], str]:
    answer = page.locator("#case .answer", has=page.get_by_text(model, exact=True))
    names = ("found", "missed", "taken", "other")
    drawn = {name: answer.locator(f".strip .{name}").count() for name in names}
    return drawn, answer.locator(".signs").inner_text()


def test_a_case_shows_where_needles_lie_and_which_ids_were_given(
    open_report: Open, file: Path
) -> None:
    page = open_report(file=file).page
    page.select_option("#filter-variant", label="Best practices")
    page.fill("#filter-text", "sentiment")
    page.locator("#case-list a").first.click()
    page.wait_for_selector("#case .strip")
    needles = page.locator("#case .marked tr", has=page.locator("mark"))
    n_needles = needles.count()
    drawn, words = signs(page, "careful")
    assert drawn == {"found": n_needles, "missed": 0, "taken": 0, "other": 0}
    assert f"● {n_needles} needles found" in words
    drawn, words = signs(page, "eager")
    assert drawn == {"found": n_needles, "missed": 0, "taken": 2, "other": 0}
    assert "▲ 2 of " in words
    drawn, words = signs(page, "forgetful")
    assert drawn["found"] + drawn["missed"] == n_needles
    assert "9999" in words  # an ID that no article has is told, and has no place
    assert drawn["taken"] + drawn["other"] == 1
    assert HOSTILE in page.locator("#case .marked").inner_text()
