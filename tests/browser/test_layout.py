"""The page on a phone, a laptop and a wall, in light and dark, on paper, and without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open

PHONE, LAPTOP, WALL = (360, 780), (1280, 800), (2560, 1440)


@pytest.mark.parametrize("size", [PHONE, LAPTOP, WALL])
def test_nothing_is_wider_than_the_screen(open_report: Open, size: tuple[int, int]) -> None:
    page = open_report(size=size).page
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def test_paper_is_white_whatever_the_screen_was_and_holds_no_controls(
    open_report: Open, tmp_path: Path
) -> None:
    page = open_report(scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    for control in ("nav.contents", "#case-browser", ".dt-search"):
        assert not page.locator(control).first.is_visible()
    assert page.locator("#provenance table").is_visible()
    pdf = tmp_path / "report.pdf"
    page.pdf(path=pdf, format="A4")
    assert pdf.read_bytes().count(b"/Type /Page\n") <= 12


def test_without_scripts_tables_and_figures_stand(browser: Any, report_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(report_file.as_uri())
    assert page.locator("#leaderboard-table").is_visible()
    assert page.locator("#trade-off figure svg").is_visible()
    assert "needs JavaScript" in page.inner_text("#cases")
    assert not page.locator("#case-browser").is_visible()
    context.close()
