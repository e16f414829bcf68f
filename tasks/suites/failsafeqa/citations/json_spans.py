"""Citations as JSON, for generators that were not trained on LongCite's format.

Sentences and table rows are numbered as this project splits them (`tasks.text.sentences`), so a
row can be cited without the rest of its table. Replies are read as models write them: in code
fences, with text around, with single numbers for runs. An unreadable reply is a ParseError. A run
that points nowhere is skipped later, as in LongCite.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, listed, text
from tasks.suites.failsafeqa.citations.statements import Runs, tag_sentences
from tasks.text.json_replies import objects
from tasks.text.sentences import Span, split_sentences

_RUN_TEXT = re.compile(
    r"\s*\[?\s*<?[CS]?([0-9]{1,9})>?\s*(?:(?:-|–|to|,)\s*<?[CS]?([0-9]{1,9})>?\s*)?\]?\s*"
)
_TWO = re.compile(r"\['\s*[CS]?[0-9]+\s*,\s*[CS]?[0-9]+\s*'\]")
_RUNS_TEXT = re.compile(r"[-–].*,|,.*[-–]")


@dataclass(frozen=True, slots=True)
class Inputs:
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
    lists = [each["statements"] for each in read if isinstance(each.get("statements"), list)]
    statements = lists[-1] if lists else [each for each in read if "statement" in each]
    if any(one != statements for one in lists):
        raise ParseError("the reply has different lists of statements")
    if not statements:
        raise ParseError("the reply has no JSON object with statements")
    return statements


def _read_statement(entry: Any) -> Runs:
    named = (
        {key.casefold(): value for key, value in entry.items()} if isinstance(entry, dict) else {}
    )
    if not isinstance(named.get("statement"), str):
        raise ParseError("a statement of the reply has no text")
    citation = named.get("citation", named.get("citations"))
    if citation is None:
        citation = []
    if not isinstance(citation, list):
        citation = [citation]
    if (len(citation) == 2 and all(map(_is_number, citation))) or _TWO.fullmatch(str(citation[:1])):
        raise ParseError("two numbers may be two sentences or the ends of a run")
    citation = [
        part
        for run in citation
        # "5-6, 9" are two runs, but "[5, 6]" is one
        for part in (run.split(",") if isinstance(run, str) and _RUNS_TEXT.search(run) else [run])
    ]
    return tuple(_read_run(run) for run in citation)


def _read_run(run: Any) -> tuple[int, int]:
    """Read a run: [first, last], [number], a number, or their text."""
    if isinstance(run, str) and (text := _RUN_TEXT.fullmatch(run)):
        first, last = text.groups()
        return int(first), int(last or first)
    numbers = run if isinstance(run, list) else [run]
    if not 1 <= len(numbers) <= 2 or not all(_is_number(number) for number in numbers):
        raise ParseError("a citation of the reply is not a pair of sentence numbers")
    return numbers[0], numbers[-1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_RUN = listed({"type": "integer"}, least=2, most=2)
_STATEMENT = closed(statement=text(1000), citation=listed(_RUN, most=3))

OPERATION = Operation(
    name="cite_json",
    template="failsafeqa/json_spans",
    inputs=Inputs,
    parse=read_reply,
    sampling=Sampling(temperature=0.0, max_tokens=2048),  # it repeats the answer, which may be long
    may_be_cut=True,  # every statement before the cut still counts
    schema=closed(statements=listed(_STATEMENT, most=40)),
)
