"""Records: their lengths, what they share, and that nothing but the seed changes them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace

import pytest

from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.inference import prompts
from tasks.suites.longcontext.answer import OPERATIONS
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.records.haystacks import build_haystacks
from tasks.suites.longcontext.rows import Article, PlacedArticle, PlannedRecord, Query, Record
from tasks.text.tokens import count_tokens
from tests.newsroom import Built, newsroom

PLACEMENTS = ("prepend", "append", "both", "best_practices")


@pytest.fixture(scope="module")
def built() -> Built:
    return Built(newsroom(), lengths=(4000,), records=(6,), placements=PLACEMENTS)


def cases(built: Built) -> dict[str, Case]:
    return {case.case_id: case for case in built.of(Case)}


def texts(built: Built) -> dict[str, Context]:
    return {context.context_id: context for context in built.of(Context)}


def prompt_tokens(case: Case, text: str) -> int:
    operation = OPERATIONS[case.variant]
    prompt = prompts.fill(operation.template, asdict(operation.inputs.of(case, text)))
    return count_tokens(prompt.prefix + prompt.suffix)


def test_whole_prompts_end_where_the_next_article_would_not_fit(built):
    of = texts(built)
    for record in built.of(Record):
        case = cases(built)[record.case_id]
        n = prompt_tokens(case, of[case.context_id].text)
        assert n == record.n_tokens
        assert 0 <= record.budget - n < 49  # tokens of the longest article
        assert record.budget == 4000 - 100 - 64


def test_tasks_and_placements_share_background_and_depths(built):
    tasks = {query.query_id: query.task for query in built.of(Query)}
    placed: dict[str, list[PlacedArticle]] = {}
    for each in built.of(PlacedArticle):
        placed.setdefault(each.case_id, []).append(each)
    for number in range(6):
        records = [r for r in built.of(Record) if r.number == number and r.n_needles]
        assert len({r.background_id for r in records}) == 1
        depths = [tuple(p.depth for p in placed[r.case_id] if p.kind == "needle") for r in records]
        longest = max(depths, key=len)
        assert all(longest[: len(found)] == found for found in depths)
        orders = {}
        for record in records:
            own = {p.article_id for p in placed[record.case_id]}
            # the articles that fill gaps stand at the end
            orders[record.case_id] = [a for a in record.articles if a not in own][:-1]
        of_time = [orders[r.case_id] for r in records if tasks[r.query_id] == "time"]
        of_company = [orders[r.case_id] for r in records if tasks[r.query_id] == "company"]
        shared = min(map(len, of_time)) - 60
        firsts = {tuple(order[:shared]) for order in [*of_time, *of_company]}
        taken = {p.article_id for r in records for p in placed[r.case_id]}
        kept = {tuple(a for a in first if a not in taken)[: shared - 30] for first in firsts}
        assert len(kept) == 1


def test_siblings_share_what_head_chars_says(built):
    of = texts(built)
    pairs = {pair.qa_pair_id: pair for pair in built.of(QAPair)}
    by_record: dict[tuple, dict[bool, Case]] = {}
    for record in built.of(Record):
        case = cases(built)[record.case_id]
        key = record.query_id, record.number, case.variant
        by_record.setdefault(key, {})[record.n_needles > 0] = case
        assert pairs[case.qa_pair_id].task in {q.task for q in built.of(Query)}
        assert case.traits["needles"] == str(record.n_needles)
    for both in by_record.values():
        own, twin = (of[both[which].context_id].text for which in (True, False))
        n = json.loads(both[True].details)["head_chars"]
        assert n == json.loads(both[False].details)["head_chars"]
        assert own[:n] == twin[:n]
        first = own[n:].partition("\n")[0]
        assert first != twin[n:].partition("\n")[0]
        assert json.loads(both[True].target)[0] == int(
            first.removeprefix("Article ID: ").split(";")[0]
        )
        assert json.loads(both[False].target) == []


def test_order_and_partition_change_nothing():
    options = {"lengths": (4000, 8000), "records": (4,), "queries": 3}
    one = Built(newsroom(), **options)
    other = Built(reversed(newsroom()), **options)
    rows = {
        row_type: one.of(row_type) for row_type in (Context, QAPair, Case, Record, PlacedArticle)
    }
    assert all(other.of(row_type) == found for row_type, found in rows.items())
    # each record in a shard of its own
    alone = [
        row for planned in one.of(PlannedRecord) for row in build_haystacks(one.inputs([planned]))
    ]
    assert [row for row in alone if type(row) is Record] == one.of(Record)
    assert [row for row in alone if type(row) is Context] == [
        c for c in one.of(Context) if c.kind == "haystack"
    ]
    assert Built(newsroom(), seed=1, **options).of(Record) != one.of(Record)


def test_a_record_that_cannot_be_filled_is_a_reject():
    built = Built(newsroom(), lengths=(4000,), records=(3,), only_queries=True)
    few = built.of(PlannedRecord)[:1]
    long = [replace(few[0], length=23_000, planned_record_id="long")]
    rows = list(build_haystacks(built.inputs(long)))
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert rejects
    assert {reject.parent_id for reject in rejects} == {"long"}
    assert all("23,000 tokens" in reject.detail for reject in rejects)
    tasks = {reject.detail.partition(",")[0] for reject in rejects}
    made = {pair.task for pair in rows if isinstance(pair, QAPair)}
    assert tasks.isdisjoint(made)
    assert len(tasks | made) == 4


def test_asks_needles_and_as_many_others():
    built = Built(newsroom(), lengths=(4000,), records=(5,))
    queries = {query.query_id: query for query in built.of(Query)}
    articles = {article.article_id: article for article in built.of(Article)}
    texts = {context.context_id: context.text for context in built.of(Context)}
    pairs = {pair.qa_pair_id: pair for pair in built.of(QAPair)}
    cases = [case for case in built.of(Case) if case.variant == "single"]
    assert len({(case.query, case.context_id) for case in cases}) == len(cases)
    kinds: Counter[str] = Counter()
    for case in cases:
        details = json.loads(case.details)
        query, article = queries[details["query_id"]], articles[details["article_id"]]
        task = TASKS[query.task]
        text = texts[case.context_id]
        assert article.title in text
        assert text.startswith("Article ID: 1;")
        assert ("Date: " in text) == task.shows_dates
        in_other_format = task.shows_dates and article.published not in text
        fits = task.fits(query, article) and not in_other_format
        assert case.target == ("yes" if fits else "no") == pairs[case.qa_pair_id].answer
        kinds[case.traits["kind"]] += 1
    n_needles = sum(record.n_needles for record in built.of(Record))
    assert kinds["needle"] == n_needles  # each query is asked in one record
    hard = kinds["natural"] + kinds["induced"]
    assert hard + kinds["background"] == n_needles
    assert abs(hard - kinds["background"]) <= 20
