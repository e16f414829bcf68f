"""Concepts, and the tasks that combine them (paper 002, section 2.1).

A concept narrows an article's mentions to those that fit a query; an article fits if one is left
after all concepts of the task. A new concept or combination is one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tasks.suites.longcontext.rows import Article, Mention, Query

SENTIMENTS = ("positive", "neutral", "negative")
# Stands for an article that is about no company.
_NONE = Mention(company="", sentiment=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One property of articles.

    Attributes:
        narrow: (query, article, mentions) -> the mentions that fit.
        shows_dates: whether the text must show the articles' dates.
        needs_labels: whether articles must have a sentiment.
    """

    narrow: Callable[[Query, Article, Sequence[Mention]], Sequence[Mention]]
    shows_dates: bool = False
    needs_labels: bool = False


COMPANY = Concept(
    narrow=lambda query, article, mentions: [m for m in mentions if m.company == query.company]
)
TIME = Concept(
    narrow=lambda query, article, mentions: (
        mentions if (query.since or "") <= article.published <= (query.today or "") else ()
    ),
    shows_dates=True,
)
SENTIMENT = Concept(
    narrow=lambda query, article, mentions: [m for m in mentions if m.sentiment == query.sentiment],
    needs_labels=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Concepts that a query combines.

    Attributes:
        prompt: file of the task's wording and definitions, without `.txt`.
        near: how hard negatives of it nearly fit, in the order of preference (`records/near.py`).
    """

    concepts: tuple[Concept, ...]
    prompt: str
    near: tuple[str, ...]

    @property
    def shows_dates(self) -> bool:
        """Whether the text shows the articles' dates."""
        return any(concept.shows_dates for concept in self.concepts)

    @property
    def needs_labels(self) -> bool:
        """Whether it needs labelled sentiments."""
        return any(concept.needs_labels for concept in self.concepts)

    def fits(self, query: Query, article: Article) -> bool:
        """Return whether an article is what the query asks for."""
        mentions: Sequence[Mention] = article.mentions or (_NONE,)
        for concept in self.concepts:
            mentions = concept.narrow(query, article, mentions)
        return bool(mentions)


TASKS: Mapping[str, Task] = {
    "company": Task(concepts=(COMPANY,), prompt="longcontext/task_company", near=("similar name",)),
    "time": Task(
        concepts=(TIME,), prompt="longcontext/task_time", near=("other format", "just outside")
    ),
    "company_time": Task(
        concepts=(COMPANY, TIME),
        prompt="longcontext/task_company_time",
        near=("other time", "similar name"),
    ),
    "company_sentiment": Task(
        concepts=(COMPANY, SENTIMENT),
        prompt="longcontext/task_company_sentiment",
        near=("other sentiment", "similar name"),
    ),
}
