"""The panel: models that label what articles say of their companies.

A company of an article gets a sentiment only if all models of the panel agree on it. Every vote is
kept. Companies that a file or the generator has labelled are not asked about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tasks.core.ids import stable_id
from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.inference.replies import read_choice
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.longcontext.concepts import SENTIMENTS
from tasks.suites.longcontext.rows import Article, SentimentVote
from tasks.suites.suite import Role

PANEL = Role(
    name="panel",
    help="Models, three or more, that label sentiments where articles have none.",
    default=(),
    fewest=3,
    most=None,
)


@dataclass(frozen=True, slots=True)
class LabelInputs:
    """The prompt's inputs: an article's title, and one of its companies."""

    title: str
    company: str


def parse(reply: str) -> str:
    """Read the sentiment that a reply chooses; see `read_choice`."""
    return read_choice(reply, "sentiment", SENTIMENTS)


LABEL: Operation[LabelInputs, str] = Operation(
    name="label_sentiment",
    template="longcontext/label_sentiment",
    inputs=LabelInputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, sentiment=one_of(*SENTIMENTS)),
)


def vote(articles: Sequence[Article], panel: Sequence[Engine]) -> Iterator[SentimentVote]:
    """Have each model label each company that has no sentiment."""
    unlabelled = [
        (article.article_id, LabelInputs(article.title, mention.company))
        for article in articles
        for mention in article.mentions
        if mention.sentiment is None
    ]
    questions = [
        Question(stable_id("mention", article_id, inputs.company), inputs)
        for article_id, inputs in unlabelled
    ]
    for engine in panel:
        replies = ask(engine, LABEL, questions)
        for (article_id, inputs), reply in zip(unlabelled, replies, strict=True):
            company = inputs.company
            yield SentimentVote(
                sentiment_vote_id=stable_id("vote", article_id, company, engine.model),
                article_id=article_id,
                company=company,
                model=engine.model,
                sentiment=reply.value,
                unread_reason=reply.error if reply.value is None else None,
                request_id=reply.request.request_id,
            )


def decide(articles: Sequence[Article], votes: Sequence[SentimentVote]) -> Iterator[Article]:
    """Yield the articles with the sentiments that all votes agree on."""
    labels: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for each in votes:
        labels[each.article_id, each.company].add(each.sentiment)
    unanimous = {mention: next(iter(cast)) for mention, cast in labels.items() if len(cast) == 1}
    for article in articles:
        mentions = (
            replace(m, sentiment=m.sentiment or unanimous.get((article.article_id, m.company)))
            for m in article.mentions
        )
        yield replace(article, mentions=tuple(mentions))
