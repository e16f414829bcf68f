"""The overview: headlines of all releases, links to pages, and the command for each gap."""

from __future__ import annotations

import pytest

from tasks.lake.lake import Lake
from tasks.results.opened import rows_of
from tasks.results.report import overview as page
from tasks.results.report.overview import overview, scored
from tests.invented_lake import RELEASE, SUITE


def test_each_model_has_its_headline_with_n_judge_and_lead_and_a_page_is_linked(lake: Lake) -> None:
    assert scored(lake) == [(RELEASE, SUITE)]
    html = " ".join(overview(lake, lambda release, suite: f"{suite}-{release}.html").split())
    assert f'<a href="{SUITE}-{RELEASE}.html">FailSafeQA</a>' in html
    order = [html.index(f'"name">{name}<') for name in ("alpha-70b", "beta-8b", "extractive")]
    assert order == sorted(order)
    gap = f"tenkbench run --lake {lake.url} --release {RELEASE} --suite faith --model beta-8b<"
    assert gap in html
    assert "n 32 of 33; by judge-72b" in html
    assert "<a href" not in overview(lake, lambda *_: None).partition("<main")[2]


def test_a_figure_says_what_it_was_in_the_last_frozen_release_and_whether_that_is_chance(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quarters(*asked: object) -> list[dict[str, object]]:
        first = rows_of(*asked)[0] | {"n_groups": 20}  # type: ignore[arg-type]
        old = {"release": "2026Q1", "value": 0.5, "low": 0.4, "high": 0.6}
        return [first | old, first | {"release": "2026Q2", "value": 0.7, "low": 0.6, "high": 0.8}]

    monkeypatch.setattr(page, "rows_of", quarters)
    assert "; was 0.50 in 2026Q1: P 0.007<" in overview(lake, lambda *_: None)
