"""Rules for the operations of the long-context suite: match names, dates and sentiment words.

They read the query out of the prompt's own wording, so they stand for no model.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.longcontext.answer import ArticleInputs, Inputs

_ARTICLE = re.compile(
    r"^Article ID: (?P<number>\d+); (?:Date: (?P<date>\S+); )?Title: (?P<title>.*)$", re.MULTILINE
)
_COMPANY = re.compile(r"\babout (?P<company>.+?)(?: and was published in .*)?\.$")
_SENTIMENT = re.compile(r"\bhas an? (?P<sentiment>[\w ]+) sentiment about ")
_RANGE = re.compile(r"^Today is (?P<today>\S+) .* since (?P<since>\d{4}-\d\d-\d\d)\.$")
_DATE = re.compile(r"\d{4}-(?:0\d|1[0-2])-\d\d")

_GOOD = re.compile(
    r"\b(?:beat\w*|rise[sn]?|rising|rose|gain\w*|jump\w*|surg\w+|soar\w*|rall\w+|climb\w*|advanc\w+|"
    r"up|higher|record|profit\w*|grow\w*|grew|strong\w*|win[s]?|won|approv\w+|upgrad\w+|rais\w+|"
    r"expand\w*|outperform\w*|buy|bullish|boost\w*|improv\w+|exceed\w*|top[s]?|award\w*|secur\w+)\b",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:miss\w*|fall\w*|fell|drop\w*|slid\w*|slip\w*|plung\w+|tumbl\w+|declin\w+|down|lower|"
    r"loss\w*|weak\w*|lose[s]?|lost|downgrad\w+|cut\w*|sell|bearish|warn\w*|probe\w*|fine[ds]?|"
    r"lawsuit\w*|su(?:es|ed)|recall\w*|delay\w*|hit[s]?|slump\w*|crash\w*|fraud|halt\w*|layoff\w*|"
    r"shed\w*|sink[s]?|sank|worse\w*|default\w*|shut\w*|resign\w*)\b",
    re.IGNORECASE,
)


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
        if self.since is not None and self.today is not None:
            is_date = date is not None and _DATE.fullmatch(date) is not None
            if not is_date or not self.since <= str(date) <= self.today:
                return False
        if self.company is not None and not self.company.search(title):
            return False
        return self.sentiment is None or sentiment_of(title) == self.sentiment


def sentiment_of(title: str) -> str:
    """Return the sentiment that most of a title's words have; `neutral` if there is none."""
    good, bad = len(_GOOD.findall(title)), len(_BAD.findall(title))
    return "neutral" if good == bad else "positive" if good > bad else "negative"


def find_articles(inputs: Inputs) -> str:
    """List the articles of a haystack that fit."""
    sought = _Sought.read(inputs.task)
    found = [
        each["number"]
        for each in _ARTICLE.finditer(f"{inputs.head}\n{inputs.tail}")
        if sought.fits(each["title"], each["date"])
    ]
    return json.dumps({"article_ids": found})


def say_whether_it_fits(inputs: ArticleInputs) -> str:
    """Say whether the only article fits."""
    article = _ARTICLE.search(inputs.article)
    fits = article is not None and _Sought.read(inputs.task).fits(article["title"], article["date"])
    return json.dumps({"fits": "yes" if fits else "no"})


RULES: Rules = {
    "answer_prepend": Rule(find_articles),
    "answer_append": Rule(find_articles),
    "answer_both": Rule(find_articles),
    "answer_best_practices": Rule(find_articles),
    "answer_single": Rule(say_whether_it_fits),
}
