"""Row types of articles, queries, records and what is hidden in a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.core.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One company that an article is about."""

    company: str
    sentiment: str | None  # of the article towards this company; null if not labelled


@table("news", keys=("release", "suite"))
class News:
    """One article of the file that `--articles` names, as read."""

    news_id: str  # one per title and date
    source_uri: str
    line: int  # the row's number in the file, from 1; of 8-Ks, the Item's
    title: str  # headline
    published: str | None  # ISO date; null if the file has none
    mentions: tuple[Mention, ...]


@table("articles", keys=("release", "suite"), id="article_id")
class Article:
    """One article that haystacks are made of, whichever its source."""

    article_id: str  # one per title, date and companies
    source: Literal["file", "invented"]
    title: str  # headline
    published: str  # ISO date
    is_date_drawn: bool  # whether the date was drawn, because the source has none
    mentions: tuple[Mention, ...]  # empty if it is about no company


@table("sentiment_votes", keys=("release", "suite"), article_id="articles.article_id")
class SentimentVote:
    """One panel model's label for one company of one article."""

    article_id: str
    company: str
    model: str
    label: str | None  # a sentiment, or `no company`; null if unreadable
    unread_reason: str | None  # null if it can be read
    request_id: str


@table("queries", keys=("release", "suite"), id="query_id")
class Query:
    """What a record asks for: values of its task's concepts."""

    query_id: str  # one per task and values
    task: str  # `company`, `time`, `company_time`, `company_sentiment`
    place: int  # among the task's queries, from 0
    company: str | None
    sentiment: str | None  # null if the task asks for none
    sentiments: str | None  # the classes that articles have, best first; null if it asks for none
    since: str | None  # ISO date: the first day that fits
    today: str | None  # ISO date: the last day that fits
    n_fitting: int  # articles that fit it


@table("similar_companies", keys=("release", "suite"))
class SimilarCompany:
    """One company whose name looks like that of a company which queries ask for."""

    company: str  # of queries
    other_company: str
    similarity: float  # of the names, 0 to 1


@table("barred_articles", keys=("release", "suite"), article_id="articles.article_id")
class BarredArticle:
    """One article that no haystack of a company's queries may hold, and why.

    It leaves open whether it is about the company.
    """

    company: str  # of queries
    article_id: str
    reason: Literal["may be about it", "names it without a label"]
    other_company: str | None  # the name that may be the company's; null if the title names it


@table("planned_records", keys=("release", "suite", "block"), id="planned_record_id")
class PlannedRecord:
    """One record to be made of each task: what was drawn for it before any text."""

    planned_record_id: str  # one per length and number
    background_id: str  # one per length and number
    block: str  # records that are made together, such as `128000-0`
    length: int
    number: int  # of the record among those of its length, from 0
    place: int  # of its queries among their tasks'
    n_needles: int  # at most: a query may have fewer
    depths: tuple[float, ...]  # of its needles, 0 to 1
    negative_share: float  # of the articles' tokens that its hard negatives have


@table(
    "records",
    keys=("release", "suite"),
    id="case_id",
    case_id="cases.case_id",
    query_id="queries.query_id",
    background_id="planned_records.background_id",
    articles="articles.article_id",
)
class Record:
    """One haystack as one case shows it."""

    case_id: str
    query_id: str
    background_id: str  # that of its planned record: shared by tasks, twin and placements
    length: int  # nominal tokens of prompt and answer
    number: int  # of the record among those of its length, from 0
    n_articles: int  # in the text
    articles: tuple[str, ...]  # article_ids in the text's order: the first one is number 1
    n_tokens: int  # of the whole prompt
    budget: int  # tokens that the prompt may have
    n_needles: int  # of its own; 0 for the twin
    n_negatives: int  # of its own
    negative_tokens: int  # of the text's articles that are hard negatives
    is_short_of_negatives: bool  # whether the source has too few for the share that was drawn


@table("placed_articles", keys=("release", "suite"), case_id="records.case_id")
class PlacedArticle:
    """One needle or hard negative in one record."""

    case_id: str
    article_id: str
    number: int  # the article's number in the text, from 1: what a model is to reply
    # 0 at the start of the text, 1 at its end: a needle's as drawn, a hard negative's as it is
    depth: float
    kind: Literal["needle", "natural", "induced"]
    # how it nearly fits: `similar name`, `other format`, `just outside`, `other time`,
    # `other sentiment`; null for a needle
    reason: str | None
    shown_date: str | None  # the date as the text has it; null if it shows none


ROW_TYPES: tuple[type, ...] = (
    News,
    Article,
    SentimentVote,
    Query,
    SimilarCompany,
    BarredArticle,
    PlannedRecord,
    Record,
    PlacedArticle,
)
