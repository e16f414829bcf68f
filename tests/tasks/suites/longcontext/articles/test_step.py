"""The step `articles`: one source, as the options choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.suites.longcontext.articles import STEP
from tasks.suites.longcontext.articles.step import FIRST, LAST
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Mention, News
from tasks.suites.suite import StepInputs

FILE = LongContextOptions(articles=Path("news.csv"))
NEWS = News(
    news_id="news-1",
    source_uri="news.csv",
    line=2,
    title="Acme wins an order",
    published=None,
    mentions=(Mention(company="Acme", sentiment=None),),
)


def built(options: LongContextOptions, news: Sequence[News] = (), seed: int = 7) -> list[Any]:
    """What the step makes of news."""
    inputs = StepInputs(
        suite="longcontext",
        shard=(),
        rows=lambda kind, only=None: news,
        parts=lambda *kinds: iter(()),
        engines={},
        options=options,
        seed=seed,
        encoding="cl100k_base",
    )
    return list(STEP.run(inputs))


def test_drawn_days_cover_two_years_whatever_the_order() -> None:
    news = [replace(NEWS, news_id=f"news-{number}") for number in range(1_000)]
    days = {article.article_id: article.published for article in built(FILE, news)}
    assert days == {each.article_id: each.published for each in built(FILE, news[::-1])}
    assert days != {each.article_id: each.published for each in built(FILE, news, seed=8)}
    assert FIRST.isoformat() <= min(days.values()) < max(days.values()) <= LAST.isoformat()
    assert len({day[:7] for day in days.values()}) == 24


def test_a_files_articles_get_a_date_if_it_has_none() -> None:
    dated = replace(NEWS, news_id="news-2", published="2021-04-03")
    drawn, read = built(FILE, [NEWS, dated])
    assert (drawn.source, drawn.is_date_drawn) == ("file", True)
    assert FIRST.isoformat() <= drawn.published <= LAST.isoformat()
    assert (read.published, read.is_date_drawn) == ("2021-04-03", False)
    assert built(FILE, [dated, NEWS])[1] == drawn
