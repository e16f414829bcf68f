"""The rule that rates a question-answer pair by comparison with its context."""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.failsafeqa.questions.rating import Inputs
from tasks.text.retrieval import Hit, index_of, years_in
from tasks.text.terms import content_terms

_LEANS_ON_OTHERS = re.compile(
    r"\A\W*(?:and|or|what about|how about|also|same|why|ok|but)\b\W*(?:\w+\W*){0,2}\Z|"
    r"\b(?:that|this|these|those|them|it|above|previous|same|again)\b(?!\s(?:year|company|report))",
    re.IGNORECASE,
)
_WRITING = re.compile(
    r"\A\W*(?:write|draft|list|summari[sz]e|create|make|compose|prepare)\b", re.IGNORECASE
)
_MARKUP = re.compile(r"</?[a-z]+>")
_FRAME = frozenset(
    content_terms(
        "write draft list summarize create make short note email team key points report html "
        "table year fiscal ended percentage percent amount number change company give need "
        "according annual bullet"
    )
)


def reply(inputs: Inputs) -> str:
    """Rate the five criteria by comparison with the context.

    The lowest is the rating.
    """
    index = index_of(inputs.context)
    frame = _FRAME.union(content_terms(inputs.company))
    terms = [term for term in content_terms(inputs.query) if term not in frame]
    known = [term for term in terms if index.knows(term)]
    is_writing = bool(_WRITING.match(inputs.query))
    hits = index.rank(terms)[:30]
    relevance = 1 + round(4 * len(known) / len(terms)) if terms else 1
    clarity, why = _clarity(inputs, terms, hits, is_writing)
    missing = _missing_figures(inputs.context, inputs.answer)
    accuracy = 5 if not missing and _wording_is_known(inputs) else 1
    completeness = 5 if not is_writing or len(inputs.answer) > 120 else 2
    complexity = _complexity(inputs, is_writing)
    rating = min(clarity, accuracy, completeness, relevance, complexity)
    about_accuracy = "all figures are in the document"
    if missing:
        about_accuracy = f"not in the document: {', '.join(missing)}"
    return (
        f"1. Relevance: {relevance}, {len(known)} of {len(terms)} terms are known to the "
        "document.\n"
        f"2. Clarity: {clarity}, {why}.\n"
        f"3. Complexity: {complexity}.\n"
        f"4. Accuracy: {accuracy}, {about_accuracy}.\n"
        f"5. Completeness: {completeness}.\n"
        f"Rating: {rating}"
    )


def _complexity(inputs: Inputs, is_writing: bool) -> int:
    """Tell what must be understood from what is only copied: names, dates, statements."""
    if is_writing or re.search(r"\b(?:why|change|compare|how much did)\b", inputs.query, re.I):
        return 5
    has_figure = any(figure.unit != "year" for figure in find_figures(inputs.answer))
    return 4 if has_figure or " compete with" in inputs.query else 2


def _clarity(
    inputs: Inputs, terms: list[str], hits: list[Hit], is_writing: bool
) -> tuple[int, str]:
    if not terms or _LEANS_ON_OTHERS.search(inputs.query):
        return 2, "the question leans on something outside it"
    if is_writing:
        return 5, "the request names its topic"
    rival = _rival(inputs, terms, hits)
    if rival is not None:
        said = " ".join(rival.passage.text.split())[:100]
        return 2, f"another passage fits the question as well: {said}"
    return 5, "one passage fits the question best"


def _rival(inputs: Inputs, terms: list[str], hits: list[Hit]) -> Hit | None:
    """Find another passage that fits the question as well but says something else."""
    years = years_in(inputs.query)
    timely = [hit for hit in hits if not years or years & hit.passage.years]
    if not timely:
        return None
    answer = " ".join(inputs.answer.split())
    answer_figures = [figure for figure in find_figures(answer) if figure.unit != "year"]
    best = max(hit.coverage for hit in timely)
    for hit in timely:
        if hit.coverage < best - 0.01:
            continue
        passage = hit.passage
        if " ".join(passage.text.split()) in answer or (passage.row and _is_shorter(terms, hit)):
            continue
        figures = [figure for figure in passage.figures if figure.unit != "year"]
        if passage.row is not None and years:
            figures = [
                figure
                for figure in figures
                for head, span in zip(passage.row.heads, passage.row.spans, strict=True)
                if span[0] - passage.start_char
                <= figure.end_char - 1
                < span[1] - passage.start_char + 1
                and years & years_in(head)
            ]
        if answer_figures and any(same_figure(a, b) for a in answer_figures for b in figures):
            continue
        if figures or not answer_figures:
            return hit
    return None


def _is_shorter(terms: list[str], hit: Hit) -> bool:
    """Check whether a row's label says more than was asked: `Total revenue, net` for `revenue`."""
    return len(hit.passage.terms) > len(set(terms))


def _missing_figures(context: str, answer: str) -> list[str]:
    """Find figures of an answer that its context does not state."""
    stated = _figures_of(context)
    return [
        figure.text
        for figure in find_figures(answer)
        if (abs(figure.value), figure.unit) not in stated
        and not any(same_figure(figure, other) for other in stated.values())
    ]


@lru_cache(maxsize=4)
def _figures_of(context: str) -> dict[tuple[object, str], Figure]:
    rows = [passage for passage in index_of(context).passages if passage.table]
    figures = find_figures(context) + [figure for row in rows for figure in row.figures]
    # of equal figures, the first is kept
    return {(abs(figure.value), figure.unit): figure for figure in reversed(figures)}


def _wording_is_known(inputs: Inputs) -> bool:
    """Check whether most words of the answer come from context or question."""
    said = _MARKUP.sub(" ", inputs.answer)
    terms = set(content_terms(said)) - set(content_terms(inputs.query))
    index = index_of(inputs.context)
    return sum(index.knows(term) for term in terms) >= 0.8 * len(terms) - 2
