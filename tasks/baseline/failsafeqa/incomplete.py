"""The rule that turns a query into a hasty person's, without the company and the period.

It is asked a second time if its first reply had another answer: then the period stays.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from tasks.quantities.figures import FULL_MONTHS
from tasks.suites.failsafeqa.perturbations.mentions import company_mentions
from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite, tagged

_YEAR = r"(?:19|20)\d\d"
_DATE = rf"(?:(?:{FULL_MONTHS})(?: \d{{1,2}},?)? )?{_YEAR}"
_NAMED = (
    rf"(?:the )?(?:(?:fiscal|calendar) )?(?:years? )?(?:(?:ended|ending|end) )?{_DATE}"
    rf"|(?:the )?(?:first|second|third|fourth) quarter of (?:fiscal )?(?:year )?{_YEAR}"
)
_WHEN = (
    r"(?:,? (?:as )?(?:in|for|during|at|of|on|by|through|from|between|compared to|compared with"
    r"|than in|than that of|than|at the end of|as of)(?: the end of)? )"
)
_PERIOD = re.compile(
    rf"(?:,? according to the annual report)?,?{_WHEN}(?:{_NAMED})"
    rf"(?:,? (?:and|to|through|or) (?:{_NAMED}))*"
)
_ARTICLE = re.compile(r"(?<![\w’'-])(?:the|an?) (?!(?:[A-Z]|same\b|first\b|last\b))", re.IGNORECASE)
_SLOT = "\ufffc"  # where the company was the subject


def reply(inputs: QueryToRewrite) -> str:
    """Write the query in a hurry, tagged."""
    return tagged(hasty(inputs.query, inputs.company, keeps_period=bool(inputs.earlier)))


def hasty(query: str, company: str, *, keeps_period: bool = False) -> str:
    """Drop company, period, question frame and articles; keep the rest in its order.

    A query without a company to drop loses a qualifier of its measure if the period stays.
    """
    shortened = _without_company(query.strip(), company)
    if keeps_period:
        if shortened == query.strip():
            shortened = _qualifiers().sub("", shortened, count=1)
    else:
        shortened = _PERIOD.sub("", shortened)
    is_question = shortened.endswith("?")
    framed = _reframed(shortened.rstrip("?!. "))
    framed = _ARTICLE.sub("", re.sub(r"\A(?:the|an?) ", "", framed)).replace(_SLOT, "they")
    framed = re.sub(r"\s+([,;])|\s+", lambda found: found[1] or " ", framed).strip(" ,;")
    framed = framed[:1].lower() + framed[1:] if _is_plain(framed, query) else framed
    return f"{framed}?" if is_question else framed


def _without_company(query: str, company: str) -> str:
    for start, end in reversed(company_mentions(query, company)):
        before, after = query[:start], query[end:]
        if re.match(r" (?:and|or|&) ", after) or re.search(r" (?:and|or|&) \Z", before):
            continue  # one of several
        if possessive := re.match(r"['’]s? ", after):
            query = before + after[possessive.end() :]
        elif re.fullmatch(r"(?:At|For|In) ", before) and after.startswith(", "):
            query = after[2].upper() + after[3:]
        elif re.search(r"\b(?:attributable|available|payable|due) to \Z", before):
            query = before + "company" + after  # a part of the measure's name
        elif found := re.search(r",? (?:of|by|at|for|from|in|about|to)\s\Z", before):
            query = before[: found.start()] + after
        elif re.search(r"\b(?:did|do|does|has|have|had|is|was|will)\s\Z", before):
            query = before + _SLOT + after
    return query


def _reframed(query: str) -> str:
    for frame, short in _frames():
        if found := frame.fullmatch(query):
            return found.expand(short)
    return query


def _is_plain(shortened: str, query: str) -> bool:
    """Whether a first word has a capital only as a sentence's start, if at all."""
    first = shortened.split(" ", 1)[0]
    return first[1:].islower() and query.startswith(first)


@cache
def _frames() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(frame.replace("<company>", f"(?:{_SLOT}|the company)"), re.IGNORECASE), short)
        for frame, short in _data()["frames"].items()
    ]


@cache
def _qualifiers() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(_data()['qualifiers'].split())}) (?=[a-z])")


@cache
def _data() -> dict:
    source = files("tasks.baseline.failsafeqa").joinpath("query_terms.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))
