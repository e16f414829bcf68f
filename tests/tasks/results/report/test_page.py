"""The page as a file: what it runs, loads and shows; the same lake gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from flows.report import write_report
from tasks.lake.lake import Lake
from tasks.results.report.gather import measured_of
from tasks.results.report.measured import Measured, Reports
from tasks.results.report.page import page_of
from tasks.results.report.provenance import provenance
from tasks.warehouse.sql_files import checks_of
from tests.invented_lake import RELEASE, SUITE, Invented, invent
from tests.page_text import text_before
from tests.some import some

MODEL = '<img src=x onerror="alert(1)">\u202e & "co"'


class Parsed(HTMLParser):
    """Elements with their attributes, and the text of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self.is_open = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.is_open = True

    def handle_endtag(self, tag: str) -> None:
        self.is_open = False

    def handle_data(self, data: str) -> None:
        if self.is_open:
            place = len(self.elements) - 1
            self.texts[place] = self.texts.get(place, "") + data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def written(lake: Lake, folder: Path, judge: str | None = None) -> str:
    target = folder / "report.html"
    write_report(lake.url, RELEASE, SUITE, target, judge)
    return target.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def html(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(lake, tmp_path_factory.mktemp("page"))


def test_the_policy_allows_its_own_scripts_and_style_and_nothing_else(html: str) -> None:
    parsed = Parsed(html)
    policy = next(meta["content"] for meta in parsed.all("meta") if meta.get("http-equiv"))
    assert policy is not None
    hashes = set()
    for place, (tag, attributes) in enumerate(parsed.elements):
        if tag == "style" or (tag == "script" and attributes.get("type") == "module"):
            digest = hashlib.sha256(parsed.texts[place].encode()).digest()
            hashes.add(f"'sha256-{base64.b64encode(digest).decode()}'")
    assert set(re.findall(r"'sha256-[^']*'", policy)) == hashes
    assert len(hashes) == 3
    rest = re.sub(r"'sha256-[^']*' ?", "", policy)
    assert re.sub(r"\s+", " ", rest) == (
        "default-src 'none'; script-src ; style-src ; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    parsed = Parsed(html)
    for tag, attributes in some(parsed.elements):
        assert not re.fullmatch("link|img|iframe|object|embed|base|video|audio|image|use", tag)
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "style", "xlink:href", "action", "formaction")
            if name == "href":
                assert str(value).startswith(("#", "https://"))


def test_the_same_lake_gives_the_same_bytes(lake: Lake, html: str, tmp_path: Path) -> None:
    assert written(lake, tmp_path) == html


def test_the_pages_figures_are_written_as_json_too(lake: Lake, tmp_path: Path) -> None:
    write_report(lake.url, RELEASE, SUITE, tmp_path / "report.json")
    shown = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (shown["suite"], shown["release"]) == (SUITE, RELEASE)
    assert shown["n_answers"] > 0
    assert all(shown[part] for part in ("models", "relations", "questions"))


def test_the_page_needs_nothing_but_json_and_commits(
    lake: Lake, html: str, measured: Measured, reports: Reports
) -> None:
    sources = provenance(lake.commits(RELEASE), SUITE)
    rows = json.loads(json.dumps(reports))
    about = {"judges": sources.judges, "parameters": sources.parameters}
    again = measured_of(rows, measured.suite, RELEASE, **about)
    assert page_of(again, sources, len(checks_of(SUITE))) == html


def test_a_name_is_text_in_tables_and_in_figures(tmp_path: Path) -> None:
    lake = invent(
        tmp_path / "lake", Invented(skill={MODEL: 0.8, "other": 0.6}, judge="</script><b>judge")
    )
    html = written(lake, tmp_path)
    parsed = Parsed(html)
    assert parsed.all("img") == []
    assert parsed.all("b") == []
    assert "\u202e" not in html
    assert "&lt;img src=x onerror=" in html
    assert "⟨U+202E⟩" in html


def test_sections_stand_only_where_there_is_something_to_show(html: str, tmp_path: Path) -> None:
    def sections(page: str) -> list[str]:
        return [str(of["id"]) for of in Parsed(page).all("section") if "id" in of]

    everything = sections(html)
    assert {"leaderboard", "trade-off", "pairs", "prices", "cases", "provenance"} <= set(everything)
    alone = invent(tmp_path / "lake", Invented(skill={"extractive": 0.7}, is_paid=False))
    missing = set(everything) - set(sections(written(alone, tmp_path)))
    assert {"pairs", "prices"} <= missing
    assert "leaderboard" not in missing


def test_several_judges_are_told_and_their_orders_compared(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """The newest run's judge leads, or the one that is named; the page has both headlines."""
    lake = invent(
        tmp_path / "lake", Invented(skill={"alpha": 0.9, "beta": 0.4}, contrary_judge="zeta")
    )
    page = written(lake, tmp_path)
    assert text_before(page, "leaderboard") == snapshot
    columns = re.findall(r'<th scope="col" class="number">(judge-72b|zeta)</th>', page)
    assert columns == ["zeta", "judge-72b"]
    named = written(lake, tmp_path, "judge-72b")
    assert text_before(named, "leaderboard") == snapshot
    agreeing = invent(tmp_path / "agreeing", Invented(skill={"alpha": 0.9}, contrary_judge="zeta"))
    alike = written(agreeing, tmp_path)
    assert text_before(alike, "leaderboard") == snapshot
    assert [page.count('<a href="#by-judge">') for page in (page, named, alike)] == [1, 1, 1]


def test_a_models_row_says_how_it_was_asked(tmp_path: Path) -> None:
    lake = invent(tmp_path / "lake", Invented(skill={"alpha": 0.9}, asked_by="answer_coached"))
    assert "alpha coached" in text_before(written(lake, tmp_path), "provenance")


def test_the_page_as_it_is_read(html: str, snapshot: SnapshotAssertion) -> None:
    assert text_before(html, "slices") == snapshot
