"""The step `articles`: one source, as the options choose."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.suites.longcontext.articles.step import (
    FIRST,
    LAST,
    N_ARTICLES,
    STEP,
    companies,
    invent_articles,
)
from tasks.suites.longcontext.rows import Article, Mention, News
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


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    return list(invent_articles(7))


def test_the_generator_is_large_fast_and_repeatable(articles: list[Article]) -> None:
    began = process_time()
    again = list(invent_articles(7, 8_000))
    assert process_time() - began < 1
    assert articles[:8_000] == again
    assert len({article.title for article in articles}) == len(articles) == N_ARTICLES >= 8_000
    assert len({article.article_id for article in articles}) == N_ARTICLES
    assert articles != list(invent_articles(8))


def test_each_company_and_sentiment_has_its_share(articles: list[Article]) -> None:
    mentions = [mention for article in articles for mention in article.mentions]
    about = Counter(mention.company for mention in mentions)
    assert set(about) == {company.name for company in companies()}
    assert len(about) == 300
    assert min(about.values()) >= 30
    labels = Counter(mention.sentiment for mention in mentions)
    assert set(labels) == {"positive", "neutral", "negative"}
    assert min(labels.values()) > 0.3 * len(mentions)
    n_companies = Counter(len(article.mentions) for article in articles)
    assert n_companies[0] > 0.02 * N_ARTICLES
    assert n_companies[2] > 0.05 * N_ARTICLES
    assert set(n_companies) == {0, 1, 2}


def test_a_title_names_exactly_its_companies(articles: list[Article]) -> None:
    names = re.compile("|".join(re.escape(company.name) for company in companies()))
    for article in articles:
        assert set(names.findall(article.title)) == {each.company for each in article.mentions}
