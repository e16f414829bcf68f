"""Questions of another suite: its pairs, each with the document's text around what they cite.

Passages are cut from the document's text, so tables are lines of cells even if the other suite
shows them as HTML.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tasks.core.rows import Context, QAPair
from tasks.suites.refusalbench.base.answers import kind_of
from tasks.suites.refusalbench.base.excerpts import FilingText
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.shared.phrases import YEAR

NO_CITATION = "the pair cites nothing"
LONG_ANSWER = "the answer is too long to be compared"
NOT_STATED = "no passage of 400 tokens around a citation has the whole answer"
_MOST_WORDS = 25


def by_document(pairs: Sequence[QAPair], contexts: Sequence[Context]) -> dict[str, list[QAPair]]:
    """Group pairs by the document that they cite."""
    of_context = {context.context_id: context.document_ids for context in contexts}
    found: dict[str, list[QAPair]] = defaultdict(list)
    for pair in pairs:
        if documents := of_context.get(pair.context_id):
            found[documents[0]].append(pair)
    return found


def groups_of_pairs(
    pairs: Sequence[QAPair], text: FilingText
) -> Iterator[tuple[QAPair, list[Statement] | str]]:
    """Yield each pair with the citations that state its answer, or why it cannot be asked."""
    for pair in pairs:
        if not pair.citations:
            yield pair, NO_CITATION
        elif len(pair.answer.split()) > _MOST_WORDS:
            yield pair, LONG_ANSWER
        else:
            cited = [
                Statement(
                    query=pair.query,
                    answer=pair.answer,
                    kind=kind_of(pair.answer),
                    measure=pair.query,
                    period=" ".join(YEAR.findall(pair.query)),
                    start_char=citation.start_char,
                    end_char=citation.end_char,
                    pair_id=pair.qa_pair_id,
                )
                for citation in pair.citations
            ]
            stated = [each for each in cited if text.of_statement(each)]
            yield pair, stated or NOT_STATED
