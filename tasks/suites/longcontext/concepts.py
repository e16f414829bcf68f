"""Concepts, and the tasks that combine them (paper 002, section 2.1).

A concept narrows an article's mentions to those that fit a query; an article fits if one is left
after all concepts of the task. A new concept or combination is one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tasks.suites.longcontext.rows import Article, Mention, Query

# The paper has five classes, which it does not name; best first. Articles may have fewer.
SENTIMENTS = ("very positive", "positive", "neutral", "negative", "very negative")
Mentions = Sequence[Mention]
Concept = Callable[[Query, Article, Mentions], Mentions]
# Stands for an article that is about no company.
_NONE = Mention(company="", sentiment=None)


def of_company(query: Query, _: Article, mentions: Mentions) -> Mentions:
    """Return the mentions of the query's company."""
    return [mention for mention in mentions if mention.company == query.company]


def in_time(query: Query, article: Article, mentions: Mentions) -> Mentions:
    """Return all mentions of an article that is dated in the query's range."""
    return mentions if (query.since or "") <= article.published <= (query.today or "") else ()


def of_sentiment(query: Query, _: Article, mentions: Mentions) -> Mentions:
    """Return the mentions that have the query's sentiment."""
    return [mention for mention in mentions if mention.sentiment == query.sentiment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Concepts that a query combines."""

    concepts: tuple[Concept, ...]
    prompt: str  # file of the task's wording and definitions, without `.txt`
    # how hard negatives of it nearly fit, in the order of preference (`NEAR`)
    near: tuple[str, ...]

    @property
    def shows_dates(self) -> bool:
        """Whether the text shows the articles' dates."""
        return in_time in self.concepts

    def fits(self, query: Query, article: Article) -> bool:
        """Return whether an article is what the query asks for."""
        mentions: Mentions = article.mentions or (_NONE,)
        for concept in self.concepts:
            mentions = concept(query, article, mentions)
        return bool(mentions)


TASKS: Mapping[str, Task] = {
    "company": Task(
        concepts=(of_company,), prompt="longcontext/task_company", near=("similar name",)
    ),
    "time": Task(
        concepts=(in_time,), prompt="longcontext/task_time", near=("other format", "just outside")
    ),
    "company_time": Task(
        concepts=(of_company, in_time),
        prompt="longcontext/task_company_time",
        near=("other time", "similar name"),
    ),
    "company_sentiment": Task(
        concepts=(of_company, of_sentiment),
        prompt="longcontext/task_company_sentiment",
        near=("other sentiment", "similar name"),
    ),
}
