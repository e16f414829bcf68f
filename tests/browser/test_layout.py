"""The page on a phone, a laptop and a wall, in light and dark, on paper, and without scripts."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open

PHONE, LAPTOP, WALL = (360, 780), (1280, 800), (2560, 1440)


@pytest.mark.parametrize("size", [PHONE, LAPTOP, WALL])
def test_nothing_is_wider_than_the_screen(open_report: Open, size: tuple[int, int]) -> None:
    page = open_report(size=size).page
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def edge(page: Any, table: str) -> float:
    """The brightness, 0 to 1, of a table frame's right edge on the screen: its brightest pixel."""
    frame = page.locator(f".scroll:has({table})")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    strip = {
        "x": box["x"] + box["width"] - 3,
        "y": box["y"] + box["height"] / 2,
        "width": 3,
        "height": 20,
    }
    shot = b64encode(page.screenshot(clip=strip, full_page=False)).decode()
    return float(
        page.evaluate(
            """async (shot) => {
                const bytes = Uint8Array.from(atob(shot), (char) => char.charCodeAt(0));
                const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
                const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
                context.drawImage(image, 0, 0);
                const { data } = context.getImageData(0, 0, image.width, image.height);
                let brightest = 0;
                for (let i = 0; i < data.length; i += 4)
                    brightest = Math.max(brightest, (data[i] + data[i + 1] + data[i + 2]) / 765);
                return brightest;
            }""",
            shot,
        )
    )


def test_a_shade_tells_that_a_table_goes_on_beyond_the_edge(open_report: Open) -> None:
    page = open_report(size=PHONE).page
    before = edge(page, "#pairs-table")
    page.locator(".scroll:has(#pairs-table)").evaluate(
        "frame => frame.scrollLeft = frame.scrollWidth"
    )
    after = edge(page, "#pairs-table")
    assert before < 0.85 < 0.95 < after
    laptop = open_report(size=LAPTOP).page
    assert edge(laptop, "#leaderboard-table") > 0.95  # it fits


@pytest.mark.parametrize(
    ("size", "shown", "hidden"), [(PHONE, "narrow", "wide"), (WALL, "wide", "narrow")]
)
def test_figures_are_drawn_for_the_size_of_the_screen(
    open_report: Open, size: tuple[int, int], shown: str, hidden: str
) -> None:
    page = open_report(size=size).page
    assert page.locator(f"figure .{shown} svg").first.is_visible()
    assert not page.locator(f"figure .{hidden} svg").first.is_visible()


def test_text_grows_on_a_wall(open_report: Open) -> None:
    def size_of(size: tuple[int, int]) -> float:
        page = open_report(size=size).page
        return float(page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)"))

    assert size_of(WALL) > 1.3 * size_of(LAPTOP)


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
        ".basis",
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


def test_figures_follow_the_colour_scheme(open_report: Open) -> None:
    light, dark = (
        luminance(open_report(scheme=scheme).page, "figure .wide svg text", "fill")
        for scheme in ("light", "dark")
    )
    assert light < 0.2 < dark


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
    assert page.locator("#tradeoff .wide svg").is_visible()
    assert "needs JavaScript" in page.inner_text("#cases")
    assert not page.locator("#case-browser").is_visible()
    context.close()
