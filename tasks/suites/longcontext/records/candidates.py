"""Which articles may be needles or hard negatives of a query, and the draw of them for a record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import Literal

from tasks.core.ids import stable_rng
from tasks.suites.longcontext.concepts import TASKS, Task
from tasks.suites.longcontext.records.pool import ArticleLine, ArticlePool, as_drawn
from tasks.suites.longcontext.rows import (
    Article,
    BarredArticle,
    PlannedRecord,
    Query,
    SimilarCompany,
)

# Bounds of the share of the articles' tokens that hard negatives have.
FEWEST_NEGATIVES, MOST_NEGATIVES = 0.10, 0.20
# Shares stay inside their bounds in every text of a record, though texts differ a little in length.
_MARGIN = 0.005
# Days before a query's range that lie just outside it. Haystacks of 128K take hundreds of articles.
_JUST_OUTSIDE_DAYS = 60
# A day above it is no month, so a date in another format can be read in one way only.
_LAST_MONTH = 12
Similarity = Mapping[str, float]  # other company -> how much its name looks like a query's


# --- kinds of hard negatives (paper 002, appendix A.5) ---------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """One kind of hard negative.

    Attributes:
        kind: whether it happens in news anyway, or is induced by what was drawn.
        is_near: (query, article, companies with similar names) -> whether an article is one.
        far: how far an article is from fitting; those less than 1 apart are taken by chance.
        shown: an article's date -> the date as a text shows it.
    """

    kind: Literal["natural", "induced"]
    is_near: Callable[[Query, Article, Collection[str]], bool]
    far: Callable[[Query, Article, Similarity], float] = lambda *_: 0
    shown: Callable[[str], str] = str


def _write_day_first(published: str) -> str:
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


def _unlike(query: Query, article: Article, similar: Similarity) -> float:
    """Return how unlike the names are, and 2 more if an article misses more than the company."""
    task, alike = TASKS[query.task], [m.company for m in article.mentions if m.company in similar]
    fits = any(task.fits(replace(query, company=company), article) for company in alike)
    return 2 * (not fits) - max(similar[company] for company in alike)


def _is_other_format(query: Query, article: Article, _: Collection[str]) -> bool:
    is_in_range = (query.since or "") < article.published <= (query.today or "")
    return is_in_range and int(article.published[-2:]) > _LAST_MONTH


def _is_just_outside(query: Query, article: Article, _: Collection[str]) -> bool:
    return 0 < _days_outside(query, article) <= _JUST_OUTSIDE_DAYS


def _days_outside(query: Query, article: Article, *_: Similarity) -> int:
    return (date.fromisoformat(query.since or "") - date.fromisoformat(article.published)).days


def _is_other_time(query: Query, article: Article, _: Collection[str]) -> bool:
    return _is_about(query, article) and article.published < (query.since or "")


def _is_other_sentiment(query: Query, article: Article, _: Collection[str]) -> bool:
    sentiments = {m.sentiment for m in article.mentions if m.company == query.company}
    return bool(sentiments) and sentiments.isdisjoint({query.sentiment, None})


def _is_about(query: Query, article: Article) -> bool:
    return any(m.company == query.company for m in article.mentions)


# By reason, as in `Task.near`.
NEAR: Mapping[str, Near] = {
    "similar name": Near(kind="natural", is_near=_is_similar, far=_unlike),
    "other format": Near(kind="natural", is_near=_is_other_format, shown=_write_day_first),
    "just outside": Near(kind="natural", is_near=_is_just_outside, far=_days_outside),
    "other time": Near(kind="induced", is_near=_is_other_time),
    "other sentiment": Near(kind="induced", is_near=_is_other_sentiment),
}


# --- candidates of a query -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """What companies' names leave open, for the companies of queries."""

    # company -> other companies whose names look like its own, and how much
    similar: Mapping[str, Similarity]
    barred: Mapping[str, Collection[str]]  # company -> articles that may be about it, or not

    @classmethod
    def of(cls, similar: Iterable[SimilarCompany], barred: Iterable[BarredArticle]) -> Names:
        """Collect rows by company."""
        names: dict[str, dict[str, float]] = defaultdict(dict)
        articles: dict[str, set[str]] = defaultdict(set)
        for pair in similar:
            names[pair.company][pair.other_company] = pair.similarity
        for article in barred:
            articles[article.company].add(article.article_id)
        return cls(names, articles)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The articles of a pool, by their places, as a query sees them."""

    query: Query
    task: Task
    fitting: tuple[int, ...]  # may be its needles
    near: Mapping[str, Sequence[int]]  # reason -> may be its hard negatives
    similar: Similarity  # names that look like its company's
    # may be in no text of the query, but for its needles and hard negatives
    kept_out: frozenset[int]


def candidates_of(query: Query, pool: ArticlePool, names: Names) -> Candidates:
    """Sort a pool's articles by what they are to a query."""
    task, company = TASKS[query.task], query.company or ""
    similar, barred = names.similar.get(company, {}), names.barred.get(company, ())
    places = range(len(pool.articles))
    unclear = frozenset(
        at
        for at in places
        if pool.articles[at].article_id in barred or is_unclear(query, pool.articles[at])
    )
    about = pool.about.get(company, ())
    looked_at: Iterable[int] = places
    if query.company is not None:  # what is about another company neither fits nor nearly fits
        looked_at = sorted(
            {*about, *(at for number in similar for at in pool.about.get(number, ()))}
        )
    fits = frozenset(at for at in looked_at if task.fits(query, pool.articles[at]))
    near = {
        reason: [
            at
            for at in looked_at
            # of articles that fit, only a date in another format makes a negative
            if at not in unclear
            and (at not in fits or reason == "other format")
            and NEAR[reason].is_near(query, pool.articles[at], similar)
        ]
        for reason in task.near
    }
    return Candidates(
        query=query,
        task=task,
        fitting=tuple(at for at in looked_at if at in fits and at not in unclear),
        near=near,
        similar=similar,
        kept_out=unclear.union(about, fits, *near.values()),
    )


