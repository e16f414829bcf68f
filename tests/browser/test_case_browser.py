"""The case browser: from a filtered matrix to one answer and the sentence it should rest on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from flows.report import write_report
from tests.browser.conftest import Open
from tests.invented_lake import RELEASE, SUITE, Invented, invent

CASE = "case-0000000002000001"
GOOD = "good (rated 6, rated 5, rated 4)"
BAD = "not good (rated 3, rated 2, rated 1)"


def found(page: Any) -> int:
    return int(re.sub(r"\D", "", page.inner_text("#cases-found")))


def field(page: Any, label: str) -> Any:
    return page.locator(".filters label", has_text=label).first.locator("select, input")


def test_cases_are_shown_by_portions_and_filters_narrow_them_together(open_report: Open) -> None:
    page = open_report().page
    assert found(page) == 12 * 4 * 7
    rows = page.locator("#case-list tr")
    assert rows.count() == 50
    page.get_by_role("button", name="Show more").click()
    assert rows.count() == 100
    field(page, "Form").select_option("Scanned")
    assert found(page) == 12 * 4
    field(page, "Model").select_option("alpha-70b")
    field(page, "Verdict").select_option(GOOD)
    good = found(page)
    field(page, "Verdict").select_option(BAD)
    bad = found(page)
    field(page, "Verdict").select_option("not judged")
    assert 0 < bad < good
    assert good + bad + found(page) == 12 * 4


def test_an_address_opens_its_case(open_report: Open) -> None:
    page = open_report(fragment=f"#{CASE}-misspelled").page
    case = page.locator("#case")
    assert case.locator("h3").inner_text().split()[1] == "teh"
    assert case.locator("del").inner_text() == "the"
    assert case.locator("ins").inner_text() == "teh"
    assert case.locator(".answer").count() == 3
    assert case.locator("mark").inner_text().endswith("million.")
    link = case.get_by_role("link", name="the filing on EDGAR").get_attribute("href")
    assert link.startswith("https://www.sec.gov/Archives/edgar/data/1002/")


def test_an_address_of_a_case_that_the_filters_leave_out_opens_it(open_report: Open) -> None:
    page = open_report(fragment=f"#{CASE}-misspelled&form=Scanned").page
    page.wait_for_selector(f"#case a[href='#{CASE}-misspelled']")
    assert found(page) == 12 * 4
    assert page.locator("#case-list a[aria-current]").count() == 0
    field(page, "Search").fill("no such words at all")
    assert found(page) == 0


def test_a_case_that_is_not_here_is_named(open_report: Open) -> None:
    page = open_report(fragment="#case-of-another-release").page
    assert page.locator("#case .warning").bounding_box()["y"] < 400  # it is scrolled to
    assert "no case case-of-another-release" in page.inner_text("#case .warning")


def test_a_case_is_chosen_from_the_keyboard_and_takes_the_focus(open_report: Open) -> None:
    page = open_report().page
    page.locator("#case-list a[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    chosen = page.evaluate("document.activeElement.hash")
    page.keyboard.press("Enter")
    page.locator("#case:focus").wait_for()  # the page forbids eval, and so wait_for_function
    assert chosen.startswith(page.locator("a[aria-current]").get_attribute("href") + "&left=")


def test_what_is_chosen_is_in_the_address_and_comes_back(open_report: Open) -> None:
    page = open_report().page
    choices = {"Form": "Scanned", "Model": "beta-8b", "Verdict": "models disagree"}
    for label, choice in choices.items():
        field(page, label).select_option(choice)
    field(page, "Search").fill("the")
    signs = page.locator("#case-list tr").first.locator("td").all_inner_texts()
    assert {sign[0] for sign in signs} == {"✓", "✗"}
    page.locator("#case-list td:nth-child(3)").first.click()
    page.locator("#case:focus").wait_for()
    page.get_by_label("Model on the right").select_option("extractive")
    before = [found(page), *page.locator("#case h3, .sides .name").all_inner_texts()]
    page.reload()
    page.wait_for_selector("#case .sides")
    assert [found(page), *page.locator("#case h3, .sides .name").all_inner_texts()] == before
    for _ in range(3):  # the model on the right, the case, the search
        page.go_back()
    assert page.url.endswith("#form=Scanned&model=beta-8b&verdict=disagree")
    assert field(page, "Search").input_value() == ""


def test_where_judges_disagree_the_matrix_and_the_case_say_so(
    open_report: Open, tmp_path: Path
) -> None:
    alone = open_report().page
    assert "judges disagree" not in field(alone, "Verdict").inner_text()
    assert not alone.locator("#other-judges").is_visible()
    lake = invent(tmp_path / "lake", Invented(contrary_judge="zeta"))
    write_report(lake.url, RELEASE, SUITE, tmp_path / "report.html")
    page = open_report(file=tmp_path / "report.html").page
    told = page.locator("#other-judges")
    assert told.inner_text() == (
        "zeta and judge-72b disagree on 126 of 126 answers (42 cases), marked ≠."
    )
    told.get_by_role("link").click()
    page.locator("#filter-rating :checked[value=judges-disagree]").wait_for(state="attached")
    assert (page.url.endswith("#verdict=judges-disagree"), found(page)) == (True, 42)
    link = page.locator("#case-list td a").first
    sign, rating = link.inner_text()[0], int(re.sub(r"\D", "", link.inner_text()))
    said = f"judge-72b: rated {7 - rating}"
    assert link.get_attribute("title") == said
    assert link.get_attribute("aria-label").endswith(f", but {said}")
    assert link.inner_text().endswith("≠")
    link.click()
    page.locator("#case:focus").wait_for()
    opinions = page.locator(".answer.chosen").first.locator(".opinions .note").all_inner_texts()
    other = "✗" if sign == "✓" else "✓"
    theirs = f"judge-72b {other}\xa0rated {7 - rating} ≠ disagrees"
    assert opinions == [f"zeta {sign}\xa0rated {rating}", theirs]
