"""The rule that makes a query one clear, standalone question."""

from __future__ import annotations

import re

from tasks.suites.failsafeqa.questions.rewriting import Inputs
from tasks.suites.shared.phrases import capitalised
from tasks.text.query_task import task_of

_TURN = re.compile(
    r"^\[(\d+)\] USER: (?P<user>.*?)\n\[\1\] ASSISTANT: (?P<assistant>.*?)"
    r"(?=\n\n\[\d+\] USER: |\Z)",
    re.MULTILINE | re.DOTALL,
)
_COURTESY_BEFORE = re.compile(
    r"\A(?:(?:hi|hey|hello|ok|okay|so|please|pls|quick one|can you|could you|would you|tell me"
    r"|show me|give me|find|get me|i need|i want|need|i(?:'d| would) like(?: to know)?|do you know"
    r"|what about)\b[\s,:-]*)+",
    re.IGNORECASE,
)
_COURTESY_AFTER = re.compile(
    r"[\s,]*\b(?:please|pls|thanks|thank you|thx|asap)\b[\s.!?]*\Z", re.IGNORECASE
)
_QUESTION = re.compile(
    r"(?:what|who|whom|whose|why|how|when|where|which|by how|for how|in (?:what|which)|is|are|was"
    r"|were|do|does|did|has|have|can|will)\b",
    re.IGNORECASE,
)
_SINGULAR = {"do": "does", "have": "has", "are": "is", "were": "was"}
_VERB_OF_ANSWER = re.compile(r"\s(was|were|is|are)\s")


def reply(inputs: Inputs) -> str:
    """Rewrite a query as a question or request about the company.

    Courtesies are dropped, a noun phrase becomes a question, `we` becomes the company.
    """
    query = _COURTESY_AFTER.sub("", _COURTESY_BEFORE.sub("", inputs.query.strip())).strip(" ?.!")
    if task_of(query) == "tg":
        return capitalised(_as_the_company(query)) + "."
    if not _QUESTION.match(query):
        query = f"what {_verb(inputs)} {query}"
    return capitalised(_as_the_company(query)) + "?"


def _verb(inputs: Inputs) -> str:
    """Find the answer's verb, so that `total assets` becomes `What were total assets?`."""
    for turn in _TURN.finditer(inputs.conversation):
        if turn["user"] == inputs.query:
            verb = _VERB_OF_ANSWER.search(turn["assistant"])
            return verb.group(1) if verb else "was"
    return "was"


def _as_the_company(query: str) -> str:
    query = re.sub(r"\b(do|have|are|were) we\b", lambda verb: f"{_SINGULAR[verb[1]]} we", query)
    query = re.sub(r"\bour\b", "the company's", query)
    return re.sub(r"\b(?:we|us)\b", "the company", query)
