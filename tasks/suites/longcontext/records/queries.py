"""Draw the queries of each task, and plan the records that ask them (paper 002, section 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import product

from tasks.core.ids import stable_id, stable_rng
from tasks.core.progress import tell
from tasks.core.rejects import reject_of
from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.names import SIMILAR, may_be_same, names_company, similarity
from tasks.suites.longcontext.concepts import SENTIMENTS, TASKS, in_time, of_company, of_sentiment
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.records.candidates import (
    FEWEST_NEGATIVES,
    MOST_NEGATIVES,
    Names,
    is_unclear,
)
from tasks.suites.longcontext.records.pool import as_drawn
from tasks.suites.longcontext.rows import (
    Article,
    BarredArticle,
    PlannedRecord,
    Query,
    SimilarCompany,
)
from tasks.suites.suite import Step, StepInputs

MOST_NEEDLES = 10
# Articles of a company, and of similar names, that are enough: of three sentiments, one has
# articles for all needles.
_ENOUGH = 3 * MOST_NEEDLES
# Companies that are considered for each query: their names are compared with all others.
_CONSIDERED = 8
_DAYS = (7, 14, 30, 60, 90, 180, 365, 1_825, 3_650)  # of these, those shorter than the news
_NEWEST = 0.1  # share of the articles, by date, among whose dates `today` is drawn
# Tokens of haystacks that one shard holds for each placement, task and twin.
_SHARD_TOKENS = 1_000_000

NO_LABELS = "no article has a sentiment"
NO_FIT = "no other query has an article that fits"


def build_queries(inputs: StepInputs) -> Iterator[object]:
    """Draw queries, list the companies whose names leave something open, and plan records."""
    options: LongContextOptions = inputs.options
    articles = sorted(inputs.rows(Article), key=lambda article: article.article_id)
    drawing = _Drawing(articles, inputs.seed, options.queries)
    rows = [*drawing.queries()]
    yield from rows
    companies = {row.company for row in rows if isinstance(row, Query)}
    yield from (pair for pair in drawing.similar if pair.company in companies)
    yield from (article for article in drawing.barred if article.company in companies)
    yield from plan_records(options, inputs.seed)


def plan_records(options: LongContextOptions, seed: int) -> Iterator[PlannedRecord]:
    """Draw what each record has, before any text."""
    for length, n_records in options.records_of.items():
        in_block = max(_SHARD_TOKENS // length, 1)
        for number in range(n_records):
            rng = stable_rng(seed, "record", length, number)
            n_needles = 1 + int(MOST_NEEDLES * rng.random())
            share = FEWEST_NEGATIVES + (MOST_NEGATIVES - FEWEST_NEGATIVES) * rng.random()
            yield PlannedRecord(
                planned_record_id=stable_id("planned", length, number),
                background_id=stable_id("background", length, number),
                block=f"{length}-{number // in_block}",
                length=length,
                number=number,
                place=number % options.queries,
                n_needles=n_needles,
                depths=tuple(rng.random() for _ in range(n_needles)),
                negative_share=share,
            )


class _Drawing:
    """Draws the queries of all tasks.

    The company tasks prefer the same companies: those with many articles and similar names.
    """

    def __init__(self, articles: Sequence[Article], seed: int, n_queries: int) -> None:
        self.articles = articles
        self.seed = seed
        self.n_queries = n_queries
        self.similar: list[SimilarCompany] = []
        self.barred: list[BarredArticle] = []
        self.by_company: dict[str, list[Article]] = {}
        for article in articles:
            for company in dict.fromkeys(mention.company for mention in article.mentions):
                self.by_company.setdefault(company, []).append(article)
        labels = {mention.sentiment for article in articles for mention in article.mentions}
        named = [name for name in SENTIMENTS if name in labels]
        self.sentiments, self.labels = ", ".join(named), as_drawn(stable_rng(seed, "tone"), named)
        self.dates = sorted(article.published for article in articles)
        first, last = (date.fromisoformat(self.dates[at]) for at in (0, -1))
        self.spans = [days for days in _DAYS if days < (last - first).days]
        self.companies = self._considered()
        self.names = Names.of(self.similar, self.barred)
        # a stable sort: ties stay as they were drawn
        self.companies.sort(key=self._rank)
        newest = sorted(set(self.dates[int(len(self.dates) * (1 - _NEWEST)) :]))
        self.todays = as_drawn(stable_rng(seed, "today"), newest)  # that queries call today

    def queries(self) -> Iterator[Query | Reject]:
        """Draw each task's queries; give a reject for each that cannot be drawn."""
        for name, task in TASKS.items():
            if of_sentiment in task.concepts and not self.sentiments:
                tell(
                    f"Left out: {name}, since {NO_LABELS}. Add a column 'sentiment' to the file, "
                    "or name models with --panel."
                )
                yield reject_of("queries", name, NO_LABELS)
                continue
            drawn: list[Query] = []
            for place in range(self.n_queries):
                query = self._best(name, place, drawn)
                if query is None:
                    detail = f"{name}: {place} of {self.n_queries} queries"
                    yield reject_of("queries", name, NO_FIT, detail)
                    break
                drawn.append(query)
                yield query

    def _best(self, name: str, place: int, drawn: Sequence[Query]) -> Query | None:
        """Return the first query with enough articles that fit, else the one with most.

        Sentiments take turns, however rare: of 8-K Items, 19 in 20 are neutral.
        """
        concepts, used = TASKS[name].concepts, {_values(query) for query in drawn}
        rng = stable_rng(self.seed, "days", name, place)
        spans = as_drawn(rng, self.spans) if in_time in concepts else [None]
        companies = self.companies if of_company in concepts else [None]
        times = Counter(query.sentiment for query in drawn)
        sentiments = sorted(self.labels, key=times.__getitem__)
        for sentiment in sentiments if of_sentiment in concepts else [None]:
            best: Query | None = None
            for company, n_days in product(companies, spans):
                query = self._query(name, place, company, sentiment, n_days)
                if _values(query) in used:
                    continue
                if query.n_fitting >= MOST_NEEDLES:
                    return query
                if query.n_fitting > (best.n_fitting if best else 0):
                    best = query
            if best is not None:
                return best
        return None

    def _query(
        self, name: str, place: int, company: str | None, sentiment: str | None, n_days: int | None
    ) -> Query:
        since = today = None
        if n_days is not None:
            today = self.todays[place % len(self.todays)]
            since = (date.fromisoformat(today) - timedelta(days=n_days)).isoformat()
        query = Query(
            query_id=stable_id("query", name, company, sentiment, since, today),
            task=name,
            place=place,
            company=company,
            sentiment=sentiment,
            sentiments=self.sentiments if sentiment else None,
            since=since,
            today=today,
            n_fitting=0,
        )
        barred = self.names.barred.get(company or "", ())
        n_fitting = sum(
            TASKS[name].fits(query, article)
            and not is_unclear(query, article)
            and article.article_id not in barred
            for article in (self.articles if company is None else self.by_company[company])
        )
        return replace(query, n_fitting=n_fitting)

    def _considered(self) -> list[str]:
        """Draw companies, those with many articles first, and compare their names with all."""
        rng = stable_rng(self.seed, "companies")
        drawn = as_drawn(rng, sorted(self.by_company))
        drawn.sort(key=lambda company: -min(len(self.by_company[company]), _ENOUGH))
        considered = drawn[: _CONSIDERED * self.n_queries]
        for company in considered:
            self._compare(company)
        return considered

    def _compare(self, company: str) -> None:
        """Find the similar companies, and the articles that may be about the company or not."""
        is_real = any(article.source != "invented" for article in self.articles)
        doubtful: dict[str, str] = {}  # article_id -> the company that it is about
        for other in self.by_company:
            if other == company:
                continue
            if is_real and may_be_same(company, other):
                for article in self.by_company[other]:
                    doubtful.setdefault(article.article_id, other)
            elif (alike := similarity(company, other)) >= SIMILAR:
                self.similar.append(
                    SimilarCompany(company=company, other_company=other, similarity=alike)
                )
        for article in self.articles if is_real else ():
            about = doubtful.get(article.article_id)
            is_labelled = any(mention.company == company for mention in article.mentions)
            if about is None and (is_labelled or not names_company(article.title, company)):
                continue
            self.barred.append(
                BarredArticle(
                    company=company,
                    article_id=article.article_id,
                    reason="names it without a label" if about is None else "may be about it",
                    other_company=about,
                )
            )

    def _rank(self, company: str) -> tuple[bool, int]:
        """Rank nouns such as `IT stocks` last, and companies with many similar names first."""
        n_alike = sum(len(self.by_company[o]) for o in self.names.similar.get(company, ()))
        is_noun = company.split()[-1].islower() or company != company.casefold() in self.by_company
        return is_noun, -min(n_alike, _ENOUGH)


def _values(query: Query) -> object:
    """Return what must differ between queries of a task: companies, or ranges of dates."""
    return query.company or (query.since, query.today)


STEP = Step(
    name="queries",
    run=build_queries,
    version=8,
    writes=(Query, SimilarCompany, BarredArticle, PlannedRecord),
    reads=("articles",),
    options=("queries", "lengths", "records", "seed"),
)
