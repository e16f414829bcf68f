"""The overview: headlines of all releases, links to pages, and the command for each gap."""

from __future__ import annotations

from tasks.lake.lake import Lake
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
