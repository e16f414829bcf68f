"""Ask the same concepts of single articles, the short-context baseline (paper 002, table 2).

Of each record, its needles are asked, and as many articles that do not fit: half of them its hard
negatives, half background. A model that fails at length but not here knows the concept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Case, Context, QAPair
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.records.pool import as_drawn
from tasks.suites.longcontext.rows import Article, PlacedArticle, Query, Record
from tasks.suites.longcontext.text import word_query, write_article
from tasks.suites.shared.cases import case_of
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import Step, StepInputs

KIND = "article"
VARIANT = "single"


def build_single(inputs: StepInputs) -> Iterator[object]:
    """Make the cases of single articles, each query and article once."""
    if not inputs.options.single:
        return
    articles = {article.article_id: article for article in inputs.rows(Article)}
    queries = {query.query_id: query for query in inputs.rows(Query)}
    written: set[str] = set()  # ids of contexts and pairs
    for records, placed in inputs.parts(Record, PlacedArticle):
        of_case: dict[str, list[PlacedArticle]] = {}
        for line in placed:
            of_case.setdefault(line.case_id, []).append(line)
        # of a record's placements, the first one of the part
        first: dict[tuple[str, str], Record] = {}
        for record in records:
            if record.n_needles:
                first.setdefault((record.background_id, record.query_id), record)
        for record in first.values():
            query = queries[record.query_id]
            asked = _asked(record, of_case[record.case_id], inputs.seed)
            for article_id, shown_date, kind in asked:
                article = articles[article_id]
                date = (shown_date or article.published) if TASKS[query.task].shows_dates else None
                text = write_article(1, article.title, date)
                context = context_of(KIND, text, encoding=inputs.encoding)
                pair = _pair(query, context.context_id, kind)
                details = canonical_json({"query_id": query.query_id, "article_id": article_id})
                case = case_of(pair, inputs.suite, VARIANT, traits=pair.traits, details=details)
                if context.context_id not in written:
                    yield context
                if pair.qa_pair_id not in written:
                    yield from (pair, case)
                written |= {context.context_id, pair.qa_pair_id}


def _asked(
    record: Record, placed: Sequence[PlacedArticle], seed: int
) -> Iterator[tuple[str, str | None, str]]:
    """Choose articles of a record, as (article_id, date as shown if special, kind)."""
    needles = [line for line in placed if line.kind == "needle"]
    hard = [line for line in placed if line.kind != "needle"]
    taken = {line.article_id for line in placed}
    rng = stable_rng(seed, VARIANT, record.length, record.number, record.query_id)
    # of an odd number, the larger half changes from record to record
    hard = as_drawn(rng, hard)[: (len(needles) + record.number % 2) // 2]
    background = as_drawn(rng, (one for one in record.articles if one not in taken))
    for line in (*needles, *hard):
        yield line.article_id, line.shown_date, line.kind
    for article_id in background[: len(needles) - len(hard)]:
        yield article_id, None, "background"


def _pair(query: Query, context_id: str, kind: str) -> QAPair:
    worded = word_query(query)
    answer = "yes" if kind == "needle" else "no"
    return QAPair(
        qa_pair_id=stable_id("pair", context_id, worded, answer),
        context_id=context_id,
        query=worded,
        answer=answer,
        task=query.task,
        traits={"kind": kind},
    )


STEP = Step(
    name="single",
    run=build_single,
    version=2,
    writes=(Case, Context, QAPair),
    reads=("articles", "queries", "records"),
    options=("single", "seed", "encoding"),
    may_be_empty=True,
)
