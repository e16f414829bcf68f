"""The rule that checks that a rewritten query has the same answer as its original.

It reads everyday words back into the terms that they may stand for, if the document has these, and
looks up each reading as the weightless reader would. Each must find the passage that the original
finds, or one that states the answer's figures. If the rewriting leaves out a period, no passage
that fits as well may be of another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, product

from tasks.baseline.failsafeqa.out_of_domain import plain_terms, sold_before
from tasks.baseline.failsafeqa.reader import best_passage, terms_asked
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import TableRow
from tasks.suites.failsafeqa.perturbations.mentions import company_mentions
from tasks.suites.failsafeqa.perturbations.same_answer import (
    ANOTHER,
    SAME,
    SEVERAL,
    SameAnswerInputs,
)
from tasks.text.retrieval import Index, Passage, index_of, years_in
from tasks.text.terms import content_terms, names_in

_MOST_READINGS = 16
_LEAST_TERMS = 2  # of a query without its period
_AS_GOOD = 0.01  # of coverage: a passage that holds this much less of the query fits as well


def reply(inputs: SameAnswerInputs) -> str:
    """Say whether the rewriting finds what the original finds, and nothing else."""
    return f"So says the passage that each wording finds.\nVerdict: {verdict(inputs)}"


def verdict(inputs: SameAnswerInputs) -> str:
    """Compare what the query and each reading of its rewriting find in the context."""
    index = index_of(inputs.context)
    query = _without(inputs.query, inputs.company)
    rewritten = sold_before(_without(inputs.rewritten, inputs.company))
    found = best_passage(inputs.context, query)
    if found is None:
        return ANOTHER  # nothing of the query is in the document: there is nothing to compare
    answer = [figure for figure in find_figures(inputs.answer) if figure.unit != "year"]
    readings = list(islice(_readings(rewritten, index), _MOST_READINGS))
    is_same = [
        _is_same(best_passage(inputs.context, reading), found, answer) for reading in readings
    ]
    if not all(is_same):
        return SEVERAL if any(is_same) else ANOTHER
    if not years_in(query) - years_in(rewritten):
        return SAME
    is_open = any(
        _is_vague(reading) or _has_rival(index, reading, found, years_in(query))
        for reading in readings
    )
    return SEVERAL if is_open else SAME


def _is_vague(reading: str) -> bool:
    """Whether one word is left besides names: "what did ARM complete?" needs its date."""
    for name in names_in(reading):
        reading = reading.replace(name, " ")
    return len(set(terms_asked(reading))) < _LEAST_TERMS


def _without(query: str, company: str) -> str:
    """Leave out the company: all passages are of its report."""
    for start, end in reversed(company_mentions(query, company)):
        query = query[:start] + " " + query[end:]
    return query


def _is_same(passage: Passage | None, found: Passage, answer: list[Figure]) -> bool:
    if passage is None:
        return False
    if passage is found:
        return True
    stated = passage.figures
    return bool(answer) and all(
        any(same_figure(figure, other) for other in stated) for figure in answer
    )


def _has_rival(index: Index, reading: str, found: Passage, years: frozenset[str]) -> bool:
    """Whether a passage of another period, or of none, fits a query without period as well."""
    # A row may leave the cell of another period empty, or write zero in words.
    if found.table and {year for row in found.table.rows for year in _years_of(row)} - years:
        return True
    hits = index.rank(terms_asked(reading))
    least = next((hit.coverage for hit in hits if hit.passage is found), 0.0) - _AS_GOOD
    return any(
        hit.passage.years - years or not (hit.passage.years or hit.passage is found)
        for hit in hits
        if hit.coverage >= least
    )


def _years_of(row: TableRow) -> frozenset[str]:
    return years_in(" ".join(row.heads))


def _readings(query: str, index: Index) -> Iterator[str]:
    """Yield the query with its everyday words read back as each term that the document has."""
    lexicon, pattern = _read_back()
    pieces: list[list[str]] = []
    read = 0
    for match in pattern.finditer(query):
        terms = [
            term
            for term in lexicon[match.group().lower()]
            if _stands_in(index, frozenset(content_terms(term)))
        ]
        pieces += [[query[read : match.start()]], terms or [match.group()]]
        read = match.end()
    for chosen in product(*pieces, [query[read:]]):
        yield "".join(chosen)


def _stands_in(index: Index, terms: frozenset[str]) -> bool:
    """Whether one passage has all words of a term."""
    return all(map(index.knows, terms)) and any(
        terms <= passage.terms.keys() for passage in index.passages
    )


@cache
def _read_back() -> tuple[dict[str, list[str]], re.Pattern[str]]:
    """Load terms by everyday words, and a pattern that finds these, the longest first."""
    lexicon: dict[str, list[str]] = {}
    for plain in plain_terms():
        lexicon.setdefault(plain.words.lower(), []).append(plain.term)
    choices = "|".join(map(re.escape, sorted(lexicon, key=lambda words: (-len(words), words))))
    return lexicon, re.compile(rf"(?<![\w-])(?:{choices})(?![\w-])", re.IGNORECASE)
