"""What the page calls things: metrics, perturbations and slices in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What a metric or a perturbation is called and, in one sentence, what it is.

    unit     of a metric: what it is a share of
    parts    of a metric that has no units of its own: the metrics that it weighs
    """

    name: str
    meaning: str
    unit: str = "answer"
    parts: tuple[str, ...] = ()


# In the order in which the page shows them; the first that a suite has is its headline.
METRICS: Mapping[str, Words] = {
    "llmc": Words(
        "LLM Compliance",
        "robustness and context grounding weighed into one number between 0 and 1",
        parts=("robustness", "context_grounding"),
    ),
    "robustness": Words(
        "Robustness",
        "the share of questions answered well in every wording and also on the scanned filing",
        unit="question",
    ),
    "context_grounding": Words(
        "Context grounding", "the share of unanswerable questions that were refused instead of answered"
    ),
    "compliance": Words("Compliance", "the share of answers that the judge rated 4, 5 or 6 of 6"),
}

PERTURBATIONS: Mapping[str, Words] = {
    "baseline": Words("Baseline", "the question as it was written, on the clean filing"),
    "misspelled": Words("Misspelled", "the question with typing errors"),
    "incomplete": Words("Incomplete", "the question cut down to search terms"),
    "out_of_domain": Words("Out of domain", "the question in a layman's words"),
    "ocr": Words("Scanned", "the filing with the errors of a scanner"),
    "missing_context": Words("Missing context", "no filing at all: a good answer refuses"),
    "irrelevant_context": Words(
        "Irrelevant context", "a question about another filing: a good answer refuses"
    ),
}

# Dimensions of slices with figures of their own, in the page's order.
DIMENSIONS: Mapping[str, str] = {
    "fiscal_year": "Fiscal year",
    "format": "Format of the filing",
    "sector": "Sector",
    "context_tokens": "Length of the context, tokens",
    "answer_position": "Position of the answer in the context",
    "filed": "Filed before or after the model's training data end",
}

TASKS = {"qa": "Question answering", "tg": "Text generation"}

_VALUES = {
    "format": {"text": "plain text", "html": "HTML", "ixbrl": "inline XBRL"},
}


def metric_name(metric: str) -> str:
    """A metric in plain words; one that the page does not know by its own name."""
    return METRICS[metric].name if metric in METRICS else metric.replace("_", " ").capitalize()


def perturbation_name(perturbation: str) -> str:
    """A perturbation in plain words; one that the page does not know by its own name."""
    known = PERTURBATIONS.get(perturbation)
    return known.name if known else perturbation.replace("_", " ").capitalize()


def slice_value(dimension: str, value: str) -> str:
    """One value of a dimension in plain words."""
    return _VALUES.get(dimension, {}).get(value, value.replace("_", " "))


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
