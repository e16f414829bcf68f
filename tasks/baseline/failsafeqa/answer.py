"""Rules that answer from a document, or refuse, and that cite its sentences.

The answer is the sentence or table row that BM25 ranks first among those of the years asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tasks.baseline.facts import DATE, capitalised
from tasks.quantities.text_tables import stated_value
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.suites.failsafeqa.citations.statements import MOST_CITATIONS
from tasks.suites.shared.contexts import ContextInputs
from tasks.text.query_task import task_of
from tasks.text.retrieval import Passage, index_of, years_in
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

NO_DOCUMENT = (
    "I cannot answer this question because the document is missing. Please provide the document, "
    "such as the company's annual report on Form 10-K, and ask again."
)
NOT_IN_DOCUMENT = (
    "I cannot answer this question because the document does not contain the information. Please "
    "provide a document that covers the company and the period in question, or rephrase the "
    "question."
)
# The least share of the question's terms, weighted by rarity, that a passage must hold.
LEAST_COVERAGE = 0.5

_OWNER = re.compile(r"(?:[A-Z0-9][\w.&,-]*\s)*[A-Z0-9][\w.&-]*(?:['’]s|s['’])\s")
_FRAME = frozenset(
    content_terms(
        "change changed went write short note list bullet points create html table year "
        "fiscal ended company's report"
    )
)
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_MARKUP = re.compile(r"</?[a-z][^<>]{0,200}>")
_MOST_ROWS = 80  # above a table row that are searched for its years


# --- answers -----------------------------------------------------------------------------


def reply(inputs: ContextInputs, *, is_bold: bool = False) -> str:
    """Answer from the document, or refuse and say what is missing."""
    if not inputs.context.strip():
        return NO_DOCUMENT
    years = years_in(inputs.query)
    passages = _fitting(inputs, years, 0.0 if is_bold else LEAST_COVERAGE)
    return " ".join(_said(passage, years) for passage in passages) or NOT_IN_DOCUMENT


def bold_reply(inputs: ContextInputs) -> str:
    """Answer with the best match, however weak; refuse only if nothing matches."""
    return reply(inputs, is_bold=True)


def _fitting(inputs: ContextInputs, years: frozenset[str], least: float) -> list[Passage]:
    query = _OWNER.sub(" ", inputs.query)
    joint = r";|, and what " if task_of(query) == "qa" else r";| and "
    passages = [
        _best(inputs.context, measure, years, least)
        for measure in re.split(joint, query)
        if set(content_terms(measure)) - _FRAME
    ]
    return list(dict.fromkeys(passage for passage in passages if passage))


def _best(context: str, query: str, years: frozenset[str], least: float) -> Passage | None:
    terms = [term for term in content_terms(query) if term not in _FRAME]
    timely = [
        passage
        for passage, coverage in index_of(context).rank(terms)
        if coverage >= least and (not years or years & passage.years)
    ]
    return next((each for each in timely if years <= each.years), next(iter(timely), None))


def _said(passage: Passage, years: frozenset[str]) -> str:
    """Return a sentence, or a row's values in the columns of these years."""
    if passage.row is None or passage.table is None:
        return " ".join(passage.text.split())
    values = [
        f"{stated_value(passage.table, passage.row, column) or value} {_time(head)}".strip()
        for column, (value, head) in enumerate(
            zip(passage.row.values, passage.row.heads, strict=True)
        )
        if not years or not years_in(head) or years & years_in(head)
    ]
    return f"{capitalised(passage.row.label)}: {', '.join(values[:2])}."


def _time(head: str) -> str:
    return f"in {head}" if years_in(head) == {head} else head


# --- citations ---------------------------------------------------------------------------


def cite_in_longcite(inputs: longcite.CitationInputs) -> str:
    """Cite in LongCite's format."""
    return "\n".join(
        f"<statement>{statement}<cite>{''.join(f'[{n}-{n}]' for n in cited)}</cite></statement>"
        for statement, cited in _citations(inputs, "C")
    )


def cite_in_json(inputs: json_spans.SpanInputs) -> str:
    """Cite in JSON."""
    statements = [
        {"statement": statement, "citation": [[number, number] for number in cited]}
        for statement, cited in _citations(inputs, "S")
    ]
    return json.dumps({"statements": statements}, ensure_ascii=False)


def _citations(
    inputs: longcite.CitationInputs | json_spans.SpanInputs, letter: str
) -> Iterator[tuple[str, list[int]]]:
    """Yield each sentence of the answer with the numbers of sentences that state it."""
    tagged = _read_tagged(inputs.context, letter)
    for start, end in split_sentences(inputs.answer):
        for statement in inputs.answer[start:end].split("\n"):
            if statement.strip():
                bare = _MARKUP.sub(" ", statement)
                yield statement, _stating(bare, years_in(bare) or years_in(inputs.answer), tagged)


def _stating(statement: str, years: frozenset[str], sentences: tuple[str, ...]) -> list[int]:
    """Find the sentence with most figures and terms of a statement, and a row's line of years."""
    terms = set(content_terms(statement))
    figures = set(_FIGURE.findall(DATE.sub(" ", statement))) - years
    scores = {
        number: 2 * len(figures & tokens) + len(terms & tokens)
        for number, tokens in enumerate(_tokens_of(sentences))
        if figures & tokens or (not figures and terms & tokens)
    }
    if not scores:
        return []
    best = min(scores, key=lambda number: (-scores[number], len(sentences[number]), number))
    if scores[best] < (2 * len(figures) + len(terms)) / 3:
        return []
    return [best, *_line_of_years(best, years, sentences)][:MOST_CITATIONS]


def _line_of_years(row: int, years: frozenset[str], sentences: Sequence[str]) -> list[int]:
    """Find the line nearest above a row that names the years that it lacks."""
    lacking = years - years_in(sentences[row])
    above = range(row - 1, max(-1, row - _MOST_ROWS), -1) if lacking else range(0)
    return [number for number in above if lacking <= years_in(sentences[number])][:1]


@lru_cache(maxsize=4)
def _tokens_of(sentences: tuple[str, ...]) -> list[set[str]]:
    return [{*content_terms(text), *_FIGURE.findall(text)} for text in sentences]


@lru_cache(maxsize=4)
def _read_tagged(tagged: str, letter: str) -> tuple[str, ...]:
    """Read the sentences of a tagged text: only the next number in sequence is a tag."""
    starts: list[tuple[int, int]] = []
    for tag in re.finditer(rf"<{letter}(\d+)>", tagged):
        if tag[1] == str(len(starts)):
            starts.append(tag.span())
    ends = [*(start for start, _ in starts[1:]), len(tagged)]
    return tuple(tagged[first:end] for (_, first), end in zip(starts, ends, strict=False))
