"""What models wrote is text: nothing of it runs, loads, restyles or hides, in a real browser."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Open
from tests.browser.hostile import HOSTILE
from tests.simulated import PERTURBATIONS


def case_of(number: int) -> str:
    """The id of the case of an answer; they are given in the lake's order, to the first model."""
    pair, place = divmod(number, len(PERTURBATIONS))
    return f"case-{0:010x}{pair:06x}-{PERTURBATIONS[place]}"


def shown_answer(page: Any, number: int) -> Any:
    """The element with the lake's answer of this number, its case opened."""
    id_ = case_of(number)
    page.evaluate("id => { location.hash = id }", id_)
    page.wait_for_selector(f'#case p.note > a[href="#{id_}"]')
    answers = page.locator("#case .answer", has_text="extractive")
    assert answers.count() == 1
    return answers


def test_a_hostile_answer_is_shown_as_the_text_that_it_is(open_report: Open) -> None:
    page = open_report().page
    for number, hostile in enumerate(HOSTILE):
        answer = shown_answer(page, number)
        assert page.evaluate("window.hacked") is None, hostile
        assert page.locator("#injected").count() == 0
        # of elements there are only those that the page makes itself, and of attributes
        made = answer.evaluate("node => [...node.querySelectorAll('*')].map(e => e.localName)")
        assert set(made) <= {"header", "span", "p"}, hostile
        names = answer.evaluate(
            "node => [...node.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
        )
        assert set(names) <= {"class", "dir"}, hostile
        if len(hostile) < 1000 and hostile.isascii() and "\r" not in hostile:
            assert answer.locator("p.text").first.text_content() == hostile


def test_hidden_characters_are_spelled_out(open_report: Open) -> None:
    page = open_report().page
    for hidden in ("\u202e\u2066", "\u200b\ufeff\u0007\u001b\u2028", "\u3164\u2800"):
        number = next(n for n, text in enumerate(HOSTILE) if hidden[0] in text)
        shown = shown_answer(page, number).text_content()
        for char in hidden:
            assert char not in shown
            assert f"⟨U+{ord(char):04X}⟩" in shown


def test_a_huge_answer_is_cut_and_says_so(open_report: Open) -> None:
    number = next(n for n, text in enumerate(HOSTILE) if len(text) > 100_000)
    shown = shown_answer(open_report().page, number).text_content()
    assert "194,000 more characters" in shown
    assert len(shown) < 20_000


def test_the_policy_stops_a_script_that_got_in(open_report: Open) -> None:
    """Should a text ever be taken for HTML, the browser still runs and loads nothing of it."""
    opened = open_report()
    opened.page.evaluate(
        """() => {
            const image = '<img src=x onerror="window.hacked = 1">';
            document.body.insertAdjacentHTML('beforeend', image);
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 2';
            document.body.append(script);
            const style = document.createElement('style');
            style.textContent = 'body { display: none }';
            document.body.append(style);
        }"""
    )

    def n_refused() -> int:
        return sum("Content Security Policy" in text for text in opened.complaints)

    for _ in range(600):
        if n_refused() >= 4:
            break
        opened.page.wait_for_timeout(100)
    assert n_refused() == 4  # the image, its handler, the script and the style
    assert opened.page.evaluate("window.hacked") is None
    assert opened.page.locator("body").is_visible()
    opened.complaints.clear()


def test_links_go_to_edgar_and_to_the_page_itself(open_report: Open) -> None:
    page = open_report().page
    links = page.evaluate("[...document.links].map(link => [link.getAttribute('href'), link.rel])")
    outside = [(href, rel) for href, rel in links if not href.startswith("#")]
    assert outside
    sites = "www.sec.gov/Archives/edgar/", "datatables.net/", "vega.github.io/"
    for href, rel in outside:
        assert href.removeprefix("https://").startswith(sites)
        assert "noopener" in rel
