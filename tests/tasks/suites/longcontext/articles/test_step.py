"""The step `articles`: one source, as the options choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Reject
from tasks.suites.longcontext.articles import STEP
from tasks.suites.longcontext.articles.step import FIRST, LAST, OTHER_DATE, draw_day, states_date
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


def test_a_drawn_date_never_contradicts_a_date_in_the_title() -> None:
    dated = replace(NEWS, news_id="news-2", title="November 18, 2013: Acme wins an order")
    (reject,) = built(FILE, [dated])
    assert isinstance(reject, Reject)
    assert (reject.reason, reject.detail) == (OTHER_DATE, dated.title)
    (article,) = built(FILE, [replace(dated, published="2013-11-19")])
    assert article.title == dated.title


@pytest.mark.parametrize(
    ("title", "is_stated"),
    [
        ("Report: 8 Sept. 2014", True),
        ("Acme on 2014-09-08", True),
        ("Acme on 8/9/2014", True),
        ("Holiday on April 24", False),
        ("The year 2014 ahead", False),
        ("Nifty at 7600-7730", False),
    ],
)
def test_only_a_whole_date_is_stated(title: str, is_stated: bool) -> None:
    assert states_date(title) == is_stated


def test_drawn_days_cover_two_years_whatever_the_order() -> None:
    days = [draw_day(7, f"news-{number}") for number in range(4_000)]
    assert days[17] == draw_day(7, "news-17")
    assert days[17] != draw_day(8, "news-17")
    assert FIRST <= min(days) < max(days) <= LAST
    assert len({(day.year, day.month) for day in days}) == 24


def test_a_files_articles_get_a_date_if_it_has_none() -> None:
    dated = replace(NEWS, news_id="news-2", published="2021-04-03")
    drawn, read = built(FILE, [NEWS, dated])
    assert (drawn.source, drawn.is_date_drawn) == ("file", True)
    assert FIRST.isoformat() <= drawn.published <= LAST.isoformat()
    assert (read.published, read.is_date_drawn) == ("2021-04-03", False)
    assert built(FILE, [dated, NEWS])[1] == drawn
