"""Invented headlines: distinct, balanced, readable by rule, and about nobody real."""

import re
from collections import Counter
from time import process_time

import pytest

from tasks.suites.longcontext.articles.step import N_ARTICLES, companies, invent_articles
from tasks.suites.longcontext.rows import Article


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
