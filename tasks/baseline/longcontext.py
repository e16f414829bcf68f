"""Rules for the operations of the long-context suite: match names, dates and sentiment words.

They read the query out of the prompt's own wording, so they stand for no model.
"""

from __future__ import annotations

import json
import re

from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.longcontext.answer import OPERATIONS, SINGLE, HaystackInputs
from tasks.text.terms import words

_ARTICLE = re.compile(
    r"^Article ID: (?P<number>\d+); (?:Date: (?P<date>\S+); )?Title: (?P<title>.*)$", re.MULTILINE
)
_COMPANY = re.compile(r"\babout (.+?)(?: and was published since .*)?\.$")
_SENTIMENT = re.compile(r"\bhas an? ([\w ]+) sentiment about ")
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


def sentiment_of(title: str) -> str:
    """Return the sentiment that most of a title's words have; `neutral` if there is none."""
    good, bad = _count(_GOOD, title), _count(_BAD, title)
    return "neutral" if good == bad else "positive" if good > bad else "negative"


def _count(listed: frozenset[str], title: str) -> int:
    """Count a title's words that are listed, or begin as a listed one does."""
    stems = tuple(word.removesuffix("*") for word in listed if word.endswith("*"))
    in_title = [word.strip(".,:;!?'\"()’‘“”") for word in title.lower().replace("-", " ").split()]
    return sum(word in listed or word.startswith(stems) for word in in_title)


def _fitting(task: str, articles: str) -> list[str]:
    """Return the numbers of the articles whose words fit a query."""
    company, sentiment, dates = (form.search(task) for form in (_COMPANY, _SENTIMENT, _RANGE))
    name = company and re.compile(rf"(?<!\w){re.escape(company[1])}(?!\w)", re.IGNORECASE)
    return [
        match["number"]
        for match in _ARTICLE.finditer(articles)
        if (not dates or dates["since"] <= (match["date"] or "") <= dates["today"])
        and (not name or name.search(match["title"]))
        and (not sentiment or sentiment[1] == sentiment_of(match["title"]))
    ]


def find_articles(inputs: HaystackInputs) -> str:
    """List the articles of a haystack that fit."""
    return json.dumps({"article_ids": _fitting(inputs.task, f"{inputs.head}\n{inputs.tail}")})


def say_whether_it_fits(inputs: HaystackInputs) -> str:
    """Say whether the only article fits."""
    return json.dumps({"fits": "yes" if _fitting(inputs.task, inputs.tail) else "no"})


RULES: Rules = {
    operation.name: Rule(say_whether_it_fits if name == SINGLE else find_articles)
    for name, operation in OPERATIONS.items()
}
