"""The case browser: from a list that filters to one answer and the sentence that it should rest on."""

from __future__ import annotations

import re
from typing import Any

from tests.browser.conftest import Open

CASE = "case-0000000002000001"


def found(page: Any) -> int:
    return int(re.sub(r"\D", "", page.inner_text("#cases-found")))


def field(page: Any, label: str) -> Any:
    return page.locator("form.filters").get_by_label(label)


def test_all_cases_are_found_and_shown_by_portions(open_report: Open) -> None:
    page = open_report().page
    assert found(page) == 12 * 4 * 7
    links = page.locator("#case-list a")
    assert links.count() == 50
    page.get_by_role("button", name="Show more").click()
    assert links.count() == 100


def test_filters_narrow_the_list_together(open_report: Open) -> None:
    page = open_report().page
    field(page, "Form").select_option("Scanned")
    assert found(page) == 12 * 4
    field(page, "Model").select_option("alpha-70b")
    field(page, "Rating").select_option("good (4 to 6)")
    good = found(page)
    field(page, "Rating").select_option("not good (1 to 3)")
    bad = found(page)
    field(page, "Rating").select_option("not judged")
    assert 0 < bad < good
    assert good + bad + found(page) == 12 * 4


def test_the_search_finds_words_of_the_question_and_the_case(open_report: Open) -> None:
    page = open_report().page
    field(page, "Search").fill(f"{CASE}-ocr")
    assert found(page) == 1
    field(page, "Search").fill("no such words at all")
    assert found(page) == 0
    assert page.get_by_role("button", name="Show more").is_hidden()


def test_an_address_opens_its_case(open_report: Open) -> None:
    page = open_report(fragment=f"#{CASE}-misspelled").page
    case = page.locator("#case")
    assert case.locator("h3").inner_text().split()[1] == "teh"
    assert case.locator("del").inner_text() == "the"
    assert case.locator("ins").inner_text() == "teh"
    assert case.locator(".answer").count() == 3
    assert case.locator("mark").inner_text().endswith("million.")
    assert (
        case.get_by_role("link", name="the filing on EDGAR")
        .get_attribute("href")
        .startswith("https://www.sec.gov/Archives/edgar/data/1002/")
    )


def test_a_scanned_case_shows_what_the_scanner_did(open_report: Open) -> None:
    case = open_report(fragment=f"#{CASE}-ocr").page.locator("#case")
    assert "~" in case.locator("ins").first.inner_text()


def test_a_case_without_a_context_says_so(open_report: Open) -> None:
    case = open_report(fragment=f"#{CASE}-missing_context").page.locator("#case")
    assert "no filing at all" in case.inner_text()
    assert "does not answer the question" in case.inner_text()


def test_a_case_that_is_not_here_is_named(open_report: Open) -> None:
    page = open_report(fragment="#case-of-another-release").page
    assert "no case case-of-another-release" in page.inner_text("#case .warning")


def test_the_chosen_models_answer_comes_first(open_report: Open) -> None:
    page = open_report().page
    field(page, "Model").select_option("beta-8b")
    page.locator("#case-list a").nth(2).click()
    page.wait_for_selector(".answer.chosen")
    assert page.locator("#case .answer .name").first.inner_text() == "beta-8b"


def test_a_case_is_chosen_from_the_keyboard_and_takes_the_focus(open_report: Open) -> None:
    page = open_report().page
    field(page, "Search").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    chosen = page.evaluate("document.activeElement.hash")
    assert chosen.startswith("#case-")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'case'")
    assert page.locator("#case-list a[aria-current]").get_attribute("href") == chosen
    page.go_back()