# --- the draw for a record -------------------------------------------------------------------


def draw_needles(
    pool: ArticlePool, planned: PlannedRecord, candidates: Candidates, seed: int
) -> list[tuple[float, ArticleLine]]:
    """Draw a record's needles among the articles that fit; return depth and line of each."""
    lines = pool.lines(dated=candidates.task.shows_dates)
    rng = stable_rng(seed, "needles", planned.length, planned.number, candidates.query.task)
    drawn = as_drawn(rng, candidates.fitting)
    return [(depth, lines[at]) for depth, at in zip(planned.depths, drawn, strict=False)]


def draw_negatives(
    pool: ArticlePool,
    planned: PlannedRecord,
    candidates: Candidates,
    needles: Collection[ArticleLine],
    *,
    n_tokens: int,
    seed: int,
) -> list[tuple[str, ArticleLine]]:
    """Draw the hard negatives of a text of `n_tokens`; return reason and line of each.

    Kinds take turns, so that each can be looked at apart. A text that has fewer tokens of them than
    its share has all that there are.
    """
    wanted = min(max(planned.negative_share, FEWEST_NEGATIVES + _MARGIN), MOST_NEGATIVES - _MARGIN)
    taken = {line.at for line in needles}  # a needle nearly fits with its date in another format
    total, chosen = 0.0, []
    for reason, at in _in_turns(pool, planned, candidates, seed):
        if at in taken:
            continue
        shown_date = NEAR[reason].shown(pool.articles[at].published)
        line = pool.line(at, shown_date if candidates.task.shows_dates else None)
        share = pool.tokens_at(1, line) / n_tokens
        if total + share > MOST_NEGATIVES - _MARGIN:
            continue
        if total + share > wanted and total >= FEWEST_NEGATIVES + _MARGIN:
            break
        chosen.append((reason, line))
        total += share
    return chosen


def _in_turns(
    pool: ArticlePool, planned: PlannedRecord, candidates: Candidates, seed: int
) -> Iterator[tuple[str, int]]:
    """Yield reason and place of hard negatives, the nearest first, the kinds in turns."""
    query, similar = candidates.query, candidates.similar
    rng = stable_rng(seed, "negatives", planned.length, planned.number, query.task)
    by_reason = []
    for reason, places in candidates.near.items():
        keys = [NEAR[reason].far(query, pool.articles[at], similar) + rng.random() for at in places]
        by_reason.append([(reason, at) for _, at in sorted(zip(keys, places, strict=True))])
    for turn in zip_longest(*by_reason):
        yield from (pick for pick in turn if pick is not None)
