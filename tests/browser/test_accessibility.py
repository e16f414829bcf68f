"""The page to who does not see it, or has no mouse: names, roles, order of headings, focus."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Open


@pytest.mark.parametrize(("size", "scheme"), [((1280, 800), "light"), ((360, 780), "dark")])
def test_axe_finds_no_violation(
    open_report: Open, report_file: Path, size: tuple[int, int], scheme: str
) -> None:
    """Check axe-core's rules: WCAG's contrast, names, roles and landmarks, as far as it can."""
    for named, most in (
        ({}, 40),
        ({"file": report_file.with_name("index.html"), "ready": "h2"}, 20),
    ):
        response = Axe().run(open_report(size=size, scheme=scheme, **named).page).response
        broken = [(each["id"], each["nodes"][0]["html"]) for each in response["violations"]]
        assert broken == []
        assert len(response["passes"]) > most


def test_the_keyboard_reaches_every_part_and_the_focus_is_seen(open_report: Open) -> None:
    page = open_report().page
    stops = []
    for _ in range(110):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                """() => {
                    const e = document.activeElement;
                    const style = getComputedStyle(e);
                    const section = e.closest('nav, section, header')?.id || e.localName;
                    return [section, style.outlineStyle, e.matches('.skip')];
                }"""
            )
        )
        if stops[-1][0] == "cases":
            break
    reached, parts = dict.fromkeys(stop[0] for stop in stops), ["leaderboard", "pairs", "cases"]
    assert [section for section in reached if section in parts] == parts
    assert {outline for _, outline, _ in stops} == {"solid"}
