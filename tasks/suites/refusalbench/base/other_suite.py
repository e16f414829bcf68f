"""Questions of another suite: its pairs, each with the document's text around what they cite.

Passages are cut from the document's text, so tables are lines of cells even if the other suite
shows them as HTML.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tasks.core.rows import Context, QAPair
from tasks.quantities.figures import find_figures, same_figure
from tasks.suites.refusalbench.base.answers import kind_of, states
from tasks.suites.refusalbench.base.asked import (
    ReadQuery,
    is_rate,
    measure_terms,
    read_query,
    restated,
)
from tasks.suites.refusalbench.base.cells import statements_of_table
from tasks.suites.refusalbench.base.excerpts import FilingText
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.shared.figure_match import is_figure, match_figures
from tasks.suites.shared.phrases import YEAR
from tasks.suites.shared.stated_cells import stated_cells
from tasks.text.terms import content_terms

NO_CITATION = "the pair cites nothing"
LONG_ANSWER = "the answer is neither one figure nor a few words"
NOT_STATED = "no passage of 400 tokens around a citation has the whole answer"
OF_A_PART = "what is cited is of a segment that the query does not name"
NOT_ONE = "tables of the filing state several figures for what is asked"
_QUOTED = re.compile(r"“([^”]+)”")
_MOST_WORDS = 8
_MOST_CITED = 10  # sentences and rows


def by_document(pairs: Iterable[QAPair], contexts: Iterable[Context]) -> dict[str, list[QAPair]]:
    """Group pairs by the document that they cite; "" if it is unknown."""
    of_context = {context.context_id: context.document_ids for context in contexts}
    found: dict[str, list[QAPair]] = defaultdict(list)
    for pair in pairs:
        documents = of_context.get(pair.context_id, ())
        found[documents[0] if documents else ""].append(pair)
    return found


def groups_of_pairs(
    pairs: Sequence[QAPair], text: FilingText
) -> Iterator[tuple[QAPair, list[Statement] | str]]:
    """Yield each pair with the citations that state its answer, or why it cannot be asked."""
    for pair in pairs:
        if not pair.citations:
            yield pair, NO_CITATION
        elif (answer := short_answer(pair)) is None:
            yield pair, LONG_ANSWER
        else:
            spans = _cited(pair, text)
            query = restated(
                pair.query, text.company, _cell_measure(pair.query, answer, spans, text)
            )
            read = read_query(query)
            cited = [
                Statement(
                    query=query,
                    answer=answer,
                    kind=kind_of(answer),
                    measure=read.measure if read else query,
                    period=" ".join(YEAR.findall(query)),
                    start_char=start,
                    end_char=end,
                    pair_id=pair.qa_pair_id,
                )
                for start, end in spans
            ]
            stated = [each for each in cited if text.of_statement(each)]
            named = [each for each in stated if text.is_named(query, each.start_char)]
            if named and read and not _is_only(read, answer, text):
                yield pair, NOT_ONE
            else:
                yield pair, named or (OF_A_PART if stated else NOT_STATED)


def short_answer(pair: QAPair) -> str | None:
    """Return the only figure that an answer adds to its query, or an answer of a few words."""
    if is_figure(pair.answer):
        return pair.answer
    asked = find_figures(pair.query)
    new = [
        figure
        for figure in find_figures(pair.answer)
        if figure.unit != "year" and not any(same_figure(figure, each) for each in asked)
    ]
    if len(new) == 1:
        return new[0].text
    return pair.answer if not new and len(pair.answer.split()) <= _MOST_WORDS else None


def _cited(pair: QAPair, text: FilingText) -> list[tuple[int, int]]:
    """Return the cited sentences and rows, those first that share most terms with the pair."""
    terms = {*content_terms(f"{pair.query} {pair.answer}")}
    found = [
        (-len(terms & each.terms.keys()), each.start_char, each.end_char)
        for each in text.index.passages
        for citation in pair.citations
        if each.start_char < citation.end_char and citation.start_char < each.end_char
    ]
    return [(start, end) for _, start, end in sorted(set(found))[:_MOST_CITED]]


def _cell_measure(
    query: str, answer: str, cited: Sequence[tuple[int, int]], text: FilingText
) -> str:
    """Return the measure of the cited cell that a query asks for by its label; "" if it is none.

    A query may quote the label and name the table, such as the second of the text that the other
    suite shows.
    """
    read, quoted = read_query(query), _QUOTED.findall(query)
    asked = measure_terms(quoted[-1] if quoted else read.measure if read else "")
    starts, whole = {start for start, _ in cited}, text.document.text
    for table in text.tables:
        if asked and any(row.start_char in starts for row in table.rows):
            for cell in statements_of_table(table, whole, text.company, text.lower_words):
                if (
                    cell.start_char in starts
                    and measure_terms(cell.measure) == asked
                    and match_figures(cell.answer, answer).correct
                    and (cell.kind != "percent" or is_rate(cell.measure))
                ):
                    return cell.measure
    return ""


def _is_only(read: ReadQuery, answer: str, text: FilingText) -> bool:
    """Whether no cell that the query names as well has another figure."""
    measure, kind = measure_terms(read.measure), kind_of(answer)
    return all(
        kind_of(cell.value) != kind or states(cell.value, answer)
        for table in text.tables
        for row, cells in stated_cells(table)
        if measure_terms(row.label) == measure and text.is_named(read.naming, row.start_char)
        for cell in cells
        if cell.year in read.period
    )
