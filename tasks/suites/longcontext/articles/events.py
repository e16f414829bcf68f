"""8-K Items as dated company news: the first sentence that speaks of the company and reads alone.

What follows it in an Item is terms and boilerplate, which is no news. A title has the company's
name before the sentence, unless the sentence has the name as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.core.rows import Reject
from tasks.suites.longcontext.articles.names import content_words, names_company
from tasks.suites.longcontext.articles.rows_of_file import (
    DUPLICATE,
    NO_COMPANY,
    NO_DATE,
    Row,
    make_news,
    read_day,
    reject_row,
    text_of,
    value_of,
)
from tasks.suites.longcontext.rows import Mention, News
from tasks.text.sentences import split_sentences

NO_STATEMENT = "no sentence about the company reads on its own"

_EXHIBITS = "9.01"  # Item of an 8-K that lists its exhibits
_FEWEST_WORDS, _MOST_WORDS = 10, 60
_SPEAKS = re.compile(r"\b(?:[Ww]e|[Oo]ur|[Tt]he (?:Company|Registrant|Corporation|Bank))\b")
# A sentence that goes on from the one before, or points to another place of the filing.
_POINTS = re.compile(
    r"\A(?:This|That|These|Those|They|It|Its|Such|He|She|His|Her)\b|\b(?:exhibits?|herein|hereto|"
    r"hereby|herewith|above|below|following|Form 8-K|this (?:report|item))\b",
    re.IGNORECASE,
)
# EDGAR's mark of a state: `/MN`, `/DE/`, `\PA\`; and a bar without one.
_STATE = re.compile(r"\s*[/\\](?:[A-Z]{2,3}[/\\]?)?$")


def read_events(file: str, rows: Sequence[tuple[int, Row]]) -> Iterator[News | Reject]:
    """Yield the statements of 8-K documents, whose `items` map Items to texts."""
    names: dict[tuple[str, ...], str] = {}  # a company has one name, however it is filed
    lines: dict[tuple[str, str], int] = {}  # title and date -> its first line
    for line, row in rows:
        filed_name, day = text_of(row["companies"]), read_day(row)
        if not filed_name or day is None:
            yield reject_row(file, line, NO_DATE if filed_name else NO_COMPANY, "")
            continue
        company = names.setdefault(content_words(filed_name), name_of(filed_name))
        items = value_of(row["items"])
        statements = list(_statements(company, items if isinstance(items, dict) else {}))
        for item, title in statements:
            if (title, day) in lines:
                detail = f"line {lines[title, day]:,}, Item {item}: {title}"
                yield reject_row(file, line, DUPLICATE, detail)
            else:
                lines[title, day] = line
                mention = Mention(company=company, sentiment=None)
                yield make_news(file, line, title, day, item, mention)
        if not statements:
            yield reject_row(file, line, NO_STATEMENT, company)


def name_of(filed_name: str) -> str:
    """Write a company's name without EDGAR's mark of a state, and not in capitals."""
    name = _STATE.sub("", filed_name)
    return name.title() if name.isupper() else name


def reads_alone(sentence: str) -> bool:
    """Return whether a sentence is whole, of moderate length, and points to nothing else."""
    return (
        _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS
        and sentence[0].isupper()
        and sentence.endswith((".", ".”", '."'))
        and sentence.count("(") == sentence.count(")")
        and not _POINTS.search(sentence)
    )


def _statements(company: str, items: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield Item and title of the first statement of each Item."""
    for key, text in items.items():
        item = key.casefold().removeprefix("item").strip(" _.")
        sentence = None if item == _EXHIBITS else _first_statement(company, text)
        if sentence is not None:
            yield item, sentence if company in sentence else f"{company}: {sentence}"


def _first_statement(company: str, text: str) -> str | None:
    for paragraph in text.split("\n"):
        words = " ".join(paragraph.split())
        for start, end in split_sentences(words):
            sentence = words[start:end]
            speaks = _SPEAKS.search(sentence) or names_company(sentence, company)
            if speaks and reads_alone(sentence):
                return sentence
    return None
