"""How an article nearly fits a query: the kinds of hard negatives (paper 002, appendix A.5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from tasks.suites.longcontext.concepts import Task
from tasks.suites.longcontext.rows import Article, Query

# Days before a query's range that lie just outside it. Haystacks of 128K take hundreds of articles.
JUST_OUTSIDE_DAYS = 60
# A day above it is no month, so a date in another format can be read in one way only.
_LAST_MONTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """One kind of hard negative.

    Attributes:
        kind: whether it happens in news anyway, or is induced by what was drawn.
        is_near: (query, article, companies with similar names) -> whether an article is one.
        far: (task, query, article) -> how far it is from fitting; the nearest are taken first.
        shown: an article's date -> the date as a text shows it.
    """

    kind: Literal["natural", "induced"]
    is_near: Callable[[Query, Article, Collection[str]], bool]
    far: Callable[[Task, Query, Article], int] = lambda task, query, article: 0
    shown: Callable[[str], str] = str


def day_first(published: str) -> str:
    """Write an ISO date as YYYY-DD-MM."""
    year, month, day = published.split("-")
    return f"{year}-{day}-{month}"


def is_unclear(query: Query, article: Article) -> bool:
    """Return whether an article's date is too near a query's range to be shown beside it.

    "Since" may or may not include the first day, and nothing is dated later than today.
    """
    return query.since is not None and (
        article.published == query.since or article.published > (query.today or "")
    )


def _is_similar(query: Query, article: Article, similar: Collection[str]) -> bool:
    return not _is_about(query, article) and any(m.company in similar for m in article.mentions)


def _misses_more(task: Task, query: Query, article: Article) -> int:
    """Return 0 if the company is all that keeps an article from fitting, else 1."""
    companies = [mention.company for mention in article.mentions]
    return int(not any(task.fits(replace(query, company=each), article) for each in companies))


def _is_other_format(query: Query, article: Article, _: Collection[str]) -> bool:
    is_in_range = (query.since or "") < article.published <= (query.today or "")
    return is_in_range and int(article.published[-2:]) > _LAST_MONTH


def _is_just_outside(query: Query, article: Article, _: Collection[str]) -> bool:
    since = query.since or ""
    first = date.fromisoformat(since) - timedelta(days=JUST_OUTSIDE_DAYS)
    return first.isoformat() <= article.published < since


def _days_outside(task: Task, query: Query, article: Article) -> int:
    return (date.fromisoformat(query.since or "") - date.fromisoformat(article.published)).days


def _is_other_time(query: Query, article: Article, _: Collection[str]) -> bool:
    return _is_about(query, article) and article.published < (query.since or "")


def _is_other_sentiment(query: Query, article: Article, _: Collection[str]) -> bool:
    found = {m.sentiment for m in article.mentions if m.company == query.company}
    return bool(found) and found.isdisjoint({query.sentiment, None})


def _is_about(query: Query, article: Article) -> bool:
    return any(m.company == query.company for m in article.mentions)


# By reason, as in `Task.near`.
NEAR: Mapping[str, Near] = {
    "similar name": Near(kind="natural", is_near=_is_similar, far=_misses_more),
    "other format": Near(kind="natural", is_near=_is_other_format, shown=day_first),
    "just outside": Near(kind="natural", is_near=_is_just_outside, far=_days_outside),
    "other time": Near(kind="induced", is_near=_is_other_time),
    "other sentiment": Near(kind="induced", is_near=_is_other_sentiment),
}
