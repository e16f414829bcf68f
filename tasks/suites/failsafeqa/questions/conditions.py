"""Cheap necessary conditions of a pair, checked before a model is asked to rate it.

Whether a query stands alone, gives its answer away or is worth asking is the rater's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.quantities.figures import FULL_MONTHS
from tasks.text.query_task import task_of
from tasks.text.terms import content_terms

INSTRUCTION = "the exchange gives instructions to a model"
OTHER_TASK = "the query is a question where a text was wanted, or the reverse"
DUPLICATE = "the filing already has this query, or one nearly like it"

_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.?!]{0,40}\b(?:instructions?|prompts?|rules)\b"
    r"|\[\[[^\[\]\n]{1,20}\]\]|</?(?:system|assistant|user)>|<\|\w+\|>",
    re.IGNORECASE,
)
# Words that say how something is asked, not what.
_FORM = frozenset(
    content_terms(
        "change changed increase increased decrease decreased decline declined rise rose fall fell "
        "grow grew much many amount total value according annual report fiscal year ended compare "
        f"reported company {FULL_MONTHS.replace('|', ' ')}"
    )
)
_LEAST_SHARED = 0.7  # Jaccard similarity from which two queries ask the same


def fault_of(query: str, answer: str, task: str) -> str | None:
    """Return the reason for which a query is no test question, or None if it may be one."""
    if _INSTRUCTION.search(query) or _INSTRUCTION.search(answer):
        return INSTRUCTION
    return None if task_of(query) == task else OTHER_TASK


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
