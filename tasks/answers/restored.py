"""The operation with which a model restores a masked figure from the tables around it (paper 004).

The prompt says whether the figure is a percentage, as the paper's does; nothing else of the truth reaches it. The
weightless reader answers by the search that proves figures (`tasks.derivations`), but without the figure: it sees
the inputs and nothing besides.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tasks.derivations.passage import Passage
from tasks.derivations.search import restore
from tasks.operations import Operation, ParseError
from tasks.schemas import Sampling
from tasks.text.figures import find_figures
from tasks.text.sheets import Sheet, read_sheets

PERCENTAGE = "a percentage"
BASIS_POINTS = "a number of basis points"
NEITHER = "neither a percentage nor a number of basis points"

NOT_FOUND = "not found in the tables"

_LETTERS = {"direct lookup": "A", "comparative": "B", "bivariate": "C", "multivariate": "D"}
_OPENING = re.compile(r"\{\s*\"")  # of an object that is not empty


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the prompt shows.

    tables   as `tasks.text.sheets` writes them
    form     what kind of figure is masked: `form_of` its truth
    passage  the masked sentence between its neighbours, a line each
    """

    tables: str
    form: str
    passage: str


@dataclass(frozen=True, slots=True)
class Restored:
    """A model's reply: the figure, the kind of reasoning that it says it took, and what it used."""

    answer: str
    scenario: str | None
    metrics: tuple[str, ...]
    reference: tuple[str, ...]


def form_of(truth: str) -> str:
    """What the prompt says of a masked figure: a percentage, basis points, or neither."""
    figures = find_figures(truth)
    unit = figures[0].unit if figures else None
    return {"percent": PERCENTAGE, "bps": BASIS_POINTS}.get(unit or "", NEITHER)


def parse(reply: str) -> Restored:
    """The first JSON object of a reply that has an answer, whatever stands around it.

    Raises:
        ParseError: there is none, or its answer is empty or no text.
    """
    results = _results(reply)
    answer = results["answer"]
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise ParseError("the answer is neither a text nor a number")
    if not str(answer).strip():
        raise ParseError("the answer is empty")
    scenario = results.get("scenario")
    return Restored(
        answer=str(answer).strip(),
        scenario=str(scenario).strip() if isinstance(scenario, str) and scenario.strip() else None,
        metrics=_texts(results.get("necessary_metrics")),
        reference=_texts(results.get("reference")),
    )


def rule(inputs: Inputs) -> str:
    """What the weightless reader makes of the tables, as a model would write it."""
    guess = restore(Passage.read(inputs.passage), _sheets(inputs.tables), inputs.form)
    if guess is None:
        return _written(NOT_FOUND, "", [], [])
    return _written(guess.answer, _LETTERS[guess.scenario], list(guess.metrics), list(guess.references))


@lru_cache(maxsize=4)
def _sheets(tables: str) -> tuple[Sheet, ...]:
    return tuple(read_sheets(tables))


def _written(answer: str, scenario: str, metrics: list[str], reference: list[str]) -> str:
    results = {
        "answer": answer,
        "scenario": scenario,
        "necessary_metrics": metrics,
        "reference": reference,
    }
    return json.dumps({"results": results}, ensure_ascii=False)


def _results(reply: str) -> dict[str, Any]:
    """The object with the answer: inside `results`, or by itself."""
    decoder = json.JSONDecoder()
    position = 0
    while found := _OPENING.search(reply, position):
        try:
            value, position = decoder.raw_decode(reply, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            continue
        inner = value.get("results", value)
        if isinstance(inner, dict) and "answer" in inner:
            return inner
    raise ParseError("the reply has no JSON object with an answer")


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if isinstance(value, list):
        return tuple(
            entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False) for entry in value
        )
    return ()


_SCHEMA = {
    "type": "object",
    "properties": {
        "results": {
            "type": "object",
            "properties": {
                "answer": {"type": "string"},
                "scenario": {"type": "string", "enum": ["A", "B", "C", "D"]},
                "necessary_metrics": {"type": "array", "items": {"type": "string"}},
                "reference": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["answer", "scenario", "necessary_metrics", "reference"],
            "additionalProperties": False,
        }
    },
    "required": ["results"],
    "additionalProperties": False,
}

OPERATION: Operation[Inputs, Restored] = Operation(
    name="answer",
    template="answers/restored",
    inputs=Inputs,
    parse=parse,
    rule=rule,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=_SCHEMA,
)
