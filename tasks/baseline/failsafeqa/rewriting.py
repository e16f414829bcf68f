"""The rule that makes a query one clear, standalone question."""

from __future__ import annotations

import re

from tasks.suites.failsafeqa.perturbations.rewriting import tagged
from tasks.suites.failsafeqa.questions.rewriting import NOT_KNOWN, Inputs
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
# A question on a measure that begins in lower case or with an acronym: the company's name can stand
# before it.
_MEASURE_ASKED = re.compile(
    r"(?P<asked>what (?:was|were|is|are)|(?:how|why|by how much) did) (?:the )?"
    r"(?P<measure>(?!(?:an?|the) )(?:[a-z]|[A-Z]{2,}\b(?!['’.])).*)"
)
_VERB_OF_ANSWER = re.compile(r"\s(was|were|is|are)\s")


def reply(inputs: Inputs) -> str:
    """Rewrite a query as a question or request that names the company.

    Courtesies are dropped, a noun phrase becomes a question, `we` becomes the company.
    """
    query = _COURTESY_AFTER.sub("", _COURTESY_BEFORE.sub("", inputs.query.strip())).strip(" ?.!")
    is_text = task_of(query) == "tg"
    if not is_text and not _QUESTION.match(query):
        query = f"what {_verb(inputs)} {query}"
    company = "" if inputs.company == NOT_KNOWN else " ".join(inputs.company.split())
    query = _with_company(query, company)
    return tagged(capitalised(query) + ("." if is_text else "?"))


def _verb(inputs: Inputs) -> str:
    """Find the answer's verb, so that `total assets` becomes `What were total assets?`."""
    for turn in _TURN.finditer(inputs.conversation):
        if turn["user"] == inputs.query:
            verb = _VERB_OF_ANSWER.search(turn["assistant"])
            return verb.group(1) if verb else "was"
    return "was"


def _with_company(query: str, company: str) -> str:
    """Put the company's name where the query means it, else before its measure or the query."""
    query = re.sub(r"\b(do|have|are|were) we\b", lambda verb: f"{_SINGULAR[verb[1]]} we", query)
    name = company or "the company"
    owner = f"{name}'" if name.endswith("s") else f"{name}'s"
    query = re.sub(r"\b(?:our|[Tt]he [Cc]ompany['’]s)\b", lambda _: owner, query)
    query = re.sub(r"\b(?:we|us|[Tt]he [Cc]ompany)\b", lambda _: name, query)
    if not company or company in query:
        return query
    if measure := _MEASURE_ASKED.match(query):
        return f"{measure['asked']} {owner} {measure['measure']}"
    return f"at {company}, {query}"
