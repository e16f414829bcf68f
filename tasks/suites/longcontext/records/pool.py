"""The articles that haystacks are made of, with the tokens of their lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from random import Random
from typing import TypeVar

from tasks.suites.longcontext.rows import Article
from tasks.suites.longcontext.text import write_article, write_date, write_number, write_title
from tasks.text.tokens import count_tokens

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class ArticleLine:
    """One article as a text shows it."""

    at: int  # its place in the pool
    shown_date: str | None  # the date as the text has it; None if it shows none
    n_tokens: int  # of its line, without its number


def as_drawn(rng: Random, items: Iterable[_Item]) -> list[_Item]:
    """Return items in an order that is drawn."""
    return [item for _, item in sorted(((rng.random(), item) for item in items), key=itemgetter(0))]


class ArticlePool:
    """All articles of a release, in the order of their ids; each is counted once."""

    def __init__(self, articles: Iterable[Article], encoding_name: str) -> None:
        self.articles = tuple(sorted(articles, key=lambda article: article.article_id))
        self.about: dict[str, list[int]] = {}  # company -> places of the articles about it
        for at, article in enumerate(self.articles):
            for company in dict.fromkeys(mention.company for mention in article.mentions):
                self.about.setdefault(company, []).append(at)
        self._count = cache(lambda text: count_tokens(text, encoding_name))
        self._titles = [
            count_tokens(write_title(article.title), encoding_name) for article in self.articles
        ]
        self._lines: dict[bool, list[ArticleLine]] = {}
        self._numbers = [0]  # tokens of the numbers up to each

    def line(self, at: int, shown_date: str | None) -> ArticleLine:
        """Return an article as a text shows it."""
        return ArticleLine(at, shown_date, self._titles[at] + self._count(write_date(shown_date)))

    def lines(self, *, dated: bool) -> Sequence[ArticleLine]:
        """Return all articles as texts show them, with or without their dates."""
        if dated not in self._lines:
            days = [article.published if dated else None for article in self.articles]
            self._lines[dated] = [self.line(at, day) for at, day in enumerate(days)]
        return self._lines[dated]

    def number_tokens(self, n: int) -> int:
        """Count the tokens of the numbers from 1 to n, together."""
        for number in range(len(self._numbers), n + 1):
            self._numbers.append(self._numbers[-1] + self._count(write_number(number)))
        return self._numbers[n]

    def tokens_at(self, number: int, line: ArticleLine) -> int:
        """Count the tokens of a numbered line."""
        return line.n_tokens + self.number_tokens(number) - self.number_tokens(number - 1)

    def text_tokens(self, lines: Sequence[ArticleLine]) -> int:
        """Count the tokens of a text."""
        return sum(line.n_tokens for line in lines) + self.number_tokens(len(lines))

    def write(self, lines: Iterable[ArticleLine]) -> str:
        """Write the text of lines."""
        return "".join(
            write_article(number, self.articles[line.at].title, line.shown_date)
            for number, line in enumerate(lines, start=1)
        )
