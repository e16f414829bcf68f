"""Which articles may be needles or hard negatives of a query, and which only these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tasks.suites.longcontext.concepts import TASKS, Task
from tasks.suites.longcontext.records.near import NEAR, is_unclear
from tasks.suites.longcontext.records.pool import Pool
from tasks.suites.longcontext.rows import BarredArticle, Query, SimilarCompany


@dataclass(frozen=True, slots=True)
class Names:
    """What companies' names leave open, for the companies of queries.

    Attributes:
        similar: company -> other companies whose names look like its own.
        barred: company -> articles that may be about it, or not.
    """

    similar: Mapping[str, Collection[str]]
    barred: Mapping[str, Collection[str]]

    @classmethod
    def of(cls, similar: Iterable[SimilarCompany], barred: Iterable[BarredArticle]) -> Names:
        """Collect rows by company."""
        names: dict[str, set[str]] = defaultdict(set)
        articles: dict[str, set[str]] = defaultdict(set)
        for pair in similar:
            names[pair.company].add(pair.other_company)
        for article in barred:
            articles[article.company].add(article.article_id)
        return cls(names, articles)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The articles of a pool, by their places, as a query sees them.

    Attributes:
        fitting: may be its needles.
        near: reason -> may be its hard negatives.
        kept_out: may be in no text of the query, but for its needles and hard negatives.
    """

    query: Query
    task: Task
    fitting: tuple[int, ...]
    near: Mapping[str, Sequence[int]]
    kept_out: frozenset[int]


def candidates_of(query: Query, pool: Pool, names: Names) -> Candidates:
    """Sort a pool's articles by what they are to a query."""
    task, company = TASKS[query.task], query.company or ""
    similar, barred = names.similar.get(company, ()), names.barred.get(company, ())
    places = range(len(pool.articles))
    unclear = frozenset(
        at
        for at in places
        if pool.articles[at].article_id in barred or is_unclear(query, pool.articles[at])
    )
    about = pool.about.get(company, ())
    looked_at: Iterable[int] = places
    if query.company is not None:  # what is about another company neither fits nor nearly fits
        looked_at = sorted({*about, *(at for each in similar for at in pool.about.get(each, ()))})
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
        kept_out=unclear.union(about, fits, *near.values()),
    )
