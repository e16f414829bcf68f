"""The panel: three models or more, one mind, and every vote kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tasks.suites.longcontext.articles.invented import invent_articles
from tasks.suites.longcontext.articles.panel import LABEL, decide, vote
from tasks.suites.longcontext.rows import Mention, SentimentVote
from tests.scripted import Scripted, by_operation

ARTICLE = replace(
    next(invent_articles(1, 1)),
    title="Acme takes an order away from Bolt",
    mentions=(
        Mention(company="Acme", sentiment=None),
        Mention(company="Bolt", sentiment=None),
        Mention(company="Cord", sentiment="neutral"),
    ),
)


def panel_of(*replies: dict[str, str]) -> list[Scripted]:
    """A model for each mapping of company to reply."""
    return [
        Scripted(
            by_operation(lambda operation, inputs, said=said: said[inputs["company"]]),
            model=f"model {number}",
            identity=f"{number}",
        )
        for number, said in enumerate(replies)
    ]


def labelled(*replies: dict[str, str]) -> tuple[dict[str, str | None], Sequence[SentimentVote]]:
    votes = list(vote([ARTICLE], panel_of(*replies)))
    (article,) = decide([ARTICLE], votes)
    return {each.company: each.sentiment for each in article.mentions}, votes


def test_a_company_has_a_sentiment_only_if_all_agree() -> None:
    said = {"Acme": "Sentiment: positive", "Bolt": "Sentiment: negative"}
    sentiments, votes = labelled(said, said, said | {"Bolt": "Sentiment: neutral"})
    assert sentiments == {"Acme": "positive", "Bolt": None, "Cord": "neutral"}
    assert len(votes) == 6
    assert {each.company for each in votes} == {"Acme", "Bolt"}
    assert {each.model for each in votes} == {"model 0", "model 1", "model 2"}
    assert len({each.sentiment_vote_id for each in votes}) == 6
    assert all(each.request_id and each.unread_reason is None for each in votes)


def test_a_vote_that_cannot_be_read_is_kept_and_agrees_with_none() -> None:
    said = {"Acme": "Sentiment: positive", "Bolt": "positive or negative, who knows"}
    sentiments, votes = labelled(said, said, said)
    assert sentiments["Acme"] == "positive"
    assert sentiments["Bolt"] is None
    assert all(v.unread_reason for v in votes if v.company == "Bolt")


def test_models_see_the_title_and_one_company() -> None:
    (engine,) = panel_of({"Acme": "Sentiment: neutral", "Bolt": "Sentiment: neutral"})
    votes = list(vote([ARTICLE], [engine]))
    assert [each.sentiment for each in votes] == ["neutral", "neutral"]
    assert [call.inputs() for call in engine.calls] == [
        {"title": ARTICLE.title, "company": company} for company in ("Acme", "Bolt")
    ]
    assert len({call.prefix.prefix_id for call in engine.calls}) == 1
    assert LABEL.sampling.temperature == 0
