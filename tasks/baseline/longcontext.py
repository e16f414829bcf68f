"""Rules for the operations of the long-context suite: match names, dates and sentiment words.

They read the query out of the prompt's own wording, so they stand for no model.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.longcontext.answer import HaystackInputs
from tasks.text.terms import words

_ARTICLE = re.compile(
    r"^Article ID: (?P<number>\d+); (?:Date: (?P<date>\S+); )?Title: (?P<title>.*)$", re.MULTILINE
)
_COMPANY = re.compile(r"\babout (?P<company>.+?)(?: and was published since .*)?\.$")
_SENTIMENT = re.compile(r"\bhas an? (?P<sentiment>[\w ]+) sentiment about ")
_RANGE = re.compile(r"^Today is (?P<today>\S+) .* since (?P<since>\d{4}-\d\d-\d\d)\.$")
# Words, and with a * beginnings of words.
_GOOD = words("""
    beat* rise risen rises rising rose gain* jump* surg* soar* rall* climb* advanc* up higher record
    profit* grow* grew strong* win wins won approv* upgrad* rais* expand* outperform* buy bullish
    boost* improv* exceed* top tops award* secur*
""")
_BAD = words("""
    miss* fall* fell drop* slid* slip* plung* tumbl* declin* down lower loss* weak* lose loses lost
    downgrad* cut* sell bearish warn* probe* fine fined fines lawsuit* sues sued recall* delay* hit
    hits slump* crash* fraud halt* layoff* shed* sink sinks sank worse* default* shut* resign*
""")


@dataclass(frozen=True, slots=True)
class _Sought:
    """What a query asks for, as its sentence says it."""

    company: re.Pattern[str] | None
    sentiment: str | None
    since: str | None
    today: str | None

    @classmethod
    def read(cls, task: str) -> _Sought:
        company, sentiment = _COMPANY.search(task), _SENTIMENT.search(task)
        dates = _RANGE.search(task)
        name = None if company is None else rf"(?<!\w){re.escape(company['company'])}(?!\w)"
        return cls(
            company=None if name is None else re.compile(name, re.IGNORECASE),
            sentiment=None if sentiment is None else sentiment["sentiment"],
            since=None if dates is None else dates["since"],
            today=None if dates is None else dates["today"],
        )

    def fits(self, title: str, date: str | None) -> bool:
        """Return whether the words of an article fit the query."""
        if self.since and self.today and not self.since <= (date or "") <= self.today:
            return False
        if self.company is not None and not self.company.search(title):
            return False
        return self.sentiment is None or sentiment_of(title) == self.sentiment


def sentiment_of(title: str) -> str:
    """Return the sentiment that most of a title's words have; `neutral` if there is none."""
    good, bad = _count(_GOOD, title), _count(_BAD, title)
    return "neutral" if good == bad else "positive" if good > bad else "negative"


def _count(listed: frozenset[str], title: str) -> int:
    """Count a title's words that are listed, or begin as a listed one does."""
    stems = tuple(word.removesuffix("*") for word in listed if word.endswith("*"))
    in_title = [word.strip(".,:;!?'\"()’‘“”") for word in title.lower().replace("-", " ").split()]
    return sum(word in listed or word.startswith(stems) for word in in_title)


def find_articles(inputs: HaystackInputs) -> str:
    """List the articles of a haystack that fit."""
    sought = _Sought.read(inputs.task)
    articles = [
        match["number"]
        for match in _ARTICLE.finditer(f"{inputs.head}\n{inputs.tail}")
        if sought.fits(match["title"], match["date"])
    ]
    return json.dumps({"article_ids": articles})


def say_whether_it_fits(inputs: HaystackInputs) -> str:
    """Say whether the only article fits."""
    article = _ARTICLE.search(inputs.tail)
    fits = article is not None and _Sought.read(inputs.task).fits(article["title"], article["date"])
    return json.dumps({"fits": "yes" if fits else "no"})


RULES: Rules = {
    "answer_prepend": Rule(find_articles),
    "answer_append": Rule(find_articles),
    "answer_both": Rule(find_articles),
    "answer_best_practices": Rule(find_articles),
    "answer_single": Rule(say_whether_it_fits),
}
