"""The operation by which a panel of models says whether tables give a figure (paper 004, answerability annotation)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.faith.derivations.forms import form_of_figure
from tasks.suites.faith.derivations.passage import Passage
from tasks.suites.faith.derivations.search import restore, sheets_of
from tasks.suites.faith.masking import MASK
from tasks.text.json_replies import json_values

ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"

_MARKED = re.compile(r"<SPAN>(.*?)</SPAN>")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the prompt shows: the context's tables, and the passage with the figure between marks."""

    tables: str
    passage: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model of the panel says of one figure."""

    is_answerable: bool
    reasoning: str | None


def parse(reply: str) -> Opinion:
    """The verdict of the reply's last JSON object that has one.

    Raises:
        ParseError: there is none, or it is neither answerable nor unanswerable.
    """
    found = [value for value in json_values(reply) if isinstance(value, dict) and "verdict" in value]
    if not found:
        raise ParseError("the reply has no JSON object with a verdict")
    verdict = found[-1]["verdict"]
    if not isinstance(verdict, str) or verdict.strip().lower() not in (ANSWERABLE, UNANSWERABLE):
        raise ParseError("the verdict is neither answerable nor unanswerable")
    reasoning = found[-1].get("reasoning")
    return Opinion(
        verdict.strip().lower() == ANSWERABLE,
        reasoning.strip() if isinstance(reasoning, str) and reasoning.strip() else None,
    )


def rule(inputs: Inputs) -> str:
    """Answerable where the best derivation from the passage with its figure hidden gives that figure.

    It does not vouch for what it cannot find, and it looks for it without the figure.
    """
    marked = _MARKED.search(inputs.passage)
    shown = None if marked is None else _figure(inputs.passage, marked)
    if marked is None or shown is None:
        return _reply("no figure stands between the marks", UNANSWERABLE)
    hidden = inputs.passage[: marked.start()] + MASK + inputs.passage[marked.end() :]
    guess = restore(Passage.read(hidden), sheets_of(inputs.tables), form_of_figure(shown))
    if guess is None:
        return _reply("no cells are named by the passage", UNANSWERABLE)
    agrees = any(same_figure(shown, figure) for figure in find_figures(guess.answer))
    reasoning = f"{guess.operation} of {'; '.join(guess.references)} gives {guess.answer}"
    return _reply(reasoning, ANSWERABLE if agrees else UNANSWERABLE)


def _figure(passage: str, marked: re.Match[str]) -> Figure | None:
    """The marked figure as it reads among the words around it."""
    plain = passage[: marked.start()] + marked[1] + passage[marked.end() :]
    start, end = marked.start(), marked.start() + len(marked[1])
    return next(
        (each for each in find_figures(plain) if each.start_char < end and each.end_char > start), None
    )


def _reply(reasoning: str, verdict: str) -> str:
    return json.dumps({"reasoning": reasoning, "verdict": verdict}, ensure_ascii=False)


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "verdict": {"type": "string", "enum": [ANSWERABLE, UNANSWERABLE]},
    },
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}

OPERATION: Operation[Inputs, Opinion] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=Inputs,
    parse=parse,
    rule=rule,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=_SCHEMA,
)
