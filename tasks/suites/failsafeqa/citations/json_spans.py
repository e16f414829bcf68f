"""Citations as JSON, for generators that were not trained on LongCite's format.

Sentences and table rows are numbered as this project splits them (`tasks.text.sentences`), so a
row can be cited without the rest of its table. A reply may have a code fence or text around it. An
unreadable one is a ParseError. A run that points nowhere is skipped later, as in LongCite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, listed, text
from tasks.suites.failsafeqa.citations.statements import Runs, tag_sentences
from tasks.text.json_replies import objects
from tasks.text.sentences import Span, split_sentences


@dataclass(frozen=True, slots=True)
class SpanInputs:
    """The prompt's inputs; the answer is shown because it is what needs support."""

    context: str  # of `tagged`
    query: str
    answer: str


def tagged(context: str) -> tuple[str, list[Span]]:
    """Tag a context's sentences and table rows, and find them."""
    sentences = list(split_sentences(context))
    return tag_sentences(context, sentences, "S"), sentences


def read_reply(reply: str) -> tuple[Runs, ...]:
    """Read the runs of sentences that each statement of a reply cites.

    Raises:
        ParseError: there is no JSON object with statements, or a statement has another form.
    """
    return tuple(_read_statement(statement) for statement in _find_statements(reply))


def _find_statements(reply: str) -> list[Any]:
    """Find the statements of a reply: in one object, in a list, or one object a line."""
    read = objects(reply)
    lists = [item["statements"] for item in read if isinstance(item.get("statements"), list)]
    statements = lists[-1] if lists else [item for item in read if "statement" in item]
    if any(one != statements for one in lists):
        raise ParseError("the reply has different lists of statements")
    if not statements:
        raise ParseError("the reply has no JSON object with statements")
    return statements


def _read_statement(entry: Any) -> Runs:
    if not isinstance(entry, dict) or not isinstance(entry.get("statement"), str):
        raise ParseError("a statement of the reply has no text")
    citation = entry.get("citation") or []
    if not isinstance(citation, list):
        raise ParseError("a citation of the reply is not a list")
    return tuple(map(_read_run, citation))


def _read_run(run: Any) -> tuple[int, int]:
    """Read a run: [first, last], or [number]."""
    is_run = isinstance(run, list) and 1 <= len(run) <= 2
    if not is_run or any(type(number) is not int or number < 0 for number in run):
        raise ParseError("a citation of the reply is not a pair of sentence numbers")
    return run[0], run[-1]


_RUN = listed({"type": "integer"}, least=2, most=2)
_STATEMENT = closed(statement=text(1000), citation=listed(_RUN, most=3))

OPERATION = Operation(
    name="cite_json",
    template="failsafeqa/json_spans",
    inputs=SpanInputs,
    parse=read_reply,
    sampling=Sampling(temperature=0.0, max_tokens=2048),  # it repeats the answer, which may be long
    may_be_cut=True,  # every statement before the cut still counts
    schema=closed(statements=listed(_STATEMENT, most=40)),
)
