"""Tables sort and filter, by mouse and by keyboard, and say so to a screen reader."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Open


def column(page: Any, table: str, place: int) -> list[str]:
    """The texts of one column, first line each."""
    rows = page.locator(f"{table} tbody tr")
    return [
        rows.nth(i).locator("th, td").nth(place).inner_text().split("\n")[0]
        for i in range(rows.count())
    ]


def test_a_heading_sorts_its_column_by_value(open_report: Open) -> None:
    page = open_report().page
    heading = page.locator("#leaderboard-table thead th", has_text="Robustness")
    assert heading.get_attribute("aria-sort") is None
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    first = column(page, "#leaderboard-table", 3)
    assert first == sorted(first)
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert column(page, "#leaderboard-table", 3) == first[::-1]


def test_published_models_are_shown_on_demand_and_marked(open_report: Open) -> None:
    page = open_report().page
    assert "Palmyra" not in page.inner_text("#leaderboard-table")
    page.get_by_label("models of the paper").check()
    rows = page.locator("#leaderboard-table tbody tr")
    assert rows.count() == 3 + 24
    published = page.locator("#leaderboard-table tbody tr", has_text="Palmyra-Fin-128k-Instruct")
    assert published.locator(".tag").inner_text() == "paper"
    assert "by Qwen2.5-72B-Instruct" in published.inner_text()  # its own judge
    assert " to " not in published.inner_text()  # and no interval
    page.get_by_label("models of the paper").uncheck()
    assert rows.count() == 3


def test_paper_has_every_row_and_the_screen_has_its_choice_back(open_report: Open) -> None:
    page = open_report().page
    page.get_by_role("combobox", name="Metric").select_option("Robustness")
    page.get_by_role("searchbox", name="Filter models").first.fill("beta")
    page.evaluate(
        """() => addEventListener("beforeprint", () => {
            window.printed = ["#leaderboard-table", "#pairs-table"].map(
                (table) => document.querySelectorAll(`${table} tbody tr`).length);
        })"""
    )
    page.pdf(format="A4")
    # models of this release; pairs of three models, four metrics
    assert page.evaluate("window.printed") == [3, 3 * 4]
    assert set(column(page, "#pairs-table", 0)) == {"Robustness"}
    assert column(page, "#leaderboard-table", 1) == ["beta-8b"]
