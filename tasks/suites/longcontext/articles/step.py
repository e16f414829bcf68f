"""Invented articles, and the step that makes those of a source and has the panel label them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.core.progress import tell
from tasks.suites.longcontext.articles.panel import LABEL, PANEL, label
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Article, Mention, News, SentimentVote
from tasks.suites.suite import Step, StepInputs

N_ARTICLES = 12_000
# Shares of articles about two companies and about none.
_ABOUT_TWO = 0.08
_ABOUT_NONE = 0.04


@dataclass(frozen=True, slots=True)
class Company:
    """One invented company."""

    name: str
    family: int
    sector: str


@cache
def companies() -> tuple[Company, ...]:
    """Name all invented companies."""
    grammar = _grammar()
    sectors, forms_by_sector = list(grammar["sectors"]), grammar["forms"]
    invented = []
    for family, (stem, twin) in enumerate(grammar["stems"]):
        for nth, forms in enumerate(forms_by_sector, start=family * len(forms_by_sector)):
            sector = sectors[nth % len(sectors)]
            names = [*(f"{stem} {sector} {form}" for form in forms), f"{twin} {sector} {forms[0]}"]
            invented += [Company(name, family, sector) for name in names]
    return tuple(invented)


def invent_articles(seed: int, wanted: int = N_ARTICLES) -> Iterator[Article]:
    """Yield articles with distinct titles; each company has its share of them."""
    grammar, rng = _grammar(), stable_rng(seed, "longcontext", "invented")
    n_days = (grammar["last_day"] - grammar["first_day"]).days + 1
    titles: set[str] = set()
    waiting: list[Company] = []
    while len(titles) < wanted:
        if not waiting:
            waiting = list(companies())
            rng.shuffle(waiting)
        title, mentions = _headline(waiting.pop(), rng)
        if title in titles:
            continue
        titles.add(title)
        day = (grammar["first_day"] + timedelta(days=rng.randrange(n_days))).isoformat()
        yield Article(
            article_id=stable_id("article", "invented", title, day),
            source="invented",
            title=title,
            published=day,
            is_date_drawn=False,
            mentions=mentions,
        )


def _headline(company: Company, rng: Random) -> tuple[str, tuple[Mention, ...]]:
    grammar, kind = _grammar(), rng.random()
    n_companies = 0 if kind < _ABOUT_NONE else 2 if kind > 1 - _ABOUT_TWO else 1
    sentiment = rng.choice(("positive", "neutral", "negative")) if n_companies else None
    stories = [
        story
        for story in grammar["stories"]
        if story.get("sentiment") == sentiment
        and ("rival" in story) == (n_companies == 2)
        and company.sector in story.get("only", grammar["sectors"])
    ]
    (story,) = rng.choices(stories, [story.get("share", 1.0) for story in stories])
    rival = rng.choice(_rivals(company))
    words = grammar["words"] | grammar["sectors"][company.sector]
    places = {place: rng.choice(options) for place, options in words.items()}
    places |= {"name": company.name, "rival": rival.name}
    title = f"{rng.choice(story['begin'])} {rng.choice(story['end'])}".format_map(places)
    both = ((company.name, sentiment), (rival.name, story.get("rival")))
    return title, tuple(Mention(company=name, sentiment=tone) for name, tone in both[:n_companies])


@cache
def _rivals(company: Company) -> Sequence[Company]:
    """Return the companies of other families in the same sector."""
    others = [other for other in companies() if other.family != company.family]
    return [other for other in others if other.sector == company.sector]


@cache
def _grammar() -> Mapping[str, Any]:
    text = files(__package__).joinpath("invented.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


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
