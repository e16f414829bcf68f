"""The step that makes articles of one source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from tasks.core.ids import stable_id, stable_rng
from tasks.core.progress import tell
from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.invented import invent_articles
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Article, News
from tasks.suites.suite import Step, StepInputs

OTHER_DATE = "the title states a date, which a drawn one would contradict"
# Days between which dates are drawn: two years.
FIRST, LAST = date(2023, 1, 1), date(2024, 12, 31)

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_WHOLE_DATE = re.compile(
    rf"\b(?:{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH}),? (?:19|20)\d\d\b"
    r"|\b(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}\b|\b\d{1,2}([-/.])\d{1,2}\2(?:19|20)\d\d\b",
    re.IGNORECASE,
)


def build_articles(inputs: StepInputs) -> Iterator[Article | Reject]:
    """Yield the articles of the source that the options choose, and rejects."""
    options: LongContextOptions = inputs.options
    if options.articles is None:
        tell("The articles are invented headlines. Use --articles for yours.")
        yield from invent_articles(inputs.seed)
    else:
        yield from (article_of_news(news, inputs.seed) for news in inputs.rows(News))


def article_of_news(news: News, seed: int) -> Article | Reject:
    """Make an article of a file's row; draw a date if the file has none and the title neither."""
    if news.published is None and states_date(news.title):
        return Reject(
            reject_id=stable_id("reject", "articles", news.news_id, OTHER_DATE, news.title),
            stage="articles",
            parent_id=news.news_id,
            reason=OTHER_DATE,
            detail=news.title,
        )
    return Article(
        article_id=stable_id("article", "file", news.news_id),
        source="file",
        title=news.title,
        published=news.published or draw_day(seed, news.news_id).isoformat(),
        is_date_drawn=news.published is None,
        mentions=news.mentions,
    )


def states_date(title: str) -> bool:
    """Return whether a title states a whole date, with its year."""
    return _WHOLE_DATE.search(title) is not None


def draw_day(seed: int, *parts: str) -> date:
    """Draw a day of two years, the same for the same seed and parts."""
    days = (LAST - FIRST).days + 1
    return FIRST + timedelta(days=stable_rng(seed, "longcontext", "day", *parts).randrange(days))


STEP = Step(
    name="articles",
    run=build_articles,
    version=6,
    writes=(Article,),
    reads=("ingest.news",),
    options=("seed",),
)
