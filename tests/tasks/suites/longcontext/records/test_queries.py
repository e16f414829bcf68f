"""Queries are drawn with enough articles, and what a source cannot give is said."""

from __future__ import annotations

from dataclasses import replace

from tasks.core.progress import hearing
from tasks.core.rows import Reject
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.records.queries import plan_records
from tasks.suites.longcontext.rows import BarredArticle, Mention, Query, SimilarCompany
from tasks.suites.longcontext.text import word_query
from tests.newsroom import Built, newsroom


def drawn(articles, **options) -> Built:
    return Built(articles, records=(1,), only_queries=True, **{"lengths": (4000,), **options})


def test_each_task_has_its_queries_with_enough_articles():
    queries = drawn(newsroom()).of(Query)
    assert [(q.task, q.place) for q in queries] == [(t, p) for t in TASKS for p in range(20)]
    assert all(query.n_fitting >= 10 for query in queries)
    assert len({query.query_id for query in queries}) == len(queries)
    newest = sorted(article.published for article in newsroom())[810]
    assert all(query.since < query.today >= newest for query in queries if query.today)


def test_sentiments_take_turns_however_rare():
    first, *others = newsroom()
    rare = replace(first, mentions=(Mention(company="Rare Inc.", sentiment="very negative"),))
    queries = drawn([rare, *others], queries=4).of(Query)
    worded = {q.sentiment: word_query(q) for q in queries if q.sentiment}
    assert worded.keys() == {"very negative", "negative", "neutral", "positive"}
    assert " sentiment about Rare Inc.\n" in worded["very negative"]


def test_companies_with_similar_names_are_preferred():
    built = drawn(newsroom())
    asked = {query.company for query in built.of(Query)} - {None}
    assert asked == {pair.company for pair in built.of(SimilarCompany)}


def test_nouns_are_asked_for_last():
    names = ["IT stocks", "Rupee", "rupee", "Bank of India", "Bank of Baroda", "Infosys"]
    built = drawn(newsroom(600, source="file", companies=names), queries=3)
    assert {query.company for query in built.of(Query)} == {None, *names[3:]}


def test_without_labels_no_sentiment_is_asked_for():
    articles = [
        replace(a, mentions=tuple(replace(m, sentiment=None) for m in a.mentions))
        for a in newsroom()
    ]
    said: list[str] = []
    with hearing(said.append):
        built = drawn(articles)
    assert all(name in said[0] for name in ("company_sentiment", "'sentiment'"))
    assert {query.task for query in built.of(Query)} == set(TASKS) - {"company_sentiment"}
    (reject,) = built.of(Reject)
    assert reject.reason == "no article has a sentiment"


def test_a_query_that_cannot_be_drawn_is_a_reject():
    built = drawn(newsroom(companies=["Alpha Motors", "Beta Foods", "Gamma Steel"]), queries=5)
    counted = [sum(q.task == task for q in built.of(Query)) for task in TASKS]
    assert counted == [3, 5, 3, 3]
    assert {reject.parent_id for reject in built.of(Reject)} == set(TASKS) - {"time"}
    assert "3 of 5 queries" in built.of(Reject)[0].detail


def test_names_that_may_be_one_company_bar_each_others_articles():
    companies = ["Tata Motors", "Tata Motors DVR", "Tata Steel", "SBI", "State Bank of India"]
    articles = newsroom(600, source="file", companies=[*companies, "Infosys", "Wipro"])
    told = replace(
        articles[0],
        article_id="told",
        title="Wipro hires from Tata Steel",
        mentions=(Mention(company="Wipro", sentiment="positive"),),
    )
    built = drawn([*articles, told], queries=7)
    barred = {(row.company, row.other_company) for row in built.of(BarredArticle)}
    assert ("Tata Motors", "Tata Motors DVR") in barred
    assert ("SBI", "State Bank of India") in barred
    assert ("Tata Steel", "Tata Motors") not in barred
    (named,) = [row for row in built.of(BarredArticle) if row.article_id == "told"]
    assert (named.company, named.reason) == ("Tata Steel", "names it without a label")
    similar = [(pair.company, pair.other_company) for pair in built.of(SimilarCompany)]
    assert ("Tata Steel", "Tata Motors") in similar


def test_plans_blocks_that_bound_memory():
    options = LongContextOptions(lengths=(4000, 128_000), records=(110, 85), queries=20)
    planned = list(plan_records(options, seed=0))
    assert len(planned) == len({each.planned_record_id for each in planned}) == 195
    for block in {each.block for each in planned}:
        rows = [each for each in planned if each.block == block]
        assert len({each.length for each in rows}) == 1
        assert sum(each.length for each in rows) <= 1_000_000
    assert {each.n_needles for each in planned} == set(range(1, 11))
    assert all(0.1 <= each.negative_share <= 0.2 for each in planned)
