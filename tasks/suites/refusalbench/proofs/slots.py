"""Queries with slots: what a base question asks for stands as a mark, so that few forms fit many.

`What were Acme's net sales in fiscal 2023?` is `what were <c>'s <m> <p>`. A proof accepts only
queries of which it understands every word: a word that it does not know may change the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.quantities.figures import Figure
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.proofs.numbers import answer_places, asked_number
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
_HEAD = re.compile(r"\[[^\]\n]*, annual report[^\]\n]*\]\s*")
# Words that say how much without a number.
_FEW = re.compile(
    r"\b(?:one|only|single|sole\w*|half|halves|equal\w*|entirely|exclusively)\b", re.I
)
_SUFFIX = re.compile(
    r",? (?:Inc|Incorporated|Corp|Corporation|Company|Co|Ltd|Limited|LLC|L\.P|LP|plc)\.?\Z"
)
_PLAIN_YEAR = re.compile(r"(?:(?:the )?(?:fiscal |calendar )?(?:year )?)?((?:19|20)\d\d)", re.I)
# The question with a pronoun, whose only antecedent is the company.
_BY_PRONOUN = re.compile(
    r"<c> (?:published|filed|released|issued|presented) its (?:annual )?(?:report|results|accounts)"
    r"(?P<one> <p>)?[.,;] (?:and )?"
    r"(?:what (?:was|were) its <m>|how many <m> did it (?:have|employ|own|operate))"
    r"(?(one)(?: <p>)?| <p>)"
)
# The question with a word of several senses, of which the passage has one.
_BY_FIGURE = re.compile(
    r"(?:what|which) (?:number|figure) (?:does|did) <c> (?:give|state|report) for"
    r" (?:its <m>|the number of <m> that it (?:had|employed|owned|operated)) <p>"
)
# Words before a question that neither limit it nor ask for anything else.
_LEAD = re.compile(
    r"(?:according to|going by) (?:its|the company's|<c>'s?) (?:own |audited )*"
    r"(?:filing|books|report)"
    r"|all parts taken together|on a yearly basis|of the companies named here, take <c>"
    r"|as to an item (?:that the report itself calls major|of the company's annual report)"
    r"|by the company's own rule, this is a sizeable item"
)
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
    slots = {  # the measure first, as it may name the company
        "m": _phrases([asked.measure]),
        "c": _phrases(company_names(asked.company)),
        "f": _phrases([asked.figure]),
        "p": rf"\b{_PREPOSITION}(?:{'|'.join(periods)})(?!\w)",
    }
    for mark, pattern in slots.items():
        text = re.sub(pattern, f"<{mark}>", text, flags=re.IGNORECASE)
    return text.lower().replace("the <c>", "<c>").replace("the <m>", "<m>")


def asks_again(base: BaseQuestion, query: str) -> bool:
    """Whether a query asks for the same, with a pronoun or after words that limit nothing."""
    if base.asked:
        slotted = with_slots(query, base.asked)
        if _BY_PRONOUN.fullmatch(slotted) or _BY_FIGURE.fullmatch(slotted):
            return True
    lead = query[: -len(base.query)]
    if base.asked:
        lead = re.sub(_phrases(company_names(base.asked.company)), "<c>", lead)
        is_year = _PLAIN_YEAR.fullmatch(base.asked.period) or "year" in base.asked.period
        if "yearly" in lead and not is_year:
            return False  # a quarter's figure on a yearly basis is four times as large
    return query[-len(base.query) + 1 :] == base.query[1:] and bool(
        _LEAD.fullmatch(lead.lower().rstrip(" .,:"))
    )


def company_names(company: str) -> list[str]:
    """Return a company's name as given, without a last full stop, and without its legal form."""
    return list(dict.fromkeys((company, company.rstrip("."), _SUFFIX.sub("", company))))


def measure_pattern(asked: AskedFigure) -> str:
    """Return a pattern of the measure, for sentences of `sentences_of`."""
    return _phrases([asked.measure])


def _phrases(texts: Sequence[str]) -> str:
    escaped = (re.escape(" ".join(text.split()).replace("’", "'")) for text in texts)
    return rf"(?<!\w)(?:{'|'.join(escaped)})(?!\w)"


def sentences_of(
    base: BaseQuestion, passages: Sequence[str], *, of_others: bool = False
) -> Iterator[str]:
    """Yield the sentences that may bear on a question, with single spaces and no passage's head.

    Args:
        of_others: whether to yield what noise passages that a head assigns to another company say
            of the measure.
    """
    assert base.asked is not None
    names = company_names(base.asked.company)
    for passage, text in zip(base.passages, passages, strict=True):
        head = _HEAD.match(text)
        is_foreign = not passage.is_signal and head and not any(name in head[0] for name in names)
        if is_foreign and not of_others:
            continue
        body = text[head.end() :] if head else text
        for start, end in split_sentences(body):
            sentence = " ".join(body[start:end].split()).replace("’", "'")
            if not is_foreign or speaks_of(sentence, base.asked.measure):
                yield sentence


def own_figure(asked: AskedFigure) -> Figure | None:
    """Return the asked figure, or None if it is not one quantity."""
    found = [figure for figure in figures_of(asked.figure) if figure.unit != "year"]
    return found[0] if len(found) == 1 else None


def is_stated(base: BaseQuestion, passages: Sequence[str]) -> bool:
    """Whether a signal passage still states the answer."""
    return any(
        passage.is_signal and answer_places(text, base.answers, asked_number(base))
        for passage, text in zip(base.passages, passages, strict=True)
    )


def has_quantity(sentence: str) -> bool:
    """Whether a sentence states a quantity; a year or a date is none."""
    return bool(_FEW.search(sentence)) or any(
        figure.unit != "year" for figure in figures_of(sentence)
    )


def speaks_of(sentence: str, measure: str) -> bool:
    """Whether a sentence has a word of a measure."""
    return not set(content_terms(measure)).isdisjoint(content_terms(sentence))
