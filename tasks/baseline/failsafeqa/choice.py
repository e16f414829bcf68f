"""The rule that chooses the best query of a conversation."""

from __future__ import annotations

import re

from tasks.core.ids import stable_rng
from tasks.suites.failsafeqa.questions.choice import Inputs
from tasks.suites.shared.phrases import YEAR
from tasks.text.query_task import task_of
from tasks.text.terms import content_terms, names_in

_QUERY = re.compile(r"^\[(\d+)\] USER: (.*)$", re.MULTILINE)
# The share of conversations in which a request for a text is preferred. It is below the
# paper's 17 % because duplicates are mostly questions and are dropped later.
_WRITING_SHARE = 0.12
_ENOUGH_TERMS = 3  # more do not make a query clearer


def reply(inputs: Inputs) -> str:
    """Choose the most specific request.

    In `_WRITING_SHARE` of conversations it prefers requests for a text, otherwise questions.
    """
    queries = [(int(number), query) for number, query in _QUERY.findall(inputs.conversation)]
    rng = stable_rng(0, "choice", inputs.conversation)
    wants_text = rng.random() < _WRITING_SHARE
    wanted = "tg" if wants_text else "qa"
    fitting = [query for query in queries if task_of(query[1]) == wanted] or queries
    best = max(_specificity(query) for _, query in fitting)
    number = rng.choice([number for number, query in fitting if _specificity(query) == best])
    return f"Best on its own: [[{number}]]"


def _specificity(query: str) -> int:
    return (
        min(len(set(content_terms(query))), _ENOUGH_TERMS)
        + 2 * bool(YEAR.search(query))
        + bool(names_in(query))
    )
