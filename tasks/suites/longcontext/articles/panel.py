"""The panel: models that label what articles say of companies, and say which are none.

It is asked about each mention without a sentiment, and once about each name that a file labels: an
index, a commodity or a ministry is no company. All models must agree. What they disagree on stays
unlabelled, and no query that asks for sentiments shows it. Every vote is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.longcontext.concepts import SENTIMENTS
from tasks.suites.longcontext.rows import Article, SentimentVote
from tasks.suites.suite import Role

NO_COMPANY = "no company"
_LABELS = (*SENTIMENTS, NO_COMPANY)

PANEL = Role(
    name="panel",
    help="Models that label a file's sentiments and say what is no company; none by default.",
    default=(),
    models=(2, None),
)


@dataclass(frozen=True, slots=True)
class LabelInputs:
    """The prompt's inputs: an article's title, and one of its companies."""

    title: str
    company: str


LABEL: Operation[LabelInputs, str] = Operation(
    name="label_sentiment",
    template="longcontext/label_sentiment",
    inputs=LabelInputs,
    parse=partial(read_value, key="sentiment", options={name: name for name in _LABELS}),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, sentiment=one_of(*_LABELS)),
)


def label(
    articles: Sequence[Article], panel: Sequence[Engine]
) -> Iterator[Article | SentimentVote]:
    """Yield each model's votes, and the articles with what all models agree on."""
    asked: dict[tuple[str, str], LabelInputs] = {}
    names: set[str] = set()
    for article in articles:
        for mention in article.mentions:
            if mention.sentiment is None or mention.company not in names:
                names.add(mention.company)
                key = article.article_id, mention.company
                asked[key] = LabelInputs(article.title, mention.company)
    questions = [Question(" ".join(key), inputs) for key, inputs in asked.items()]
    votes: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for engine in panel:
        for key, reply in zip(asked, ask(engine, LABEL, questions), strict=True):
            votes[key].add(reply.value)
            yield SentimentVote(
                article_id=key[0],
                company=key[1],
                model=engine.model,
                label=reply.value,
                unread_reason=reply.error if reply.value is None else None,
                request_id=reply.request.request_id,
            )
    agreed = {key: next(iter(labels)) for key, labels in votes.items() if len(labels) == 1}
    no_companies = {company for (_, company), said in agreed.items() if said == NO_COMPANY}
    for article in articles:
        mentions = (
            replace(m, sentiment=m.sentiment or agreed.get((article.article_id, m.company)))
            for m in article.mentions
            if m.company not in no_companies
        )
        yield replace(article, mentions=tuple(mentions))
