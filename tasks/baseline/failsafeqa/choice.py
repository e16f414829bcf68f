"""The rule that chooses the best query of a conversation."""

from __future__ import annotations

import re

from tasks.core.ids import stable_rng
from tasks.suites.failsafeqa.questions.choice import WANTED, Inputs
from tasks.suites.shared.phrases import YEAR
from tasks.text.query_task import task_of
from tasks.text.terms import content_terms, names_in

_QUERY = re.compile(r"^\[(\d+)\] USER: (.*)$", re.MULTILINE)
_ENOUGH_TERMS = 3  # more do not make a query clearer
_ENOUGH = 4  # such as two terms and a year; among those that are so specific, chance decides


def reply(inputs: Inputs) -> str:
    """Choose a specific request of the kind that is wanted."""
    queries = [(int(number), query) for number, query in _QUERY.findall(inputs.conversation)]
    rng = stable_rng(0, "choice", inputs.conversation)
    wanted = "tg" if inputs.wanted == WANTED["tg"] else "qa"
    fitting = [query for query in queries if task_of(query[1]) == wanted] or queries
    enough = min(_ENOUGH, max(_specificity(query) for _, query in fitting))
    number = rng.choice([number for number, query in fitting if _specificity(query) >= enough])
    return f"Best on its own.\nNumber: {number}"


def _specificity(query: str) -> int:
    return (
        min(len(set(content_terms(query))), _ENOUGH_TERMS)
        + 2 * bool(YEAR.search(query))
        + bool(names_in(query))
    )
