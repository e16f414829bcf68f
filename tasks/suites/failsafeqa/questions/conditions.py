"""Cheap necessary conditions of a pair, checked before a model is asked to rate it.

What they cannot see, such as a wrong scale or another owner of a figure, is the rater's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.quantities.figures import FULL_MONTHS, find_figures, same_figure
from tasks.text.query_task import task_of
from tasks.text.terms import content_terms

INSTRUCTION = "the exchange gives instructions to a model"
NOT_ALONE = "the query leans on the conversation"
LEAK = "the query gives its answer away"
OTHER_TASK = "the query is a question where a text was wanted, or the reverse"
DUPLICATE = "the filing already has this query, or one nearly like it"

_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.?!]{0,40}\b(?:instructions?|prompts?|rules)\b"
    r"|\[\[[^\[\]\n]{1,20}\]\]|</?(?:system|assistant|user)>|<\|\w+\|>",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\A\W*(?:and|also|what about|how about|same|again)\b"
    r"|\bthe (?:above|previous|preceding|conversation)\b"
    r"|\b(?:mentioned|described|discussed) (?:above|earlier|before)\b",
    re.IGNORECASE,
)
_IS_IT_SO = re.compile(r"\A\W*(?:is|are|was|were|did|do|does|has|have|had|can|will)\b", re.I)
# Words that say how something is asked, not what.
_FORM = frozenset(
    content_terms(
        "change changed increase increased decrease decreased decline declined rise rose fall fell "
        "grow grew much many amount total value according annual report fiscal year ended compare "
        f"reported company {FULL_MONTHS.replace('|', ' ')}"
    )
)
_AMOUNTS = ("money", "percent", "per_share", "bps")
_LEAST_SHARED = 0.7  # Jaccard similarity from which two queries ask the same


def fault_of(query: str, answer: str, task: str) -> str | None:
    """Return the reason for which a query is no test question, or None if it may be one."""
    if _INSTRUCTION.search(query) or _INSTRUCTION.search(answer):
        return INSTRUCTION
    if _LEANS.search(query):
        return NOT_ALONE
    if not _IS_IT_SO.match(query) and _gives_away(query, answer):
        return LEAK
    return None if task_of(query) == task else OTHER_TASK


def _gives_away(query: str, answer: str) -> bool:
    """Check whether the query states every amount of its answer."""
    in_query, in_answer = (
        [figure for figure in find_figures(text) if figure.unit in _AMOUNTS]
        for text in (query, answer)
    )
    return bool(in_answer) and all(
        any(same_figure(figure, other) for other in in_query) for figure in in_answer
    )


def topic_of(query: str, company: str) -> frozenset[str]:
    """Return the terms of what a query asks for, without company, time and form of the question.

    So the same measure of two years, or its value and its change, have one topic.
    """
    topic = frozenset(content_terms(query))
    reason = {"why"} if re.search(r"\bwhy\b", query, re.IGNORECASE) else set()
    return (topic - _FORM.union(content_terms(company)) or topic) | reason


def is_near_duplicate(topic: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Check whether a topic is nearly one of the others."""
    return any(
        ("why" in topic) is ("why" in other)  # a reason is another matter
        and len(topic & other) >= _LEAST_SHARED * len(topic | other)
        for other in others
    )
