"""The step `articles`: one source, as the options choose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.suites.longcontext.articles import STEP
from tasks.suites.longcontext.articles.step import FIRST, LAST
from tasks.suites.longcontext.rows import Mention, News
from tests.step_inputs import step_inputs

FILE = Path("news.csv")
NEWS = News(
    news_id="news-1",
    source_uri="news.csv",
    line=2,
    title="Acme wins an order",
    published=None,
    mentions=(Mention(company="Acme", sentiment=None),),
)


def built(*news: News, articles: Path | None = FILE, seed: int = 7) -> list[Any]:
    """What the step makes of news."""
    return list(STEP.run(step_inputs("longcontext", *news, articles=articles, seed=seed)))


def test_drawn_days_cover_two_years_whatever_the_order() -> None:
    news = [replace(NEWS, news_id=f"news-{number}") for number in range(1_000)]
    days = {article.article_id: article.published for article in built(*news)}
    assert days == {each.article_id: each.published for each in built(*news[::-1])}
    assert days != {each.article_id: each.published for each in built(*news, seed=8)}
    assert FIRST.isoformat() <= min(days.values()) < max(days.values()) <= LAST.isoformat()
    assert len({day[:7] for day in days.values()}) == 24


def test_a_files_articles_get_a_date_if_it_has_none() -> None:
    dated = replace(NEWS, news_id="news-2", published="2021-04-03")
    drawn, read = built(NEWS, dated)
    assert (drawn.source, drawn.is_date_drawn) == ("file", True)
    assert FIRST.isoformat() <= drawn.published <= LAST.isoformat()
    assert (read.published, read.is_date_drawn) == ("2021-04-03", False)
    assert built(dated, NEWS)[1] == drawn
