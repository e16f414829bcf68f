"""What every query must be, whoever wrote it: about a named company and period, and no trivia."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.quantities.figures import FULL_MONTHS, find_figures, same_figure
from tasks.suites.failsafeqa.questions.subject import Subject, names_company
from tasks.suites.shared.clauses import EVENT_VERBS
from tasks.text.query_task import task_of
from tasks.text.terms import content_terms, words

INSTRUCTION = "the exchange gives instructions to a model"
NOT_ALONE = "the query leans on something outside it"
NO_COMPANY = "the query does not name the company"
NO_PERIOD = "the query names no period"
DATE_TRIVIA = "the query asks only for an event of a date, or for a date"
LEAK = "the query gives its answer away"
OTHER_FILING = "the query is about the year of the company's earlier filing"
DUPLICATE = "the filing already has this query, or one nearly like it"

_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.?!]{0,40}\b(?:instructions?|prompts?|rules|above"
    r"|previous|everything)\b|\bsystem prompt\b|\byou are (?:now )?an? (?:\w+ )?(?:ai|assistant"
    r"|model|judge|grader|rater)\b|\[\[[^\[\]\n]{1,20}\]\]|</?(?:system|assistant|user)>"
    r"|<\|\w+\|>|\b(?:rate|score|grade) (?:this|it|the (?:pair|answer|exchange))\b[^.?!]{0,30}\d",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|[Tt]he (?:[Pp]art(?:y|ies)|conversation))\b"
    r"|\b(?:[Tt]his|[Tt]hese) (?!(?:fiscal |past )?years?\b)"
    r"|\b(?:[Tt]hat|[Tt]hose|[Tt]he (?:following|previous|preceding|given|provided|same|other))"
    r" (?:documents?|filings?|reports?|texts?|passages?|sections?|tables?"
    r"|contexts?|excerpts?|answers?|exchanges?|questions?|figures?|agreements?|transactions?"
    r"|matters?|events?|increases?|decreases?|changes?)\b"
    r"|\b[Tt]he (?:above|aforementioned|foregoing)\b"
    # nothing says which
    r"|\bthe (?:agreement|contract|transaction|merger|acquisition|lawsuit|offering|plaintiffs?) "
    r"(?!of|with|between|to|for|dated|by|in|on|from)"
    r"|\b(?:mentioned|described|stated|listed|discussed) (?:above|below|earlier|previously)\b"
    r"|(?i:\A\W*(?:and|also|what about|how about|same|again)\b)",
)
_POINTS = re.compile(r"\b(?:its?|their|they|them)\b", re.IGNORECASE)
_NAMES = re.compile(r"[A-Z]")
_IS_IT_SO = re.compile(r"\A\W*(?:is|are|was|were|did|do|does|has|have|had|can|will)\b", re.I)
_YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?!\d|%|[.,]\d)")
_SHORT_YEAR = re.compile(r"\b(?:FY|fiscal(?: year)?) ?['’]?\d\d\b", re.IGNORECASE)

_TIME = rf"(?:(?:{FULL_MONTHS})\b|(?:the )?(?:fiscal |year |quarter )*(?:19|20)\d\d)"
_EVENT = "|".join(
    sorted({*EVENT_VERBS.values(), *words("""
        do hold grant grants deny appoint elect release publish award commence begin start submit
        terminate close redeem amend execute enter agree settle happen occur
    """)}, key=len, reverse=True)
)  # fmt: skip
_FRAME = re.compile(
    rf"\A(?:(?:at|for|according to) [^,?]{{1,60}}, |(?:on|in|during) {_TIME}[^?]{{0,14}}?, )"
    r"|,? (?:according to|as (?:stated|reported|disclosed) in) [^?]*(?=\?|\Z)",
    re.IGNORECASE,
)
_WHAT_EVENT = re.compile(
    rf"\Awhat (?:did|does|has|had) .{{1,90}}? (?:{_EVENT})(?: (?:to|with|for|into|that|by))?"
    rf"(?:\W*\Z| (?:on|in|during|at|since|for) (?:early |late |mid-?)?{_TIME}[^?]{{0,20}}\W*\Z)"
    r"|\Awhat (?:happened|occurred|took place)\b|\Awhat (?:events?|actions?) ",
    re.IGNORECASE,
)
_ASKS_DATE = re.compile(
    r"\A(?:(?:since )?when"
    r"|(?:on|in|during|by|as of|since) (?:what|which) (?:date|day|month|year|quarter)"
    r"|what (?:date|day|month|year|(?:is|was|are|were) the (?:\w+ ){0,3}dates?))\b",
    re.IGNORECASE,
)
# Dates that matter in themselves.
_TERMS = re.compile(r"\b(?:matur|expir|terminat|payable|redeem|redempt|vest|due)\w*\b", re.I)

# Words that say how something is asked, not what.
_FORM = frozenset(
    content_terms(
        "change changed increase increased decrease decreased decline declined rise rose fall fell "
        "grow grew much many amount total value according annual report fiscal year ended compare "
        "reported company"
    )
) | frozenset(content_terms(FULL_MONTHS.replace("|", " ")))
_AMOUNTS = ("money", "percent", "per_share", "bps")
_LEAST_SHARED = 0.7  # Jaccard similarity from which two queries ask the same


def fault_of(query: str, answer: str, subject: Subject) -> str | None:
    """Return the reason for which a query is no test question, or None if it may be one."""
    if _INSTRUCTION.search(query) or _INSTRUCTION.search(answer):
        return INSTRUCTION
    if _LEANS.search(query):
        return NOT_ALONE
    if (points := _POINTS.search(query)) and not _NAMES.search(query[1 : points.start()]):
        return NOT_ALONE  # nobody is named before "its"
    if not _IS_IT_SO.match(query) and _gives_away(query, answer):
        return LEAK
    if subject.company and not names_company(query, subject.company):
        return NO_COMPANY
    years = {int(year) for year in _YEAR.findall(query)}
    if subject.year_end is not None and not (years or _SHORT_YEAR.search(query)):
        return NO_PERIOD
    if years and max(years) <= max(subject.asked_elsewhere, default=0):
        return OTHER_FILING
    asked = _FRAME.sub("", query).strip()
    is_date = _ASKS_DATE.match(asked) and not _TERMS.search(asked)
    if task_of(query) == "qa" and (is_date or _WHAT_EVENT.match(asked)):
        return DATE_TRIVIA
    return None


def _gives_away(query: str, answer: str) -> bool:
    """Check whether the query states every amount of its answer."""
    asked = [figure for figure in find_figures(query) if figure.unit in _AMOUNTS]
    stated = [figure for figure in find_figures(answer) if figure.unit in _AMOUNTS]
    return bool(stated) and all(
        any(same_figure(figure, other) for other in asked) for figure in stated
    )


def topic_of(query: str, subject: Subject) -> frozenset[str]:
    """Return the terms of what a query asks for, without company, time and form of the question.

    So the same measure of two years, or its value and its change, have one topic.
    """
    query = _FRAME.sub("", query)
    known = _FORM.union(content_terms(subject.company))
    topic = frozenset(content_terms(query))
    reason = {"why"} if re.search(r"\bwhy\b", query, re.IGNORECASE) else set()
    return (topic - known or topic) | reason


def is_near_duplicate(topic: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Check whether a topic is nearly one of the others."""
    return any(
        ("why" in topic) is ("why" in other)  # a reason is another matter
        and len(topic & other) >= _LEAST_SHARED * len(topic | other)
        for other in others
    )
