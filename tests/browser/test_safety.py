"""What models wrote is text: nothing of it runs, loads, restyles or hides, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Open
from tests.browser.hostile import HOSTILE

# Answers are given to the first model's cases in the lake's order.
PER_PAIR = 7
PERTURBATIONS = (
    "baseline",
    "misspelled",
    "incomplete",
    "out_of_domain",
    "ocr",
    "missing_context",
    "irrelevant_context",
)


def case_of(number: int) -> str:
    """The id of the case that the lake's answer of this number belongs to."""
    pair, place = divmod(number, PER_PAIR)
    return f"case-{0:010x}{pair:06x}-{PERTURBATIONS[place]}"


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_answer_is_shown_as_the_text_that_it_is(open_report: Open, number: int) -> None:
    page = open_report(fragment=f"#{case_of(number)}").page
    answers = page.locator("#case .answer", has_text="extractive")
    assert answers.count() == 1
    assert page.evaluate("window.hacked") is None
    assert page.locator("#injected").count() == 0
    # of elements there are only those that the page makes itself
    made = answers.evaluate("node => [...node.querySelectorAll('*')].map(e => e.localName)")
    assert set(made) <= {"header", "span", "p"}
    attributes = answers.evaluate(
        "node => [...node.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
    )
    assert set(attributes) <= {"class", "dir"}
    shown = answers.locator("p.text").first.text_content()
    if len(HOSTILE[number]) < 1000 and HOSTILE[number].isascii() and "\r" not in HOSTILE[number]:
        assert shown == HOSTILE[number]


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u0007", "\u001b", "\u2028", "\u3164"]
)
def test_a_hidden_character_is_spelled_out(open_report: Open, hidden: str) -> None:
    number = next(n for n, text in enumerate(HOSTILE) if hidden in text)
    shown = open_report(fragment=f"#{case_of(number)}").page.text_content("#case")
    assert hidden not in shown
    assert f"⟨U+{ord(hidden):04X}⟩" in shown


def test_a_huge_answer_is_cut_and_says_so(open_report: Open) -> None:
    number = next(n for n, text in enumerate(HOSTILE) if len(text) > 100_000)
    page = open_report(fragment=f"#{case_of(number)}").page
    shown = page.text_content("#case")
    assert "194,000 more characters" in shown
    assert len(shown) < 20_000


def test_the_policy_stops_a_script_that_got_in(open_report: Open) -> None:
    """Should a text ever be taken for HTML, the browser still runs and loads nothing of it."""
    opened = open_report()
    opened.page.evaluate(
        """() => {
            document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hacked = 1">');
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 2';
            document.body.append(script);
            const style = document.createElement('style');
            style.textContent = 'body { display: none }';
            document.body.append(style);
        }"""
    )
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.hacked") is None
    assert opened.page.locator("body").is_visible()
    refused = [text for text in opened.complaints if "Content Security Policy" in text]
    assert len(refused) == 4  # the image, its handler, the script and the style
    opened.complaints.clear()


def test_links_go_to_edgar_and_to_the_page_itself(open_report: Open) -> None:
    page = open_report().page
    links = page.evaluate("[...document.links].map(link => [link.getAttribute('href'), link.rel])")
    outside = [(href, rel) for href, rel in links if not href.startswith("#")]
    assert outside
    for href, rel in outside:
        assert href.startswith(
            ("https://www.sec.gov/Archives/edgar/", "https://datatables.net/", "https://vega.github.io/")
        )
        assert "noopener" in rel
