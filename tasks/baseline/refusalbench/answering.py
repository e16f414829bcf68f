"""A reader by rule: the figure of the sentence or row that shares most words with the question.

It refuses if none shares enough of them. It stands for no model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tasks.baseline.stated_cells import YEAR
from tasks.quantities.text_tables import stated_value
from tasks.suites.refusalbench.strata import CODE_OF
from tasks.suites.shared.contexts import ContextInputs
from tasks.text.retrieval import Index, Passage
from tasks.text.terms import content_terms

_ENOUGH = 0.6  # of the question's words
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    share: float  # of the question's words that the passage has


def answer(inputs: ContextInputs) -> str:
    """Answer a question, or refuse with a code."""
    return _read(inputs, least=_ENOUGH).text


def answer_of_panel(inputs: ContextInputs) -> str:
    """Answer an unperturbed question as a model of the panel would write it."""
    return json.dumps({"answer": answer(inputs)})


def answer_boldly(inputs: ContextInputs) -> str:
    """Answer a question whenever a sentence has a figure."""
    return _read(inputs, least=0.0).text


def answer_with_confidence(inputs: ContextInputs) -> str:
    """Answer a question or refuse, with a level of confidence by the share of shared words."""
    reply = _read(inputs, least=_ENOUGH)
    level = "CONFIDENT" if reply.share >= _ENOUGH else "UNCERTAIN"
    return f"ANSWER: {reply.text}\nCONFIDENCE: {'VERY_' * (reply.share >= _SURE)}{level}"


def _read(inputs: ContextInputs, *, least: float) -> _Reply:
    terms = {*content_terms(inputs.query)}
    best = _Reply(CODE_OF["missing_info"], 1 - least)
    most = -1.0
    for passage in Index(inputs.context).passages:
        words = passage.terms.keys() | passage.surroundings
        share = len(terms & words) / max(1, len(terms))
        if share > most and share >= least and (figure := _figure(passage, inputs.query)):
            best, most = _Reply(figure, share), share
    return best


def _figure(passage: Passage, query: str) -> str:
    """Return the figure of a row in the column of the query's year, or a sentence's first one."""
    if passage.row is None or passage.table is None:
        return next((figure.text for figure in passage.figures if figure.unit != "year"), "")
    columns = [
        column
        for column, head in enumerate(passage.row.heads)
        if not {*YEAR.findall(query)}.isdisjoint(YEAR.findall(head))
    ]
    return stated_value(passage.table, passage.row, columns[0] if columns else 0) or ""
