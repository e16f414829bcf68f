"""The operations that write a pair: a conversation, its best query, that query alone, a rating.

Paper 000, "Query Generation" (`generate`, `filter`, `rewrite`) and "Question-Answer Pair
Filtering".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Literal

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.replies import read_rating, read_text
from tasks.inference.schemas import REASON, closed, listed, one_of, text
from tasks.text.json_replies import objects

MOST_EXCHANGES = 6  # of a conversation; its prompt asks for as many

# --- a conversation about a context ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a conversation."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class DialogueInputs:
    """The prompt's inputs: what a conversation is about, and one request that it must have."""

    examples: str
    context: str
    number: str
    focus: str  # the passage to begin with
    wanted: str


def few_shot_examples() -> str:
    """Read the prompt's examples: JSON lines on an invented company."""
    file = files("tasks.suites.failsafeqa").joinpath("prompts", "examples.jsonl")
    return file.read_text(encoding="utf-8").strip()


def numbered(turns: Sequence[Turn]) -> str:
    """Write a conversation for the next operations: exchanges numbered from 1."""
    return "\n\n".join(
        f"[{number}] USER: {turn.user}\n[{number}] ASSISTANT: {turn.assistant}"
        for number, turn in enumerate(turns, start=1)
    )


def parse_dialogue(reply: str) -> tuple[Turn, ...]:
    """Read the exchanges of a reply, which may be cut off: those that are whole count.

    Raises:
        ParseError: there is no exchange.
    """
    spoken = [(entry.get("user"), entry.get("assistant")) for entry in objects(reply)]
    turns = [
        Turn(user.strip(), assistant.strip())
        for user, assistant in spoken
        if isinstance(user, str) and isinstance(assistant, str)
    ]
    if not (whole := [turn for turn in turns if turn.user and turn.assistant]):
        raise ParseError("the reply holds no exchange")
    return tuple(dict.fromkeys(whole))


DIALOGUE: Operation[DialogueInputs, tuple[Turn, ...]] = Operation(
    name="write_dialogue",
    template="failsafeqa/dialogue",
    inputs=DialogueInputs,
    parse=parse_dialogue,
    sampling=Sampling(temperature=0.7, max_tokens=4096),
    may_be_cut=True,  # every exchange before the cut still counts
    schema=closed(
        exchanges=listed(closed(USER=text(400), ASSISTANT=text(2500)), most=MOST_EXCHANGES, least=1)
    ),
)

# --- its best standalone query -----------------------------------------------------------

# What a pair may ask for, by its task, and what prompts call it.
WANTED: Mapping[Literal["qa", "tg"], Mapping[str, str]] = {
    "qa": {
        "fact": "a question for one fact or figure",
        "change": "a question for a change, a comparison of years, or a reason",
        "across": "one question, not several in one, whose answer puts together facts from "
        "different paragraphs, tables or segments",
    },
    "tg": {
        "summary": "a request for a summary of a matter",
        "post": "a request for a post, such as for LinkedIn",
        "note": "a request for a short note",
        "email": "a request for an e-mail",
        "table": "a request for an HTML table",
        "long": "a request for a long text of 150 words or more, such as an article",
    },
}


@dataclass(frozen=True, slots=True)
class ChoiceInputs:
    """The prompt's inputs: the conversation's exchanges, numbered from 1, and what is wanted."""

    conversation: str
    wanted: str


def choice_schema(n_exchanges: int) -> dict[str, Any]:
    """Return the schema of a reply that chooses one of these exchanges."""
    return closed(reason=REASON, number=one_of(*range(1, n_exchanges + 1)))


CHOICE: Operation[ChoiceInputs, int] = Operation(
    name="choose_query",
    template="failsafeqa/choice",
    inputs=ChoiceInputs,
    parse=partial(read_rating, lowest=1, highest=MOST_EXCHANGES, key="number"),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=choice_schema(MOST_EXCHANGES),
)

# --- that query as one clear, standalone question ----------------------------------------

QUERY = closed(query=text(600))  # of several parts, if facts are put together
NOT_KNOWN = "not known"  # of a company
# What a query has to name, by the option `named`.
NAMING = {
    False: "It need not name the company, nor a period if the report leaves no doubt about it.",
    True: "It names the company and the period, for readers who do not have the report at hand.",
}
_ANSWERS = re.compile(r"(?:the\s+)?answer\b\s*(?::|is\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RewritingInputs:
    """The prompt's inputs: whose report it is, the conversation, its request to rewrite."""

    company: str
    naming: str
    conversation: str
    query: str


def parse_query(reply: str) -> str:
    """Read one rewritten query; see `read_text`.

    Raises:
        ParseError: the reply gives none, or answers the query.
    """
    query = read_text(reply, "query")
    if _ANSWERS.match(query):
        raise ParseError("the reply answers the query")
    return query


REWRITE: Operation[RewritingInputs, str] = Operation(
    name="rewrite_query",
    template="failsafeqa/rewriting",
    inputs=RewritingInputs,
    parse=parse_query,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=QUERY,
)

# --- the pair's rating on five criteria, 1 to 5 ------------------------------------------

# The paper calls a pair high quality if it rates 4 or 5 on all criteria.
LOWEST_ACCEPTED = 4
_CRITERIA = ("relevance", "clarity", "complexity", "accuracy", "completeness")


@dataclass(frozen=True, slots=True)
class RatingInputs:
    """The prompt's inputs: the company and its document, then one pair."""

    company: str
    naming: str
    context: str
    query: str
    answer: str


def parse_rating(reply: str) -> int:
    """Read the pair's rating: the verdict, or a criterion's lower score; see `read_rating`."""
    names = {name for item in objects(reply) for name in _CRITERIA if name in item}
    return min([read_rating(reply, 1, 5), *(read_rating(reply, 1, 5, name) for name in names)])


RATE: Operation[RatingInputs, int] = Operation(
    name="rate_pair",
    template="failsafeqa/rating",
    inputs=RatingInputs,
    parse=parse_rating,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(reason=REASON, **dict.fromkeys((*_CRITERIA, "rating"), one_of(1, 2, 3, 4, 5))),
)
