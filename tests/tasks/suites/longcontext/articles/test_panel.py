"""The panel: what all models say is a label, or that a name is no company's."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.suites.longcontext.articles.panel import label
from tasks.suites.longcontext.rows import Article, Mention, SentimentVote
from tests.filled import filled
from tests.scripted import Scripted, by_operation

ARTICLES = [
    filled(
        Article,
        article_id=name,
        mentions=tuple(Mention(company=company, sentiment=tone) for company, tone in about.items()),
    )
    for name, about in {
        "one": {"Acme": None, "Bolt": None, "Gold": "neutral"},
        "two": {"Cord": "negative", "Gold": "positive"},
    }.items()
]


def engine(name: str, replies: Mapping[str, str]) -> Scripted:
    reply = by_operation(lambda operation, inputs: f"Sentiment: {replies[inputs['company']]}")
    return Scripted(reply, model=name, identity=name)


def test_labels_and_no_companies_are_what_all_models_say() -> None:
    votes = {"Acme": "very positive", "Bolt": "negative", "Cord": "no company"}
    votes["Gold"] = "no company"
    other = votes | {"Bolt": "neutral", "Cord": "negative"}
    rows = [*label(ARTICLES, [engine("m", votes), engine("n", other)])]
    labels = {
        row.article_id: {mention.company: mention.sentiment for mention in row.mentions}
        for row in rows
        if isinstance(row, Article)
    }
    assert labels == {"one": {"Acme": "very positive", "Bolt": None}, "two": {"Cord": "negative"}}
    asked = [(v.model, v.company, v.label) for v in rows if isinstance(v, SentimentVote)]
    assert asked == [
        (model, company, said[company])
        for model, said in (("m", votes), ("n", other))
        for company in ("Acme", "Bolt", "Gold", "Cord")
    ]


def test_a_vote_that_cannot_be_read_is_kept_and_agrees_with_none() -> None:
    votes = dict.fromkeys(("Bolt", "Cord", "Gold"), "neutral")
    rows = [*label(ARTICLES, [engine("m", votes | {"Acme": "who knows"})])]
    (unread,) = [row for row in rows if isinstance(row, SentimentVote) and row.unread_reason]
    assert (unread.company, unread.label) == ("Acme", None)
    article = next(row for row in rows if isinstance(row, Article))
    assert [mention.sentiment for mention in article.mentions] == [None, "neutral", "neutral"]
