"""The step that makes articles, of one source, and has the panel label them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest
from random import Random

from tasks.core.ids import stable_id, stable_rng
from tasks.core.progress import tell
from tasks.core.rows import Document, Filing, Reject
from tasks.suites.longcontext.articles.dates import draw_day, states_date
from tasks.suites.longcontext.articles.invented import invent_articles
from tasks.suites.longcontext.articles.names import forget_titles
from tasks.suites.longcontext.articles.panel import LABEL, PANEL, decide, vote
from tasks.suites.longcontext.articles.statements import (
    NEARLY_SAME,
    NO_STATEMENT,
    NearDuplicates,
    WrittenNames,
    statements_of,
    title_of,
)
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Article, Mention, News, SentimentVote
from tasks.suites.suite import Step, StepInputs

NO_FILED_DATE = "the filing has no filing date"
NO_COMPANY = "the filing does not state its company's name"
OTHER_DATE = "the title states a date, which a drawn one would contradict"
NOT_DRAWN = "enough other filings were drawn"
# Together, 20,000 statements: a text of 128K tokens has about 3,500, a query is of one company.
_MOST_FILINGS, _MOST_STATEMENTS = 400, 20_000
_DATE_ADVICE = "state it in the column `filed` of filings.csv"


def build_articles(inputs: StepInputs) -> Iterator[Article | SentimentVote | Reject]:
    """Yield the articles of the source that the options choose, votes and rejects."""
    options: LongContextOptions = inputs.options
    made: Iterable[Article | Reject] = invent_articles(inputs.seed)
    if options.from_filings:
        made = articles_of_filings(inputs)
    elif options.articles is not None:
        made = (article_of_news(news, inputs.seed) for news in inputs.rows(News))
    else:
        tell("The articles are invented headlines. Use --articles for yours.")
    panel = inputs.engines.get(PANEL.name, ())
    if not panel:
        yield from made
        return
    articles: list[Article] = []
    for row in made:
        if isinstance(row, Article):
            articles.append(row)
        else:
            yield row
    votes = list(vote(articles, panel))
    yield from decide(articles, votes)
    yield from votes


def article_of_news(news: News, seed: int) -> Article | Reject:
    """Make an article of a file's row; draw a date if the file has none and the title neither."""
    if news.published is None and states_date(news.title):
        return _reject(news.news_id, OTHER_DATE, news.title)
    return Article(
        article_id=stable_id("article", "file", news.news_id),
        source="file",
        document_id=None,
        item=news.item,
        title=news.title,
        published=news.published or draw_day(seed, news.news_id).isoformat(),
        is_date_drawn=news.published is None,
        mentions=news.mentions,
    )


def articles_of_filings(inputs: StepInputs) -> Iterator[Article | Reject]:
    """Yield statements of dated filings; a reject for each other filing or repetition.

    Of many filings 400 are drawn, and of each as many statements as make 20,000 together.
    """
    spellings, known = WrittenNames(), NearDuplicates()
    places: dict[str, str] = {}
    for filing, document in _documents(inputs):
        if filing.company is None:
            continue
        spellings.count(filing.company, document.text, filing.cik or "")
        if filing.filed_date is not None:
            place = stable_id("statements", inputs.seed, document.document_id)
            places[document.document_id] = place
    drawn = nsmallest(_MOST_FILINGS, places, key=places.__getitem__)
    most = _MOST_STATEMENTS // max(len(drawn), 1)
    not_drawn = places.keys() - drawn
    for filing, document in _documents(inputs):
        if document.document_id in not_drawn:
            yield _reject(document.document_id, NOT_DRAWN, filing.source_uri)
            continue
        rng = stable_rng(inputs.seed, "statements", document.document_id)
        yield from _of_document(filing, document, spellings, known, rng, most)
        forget_titles()


def _documents(inputs: StepInputs) -> Iterator[tuple[Filing, Document]]:
    for filings, documents in inputs.parts(Filing, Document):
        by_id = {filing.filing_id: filing for filing in filings}
        yield from ((by_id[document.filing_id], document) for document in documents)


def _of_document(
    filing: Filing,
    document: Document,
    spellings: WrittenNames,
    known: NearDuplicates,
    rng: Random,
    most: int,
) -> Iterator[Article | Reject]:
    if filing.company is None:
        yield _reject(document.document_id, NO_COMPANY, filing.source_uri)
        return
    if filing.filed_date is None:
        yield _reject(document.document_id, NO_FILED_DATE, f"{filing.source_uri}: {_DATE_ADVICE}")
        return
    company = spellings.name(filing.company, filing.cik or "")
    found = list(dict.fromkeys(statements_of(company, document)))
    if not found:
        yield _reject(document.document_id, NO_STATEMENT, filing.source_uri)
    for at in sorted(rng.sample(range(len(found)), min(len(found), most))):
        item, said = found[at]
        if (near := known.nearest(said)) is not None:
            yield _reject(document.document_id, NEARLY_SAME, f"Item {item}: {said} | {near}")
            continue
        title, published = title_of(company, said), filing.filed_date.isoformat()
        yield Article(
            article_id=stable_id("article", "filings", title, published),
            source="filings",
            document_id=document.document_id,
            item=item,
            title=title,
            published=published,
            is_date_drawn=False,
            mentions=(Mention(company=company, sentiment=None),),
        )


def _reject(document_id: str, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "articles", document_id, reason, detail),
        stage="articles",
        parent_id=document_id,
        reason=reason,
        detail=detail,
    )


STEP = Step(
    name="articles",
    run=build_articles,
    version=3,
    writes=(Article, SentimentVote),
    reads=("ingest", "ingest.news"),
    asks={PANEL.name: (LABEL,)},
    options=("from_filings", "seed"),
)
