"""Questions of another suite: its pairs, with the passages that they cite.

Passages are cut from the document's text, so tables are lines of cells even if the other suite
shows them as HTML.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tasks.core.rows import Context, QAPair
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.refusalbench.base.answers import states
from tasks.suites.refusalbench.rows import BasePassage
from tasks.suites.shared.figure_match import is_figure

NO_CITATION = "the pair cites nothing"
LONG_ANSWER = "the answer is neither one figure nor a few words"
NOT_STATED = "no passage of 400 tokens with a citation has the whole answer"
OF_A_PLACE = "the query names a table by its place, and the passages have other tables"
_MOST_WORDS = 8
_PLACE = re.compile(r"\b(?:first|second|third|fourth|fifth|last) table\b", re.IGNORECASE)


def by_document(pairs: Iterable[QAPair], contexts: Iterable[Context]) -> dict[str, list[QAPair]]:
    """Group pairs by the document that they cite; "" if it is unknown."""
    documents_of = {context.context_id: context.document_ids for context in contexts}
    pairs_of: dict[str, list[QAPair]] = defaultdict(list)
    for pair in pairs:
        documents = documents_of.get(pair.context_id, ())
        pairs_of[documents[0] if documents else ""].append(pair)
    return pairs_of


def signal_of_pair(
    pair: QAPair, passages: Sequence[BasePassage]
) -> tuple[str, list[BasePassage]] | str:
    """Return a pair's short answer and the cited passages that state it, or why it has none.

    Args:
        passages: all of the document that it cites, in order.
    """
    if not pair.citations:
        return NO_CITATION
    if _PLACE.search(pair.query):
        return OF_A_PLACE
    answer = short_answer(pair)
    if answer is None:
        return LONG_ANSWER
    cited = [
        passage
        for passage, end in _with_ends(passages)
        if any(
            passage.start_char < each.end_char and each.start_char < end for each in pair.citations
        )
        and states(passage.text, answer)
    ]
    return (answer, cited) if cited else NOT_STATED


def short_answer(pair: QAPair) -> str | None:
    """Return the only figure that an answer adds to its query, or an answer of a few words."""
    if is_figure(pair.answer):
        return pair.answer
    in_query = find_figures(pair.query)
    added = [
        figure
        for figure in find_figures(pair.answer)
        if figure.unit != "year" and not any(same_figure(figure, other) for other in in_query)
    ]
    if len(added) == 1:
        return added[0].text
    return pair.answer if not added and len(pair.answer.split()) <= _MOST_WORDS else None


def naming(query: str, company: str) -> str:
    """Name the company in a query: of ten passages, some are of other companies."""
    if not company or company.split()[0].casefold() in query.casefold():
        return query
    return f"According to the annual report of {company}, {query[:1].lower()}{query[1:]}"


def _with_ends(passages: Sequence[BasePassage]) -> Iterable[tuple[BasePassage, float]]:
    """Pair each passage with the place where the next one starts."""
    starts = [passage.start_char for passage in passages[1:]]
    return zip(passages, [*starts, float("inf")], strict=True)
