"""The free engine as a reader, a judge and a verifier. It stands for no model.

As a reader it gives the figure of the sentence or row that shares most words with the question, and
refuses if none shares enough. As a judge it reads the code that a reply names, or whether it has
the reference's numbers or words. As a verifier it passes everything.
"""

from __future__ import annotations

import json

from tasks.baseline.facts import UNCHECKED, YEAR
from tasks.quantities.text_tables import stated_value
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.judge.model import MultiInputs, SingleInputs
from tasks.suites.refusalbench.judge.replies import ATTEMPT, first_code
from tasks.suites.refusalbench.strata import CODE_OF
from tasks.suites.refusalbench.verification import QUESTIONS, CheckInputs
from tasks.suites.shared.contexts import ContextInputs
from tasks.text.retrieval import Index, Passage
from tasks.text.terms import content_terms

_ENOUGH = 0.6  # of the question's words
_SURE = 0.9


def answer(inputs: ContextInputs) -> str:
    """Answer a question, or refuse with a code."""
    return _read(inputs, least=_ENOUGH)[0]


def answer_of_panel(inputs: ContextInputs) -> str:
    """Answer an unperturbed question as a model of the panel would write it."""
    return json.dumps({"answer": answer(inputs)})


def answer_boldly(inputs: ContextInputs) -> str:
    """Answer a question whenever a sentence has a figure."""
    return _read(inputs, least=0.0)[0]


def answer_with_confidence(inputs: ContextInputs) -> str:
    """Answer a question or refuse, with a level of confidence by the share of shared words."""
    text, share = _read(inputs, least=_ENOUGH)
    level = "CONFIDENT" if share >= _ENOUGH else "UNCERTAIN"
    return f"ANSWER: {text}\nCONFIDENCE: {'VERY_' * (share >= _SURE)}{level}"


def _read(inputs: ContextInputs, *, least: float) -> tuple[str, float]:
    """Return an answer, and the share of the question's words that its passage has."""
    terms = {*content_terms(inputs.query)}
    best = CODE_OF["missing_info"], 1 - least
    most = -1.0
    for passage in Index(inputs.context).passages:
        words = passage.terms.keys() | passage.surroundings
        share = len(terms & words) / max(1, len(terms))
        if share > most and share >= least and (figure := _figure(passage, inputs.query)):
            best, most = (figure, share), share
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


def judge_single(inputs: SingleInputs) -> str:
    """Classify a reply, and rate an answer as right or wrong."""
    code = first_code(inputs.reply)
    quality = "N/A" if code else "5" if _is_right(inputs) else "1"
    return f"CLASSIFICATION: {code or ATTEMPT}\nQUALITY_SCORE: {quality}\nEXPLANATION: by rule"


def judge_multi(inputs: MultiInputs) -> str:
    """Classify a reply; an answer is supported if it is the reference."""
    code = first_code(inputs.reply)
    right = "N/A" if code else str(int(_is_right(inputs)))
    return (
        f"CLASSIFICATION: {code or ATTEMPT}\nELIGIBILITY: {'N/A' if code else 1}\n"
        f"FACTUALITY_ALL: {right}\nFACTUALITY_RELEVANT: {right}\nEXPLANATION: by rule"
    )


def verify(inputs: CheckInputs) -> str:
    """Pass a perturbation."""
    return json.dumps(
        {
            "identified_issues": UNCHECKED,
            **dict.fromkeys(QUESTIONS, True),
            "predicted_rag_behavior": inputs.expected,
            "verification_result": "PASS",
        }
    )


def _is_right(inputs: SingleInputs) -> bool:
    return any(holds(inputs.reply, reference) for reference in inputs.reference.split(" OR "))
