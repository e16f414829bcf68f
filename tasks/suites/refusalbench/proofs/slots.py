"""Queries with slots: what a base question asks for stands as a mark, so that few forms fit many.

`What were Acme's net sales in fiscal 2023?` is `what were <c>'s <m> <p>`. A proof accepts only
queries of which it understands every word: a word that it does not know may change the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.quantities.figures import Figure, find_figures
from tasks.suites.refusalbench.proofs.numbers import answer_places, asked_number
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
_SUFFIX = re.compile(
    r",? (?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|LLC|L\.P|LP|plc)\.?\Z"
)
_PLAIN_YEAR = re.compile(r"(?:(?:the )?(?:fiscal |calendar )?(?:year )?)?((?:19|20)\d\d)", re.I)
_PREPOSITION = r"(?:(?:in|for|at|during|as of|as at|on|by|of) )?"


def with_slots(query: str, asked: AskedFigure) -> str:
    """Write a query in small letters, with `<c>`, `<m>`, `<p>` and `<f>` for what is asked.

    A preposition before the period is part of its mark.
    """
    text = " ".join(query.split()).replace("’", "'").rstrip(" ?.!")
    periods = [re.escape(asked.period)]
    if plain := _PLAIN_YEAR.fullmatch(asked.period):
        kind = "fiscal" if "fiscal" in asked.period.lower() else "calendar"
        periods = [rf"(?:the )?(?:{kind} )?(?:year )?{plain[1]}(?! and| to|-)", *periods]
    slots = {
        "c": _phrases(company_names(asked.company)),
        "m": _phrases([asked.measure]),
        "f": _phrases([asked.figure]),
        "p": rf"\b{_PREPOSITION}(?:{'|'.join(periods)})(?!\w)",
    }
    for mark, pattern in slots.items():
        text = re.sub(pattern, f"<{mark}>", text, flags=re.IGNORECASE)
    return text.lower().replace("the <c>", "<c>").replace("the <m>", "<m>")


def company_names(company: str) -> list[str]:
    """Return a company's name as given, and without its legal form."""
    return [company, short] if (short := _SUFFIX.sub("", company)) != company else [company]


def _phrases(texts: Sequence[str]) -> str:
    escaped = (re.escape(" ".join(text.split())) for text in texts)
    return rf"(?<!\w)(?:{'|'.join(escaped)})(?!\w)"


def sentences_of(passages: Sequence[str]) -> Iterator[str]:
    """Yield the sentences of all passages, with single spaces."""
    for text in passages:
        for start, end in split_sentences(text):
            yield " ".join(text[start:end].split()).replace("’", "'")


def own_figure(asked: AskedFigure) -> Figure | None:
    """Return the asked figure, or None if it is not one quantity."""
    found = [figure for figure in find_figures(asked.figure) if figure.unit != "year"]
    return found[0] if len(found) == 1 else None


def is_stated(base: BaseQuestion, passages: Sequence[str]) -> bool:
    """Whether a signal passage still states the answer."""
    return any(
        passage.is_signal and answer_places(text, base.answers, asked_number(base))
        for passage, text in zip(base.passages, passages, strict=True)
    )


def has_quantity(sentence: str) -> bool:
    """Whether a sentence states a quantity; a year or a date is none."""
    return any(figure.unit != "year" for figure in find_figures(sentence))


def speaks_of(sentence: str, measure: str) -> bool:
    """Whether a sentence has a word of a measure."""
    return not set(content_terms(measure)).isdisjoint(content_terms(sentence))
