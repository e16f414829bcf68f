"""Remarks on the articles that long texts are made of."""

from __future__ import annotations

from dataclasses import replace

from tasks.suites.longcontext.rows import Article, Query
from tests.sql.conftest import HandmadeLake


def test_remarks_say_what_articles_are(lake: HandmadeLake) -> None:
    article = Article(
        article_id="a", source="file", title="A",
        published="2024-01-01", is_date_drawn=True, mentions=(),
    )  # fmt: skip
    query = Query(
        query_id="q", task="company", place=0, company="A", sentiment=None, since=None,
        today=None, n_days=None, n_fitting=1,
    )  # fmt: skip
    invented = replace(article, article_id="b", source="invented")
    lake.add(article, invented, query, suite="longcontext")
    with lake.open() as opened:
        said = [
            says for (says,) in opened.execute("select says from longcontext.remarks").fetchall()
        ]
    assert said == [
        "1 of 2 articles are invented headlines about invented companies. Scores on them say "
        "nothing about real news.",
        "The source has no dates for 1 of 2 articles: those were drawn.",
        "Company and sentiment is not asked: no article has a labelled sentiment.",
    ]
