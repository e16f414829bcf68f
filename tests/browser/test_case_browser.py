"""The case browser: from a filtered list to one answer and the sentence it should rest on."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open

CASE = "case-0000000002000001"
GOOD = "good (rated 6, rated 5, rated 4)"
BAD = "not good (rated 3, rated 2, rated 1)"


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
    field(page, "Rating").select_option(GOOD)
    good = found(page)
    field(page, "Rating").select_option(BAD)
    bad = found(page)
    field(page, "Rating").select_option("not judged")
    assert 0 < bad < good
    assert good + bad + found(page) == 12 * 4


def repacked(page: str, block: str, change: Callable[[Any], None]) -> str:
    """A page with one of its blocks of data changed."""
    found = re.search(rf'id="{block}">(.*?)</script>', page)
    assert found is not None
    data = json.loads(gzip.decompress(base64.b64decode(found[1])))
    change(data)
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode())).decode()
    return page[: found.start(1)] + packed + page[found.end(1) :]


def test_verdicts_of_any_names_can_be_chosen_and_are_told_from_each_other(
    open_report: Open, report_file: Path, tmp_path: Path
) -> None:
    """Turn each rating of the invented release into a verdict, of which three hold.

    Such a judge decides, with words of its own.
    """
    ratings = [f"rated {n}" for n in range(6, 0, -1)]
    words = ("right", "refused well", "nearly right", "beside it", "off", "wrong")
    names = dict(zip(ratings, words, strict=True))

    def decide(index: Any) -> None:
        for verdict in index["verdicts"].values():
            verdict["name"] = verdict["full"] = names[verdict["name"]]

    file = tmp_path / "decided.html"
    decided = repacked(report_file.read_text(encoding="utf-8"), "cases-index", decide)
    file.write_text(decided, encoding="utf-8")
    rated, page = open_report().page, open_report(file=file).page
    for each in (rated, page):
        field(each, "Model").select_option("alpha-70b")
    good, bad = f"good ({', '.join(words[:3])})", f"not good ({', '.join(words[3:])})"
    for asked, decided in ((GOOD, good), (BAD, bad), *[("not judged",) * 2], *names.items()):
        field(rated, "Rating").select_option(asked)
        field(page, "Rating").select_option(decided)
        assert found(page) == found(rated) > 0
        shown = rated.locator("#case-list .about").all_inner_texts()
        for rating, name in names.items():
            shown = [text.replace(rating, name) for text in shown]
        assert page.locator("#case-list .about").all_inner_texts() == shown
    field(page, "Rating").select_option("")
    page.locator("#case-list a").first.click()
    shown = page.locator(".answer .rating")
    # an answer's own words stand with the case
    assert [text.endswith(", good") for text in shown.all_inner_texts()] == [
        "good" in classes.split()
        for classes in shown.evaluate_all("all => all.map((one) => one.className)")
    ]


def test_a_summary_counts_judged_answers_only(
    open_report: Open, report_file: Path, tmp_path: Path
) -> None:
    given = ["A- ", "AB ", "-- "]  # verdicts of three models; the last was not asked

    def decide(index: Any) -> None:
        index["cases"] = [
            [*case[:4], verdicts] for case, verdicts in zip(index["cases"], given, strict=False)
        ]
        for letter, verdict in index["verdicts"].items():
            verdict["isGood"] = letter == "A"

    file = tmp_path / "some.html"
    text = repacked(report_file.read_text(encoding="utf-8"), "cases-index", decide)
    file.write_text(text, encoding="utf-8")
    shown = open_report(file=file).page.locator("#case-list .about").all_inner_texts()
    assert [text.rpartition(" · ")[2] for text in shown] == [
        "1 of 1 good",
        "1 of 2 good",
        "not judged",
    ]


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


@pytest.mark.parametrize("size", [(1280, 800), (500, 900)])
def test_an_address_scrolls_to_its_case_and_marks_it_in_the_list(
    open_report: Open, size: tuple[int, int]
) -> None:
    page = open_report(size=size, fragment="#case-000000000b000003-ocr").page
    assert 0 <= page.locator("#case").bounding_box()["y"] < size[1] / 3
    marked = page.locator("#case-list a[aria-current]")
    assert marked.get_attribute("href") == "#case-000000000b000003-ocr"
    assert page.locator("#case-list a").count() > 50  # it is far down the list
    (row, frame) = (each.bounding_box() for each in (marked, page.locator(".list")))
    assert frame["y"] <= row["y"] < row["y"] + row["height"] <= frame["y"] + frame["height"]


def test_an_address_of_a_case_that_the_filters_leave_out_opens_it(open_report: Open) -> None:
    page = open_report().page
    field(page, "Form").select_option("Scanned")
    page.evaluate(f"location.hash = '{CASE}-misspelled'")
    page.wait_for_selector(f"#case a[href='#{CASE}-misspelled']")
    assert page.locator("#case-list a[aria-current]").count() == 0


def test_a_scanned_case_shows_what_the_scanner_did(open_report: Open) -> None:
    case = open_report(fragment=f"#{CASE}-ocr").page.locator("#case")
    assert "~" in case.locator("ins").first.inner_text()


def test_a_case_without_a_context_says_so(open_report: Open) -> None:
    case = open_report(fragment=f"#{CASE}-missing_context").page.locator("#case")
    assert "no filing at all" in case.inner_text()
    assert "does not answer the question" in case.inner_text()


def test_a_case_that_is_not_here_is_named(open_report: Open) -> None:
    page = open_report(fragment="#case-of-another-release").page
    assert page.locator("#case .warning").bounding_box()["y"] < 400  # it is scrolled to
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
    page.locator("#case:focus").wait_for()  # the page forbids eval, and so wait_for_function
    assert page.locator("#case-list a[aria-current]").get_attribute("href") == chosen
    page.go_back()
