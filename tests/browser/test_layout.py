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


def luminance(page: Any, element: str, which: str) -> float:
    channels = page.evaluate(
        "([element, which]) => getComputedStyle(document.querySelector(element))[which]"
        ".match(/[0-9.]+/g).slice(0, 3).map(Number)",
        [element, which],
    )
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_paper(open_report: Open, scheme: str) -> None:
    page = open_report(scheme=scheme).page
    paper = luminance(page, "body", "backgroundColor")
    assert (paper > 0.5) == (scheme == "light")
    for element in (
        "p.lead",
        "thead th",
        ".contents a",
        "main a",
        "td .value",
        ".ends",
        ".rating",
    ):
        ink = luminance(page, element, "color")
        contrast = (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05)
        assert contrast >= 4.5, element  # WCAG 2.2, level AA


def test_paper_is_white_whatever_the_screen_was_and_holds_no_controls(
    open_report: Open, tmp_path: Path
) -> None:
    page = open_report(scheme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert luminance(page, "body", "backgroundColor") == pytest.approx(1.0)
    assert luminance(page, "p.lead", "color") < 0.05
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
