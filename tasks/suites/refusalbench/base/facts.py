"""Questions of filings, if neither another suite nor a file gives any: figures of passages.

The free engine asks for figures of tables. They are a demonstration: by rules, unchecked.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import ParseError
from tasks.inference.schemas import closed, listed, text
from tasks.suites.suite import Role
from tasks.text.json_replies import objects

WRITER = Role(
    name="base_writer",
    help="Model that asks questions of filings, without --base and --base-file.",
)
MOST_FACTS = 4  # of a passage


@dataclass(frozen=True, slots=True)
class FactInputs:
    """The prompt's input: one passage."""

    passage: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A question for one figure, and the figure."""

    query: str
    answer: str


def parse_facts(reply: str) -> tuple[Fact, ...]:
    """Read the questions of a reply; () if it finds none.

    Raises:
        ParseError: there is no list of questions.
    """
    lists = [each["questions"] for each in objects(reply) if "questions" in each]
    if len(lists) != 1 or not isinstance(lists[0], list):
        raise ParseError("the reply has not exactly one list of questions")
    facts = [each for each in lists[0] if isinstance(each, dict)]
    texts = [str(each.get(key) or "").strip() for each in facts for key in ("query", "answer")]
    if len(facts) < len(lists[0]) or not all(texts):
        raise ParseError("a question lacks a query or an answer")
    return tuple(map(Fact, texts[::2], texts[1::2]))


WRITE_FACTS: Operation[FactInputs, tuple[Fact, ...]] = Operation(
    name="base_questions",
    template="refusalbench/base_questions",
    inputs=FactInputs,
    parse=parse_facts,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(questions=listed(closed(query=text(300), answer=text(60)), most=MOST_FACTS)),
)
