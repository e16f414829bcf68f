"""Which articles may be needles or hard negatives of a query, and which only these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

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
        names: dict[str, set[str]] = {}
        articles: dict[str, set[str]] = {}
        for pair in similar:
            names.setdefault(pair.company, set()).add(pair.other_company)
        for article in barred:
            articles.setdefault(article.company, set()).add(article.article_id)
        return cls(names, articles)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The articles of a pool, by their places, as a query sees them.

    Attributes:
        fitting: may be its needles.
        near: reason -> may be its hard negatives.
        kept_out: may be in no text of the query, but for its needles and hard negatives.
        fits: what a model must list, even on a date that `fitting` avoids.
        barred: may be about its company, or not.
    """

    query: Query
    task: Task
    fitting: tuple[int, ...]
    near: Mapping[str, Collection[int]]
    kept_out: frozenset[int]
    fits: frozenset[int]
    barred: frozenset[int]

    def reason_of(self, at: int, shown_date: str | None, published: str) -> str | None:
        """Return how an article, shown with a date or without, nearly fits; None if it does not."""
        for reason, places in self.near.items():
            if at in places and shown_date in (None, NEAR[reason].shown(published)):
                return reason
        return None


def candidates_of(query: Query, pool: Pool, names: Names) -> Candidates:
    """Sort a pool's articles by what they are to a query."""
    task = TASKS[query.task]
    similar = names.similar.get(query.company or "", ())
    named = names.barred.get(query.company or "", ())
    barred = {at for at, each in enumerate(pool.articles) if each.article_id in named}
    fits_at: set[int] = set()
    fitting: list[int] = []
    near: dict[str, list[int]] = {reason: [] for reason in task.near}
    unclear = {at for at, article in enumerate(pool.articles) if is_unclear(query, article)}
    unclear |= barred
    looked_at: Iterable[int] = range(len(pool.articles))
    if query.company is not None:  # what is about another company neither fits nor nearly fits
        about = (pool.about.get(company, ()) for company in (query.company, *similar))
        looked_at = sorted(set(chain.from_iterable(about)))
    kept_out = set(unclear) | set(pool.about.get(query.company or "", ()))
    for at in looked_at:
        article = pool.articles[at]
        fits = task.fits(query, article)
        reasons = [reason for reason in task.near if NEAR[reason].is_near(query, article, similar)]
        if fits or reasons:
            kept_out.add(at)
        if fits:
            fits_at.add(at)
        if at in unclear:
            continue
        if fits:
            fitting.append(at)
        for reason in reasons:
            # of articles that fit, only a date in another format makes a negative
            if not fits or reason == "other format":
                near[reason].append(at)
    return Candidates(
        query,
        task,
        tuple(fitting),
        # by place, for a quick look-up in their order
        {reason: dict.fromkeys(found) for reason, found in near.items()},
        frozenset(kept_out),
        frozenset(fits_at),
        frozenset(barred),
    )
