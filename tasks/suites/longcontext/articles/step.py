"""The step that makes articles of one source, and has the panel label them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from tasks.core.ids import stable_id, stable_rng
from tasks.core.progress import tell
from tasks.suites.longcontext.articles.invented import invent_articles
from tasks.suites.longcontext.articles.panel import LABEL, PANEL, label
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Article, News, SentimentVote
from tasks.suites.suite import Step, StepInputs

# Days between which dates are drawn: two years.
FIRST, LAST = date(2023, 1, 1), date(2024, 12, 31)


def build_articles(inputs: StepInputs) -> Iterator[Article | SentimentVote]:
    """Yield the articles of the source that the options choose."""
    options: LongContextOptions = inputs.options
    if options.articles is None:
        tell("The articles are invented headlines. Use --articles for yours.")
        yield from invent_articles(inputs.seed)
    else:
        articles = (article_of_news(news, inputs.seed) for news in inputs.rows(News))
        panel = inputs.engines.get(PANEL.name)
        yield from label([*articles], panel) if panel else articles


def article_of_news(news: News, seed: int) -> Article:
    """Make an article of a file's row; draw a date if the file has none."""
    rng = stable_rng(seed, "longcontext", "day", news.news_id)
    drawn = FIRST + timedelta(days=rng.randrange((LAST - FIRST).days + 1))
    return Article(
        article_id=stable_id("article", "file", news.news_id),
        source="file",
        title=news.title,
        published=news.published or drawn.isoformat(),
        is_date_drawn=news.published is None,
        mentions=news.mentions,
    )


STEP = Step(
    name="articles",
    run=build_articles,
    version=9,
    writes=(Article, SentimentVote),
    reads=("ingest.news",),
    asks={PANEL.name: (LABEL,)},
    options=("seed",),
)
