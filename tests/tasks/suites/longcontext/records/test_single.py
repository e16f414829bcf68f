"""Cases of single articles: half fit, and each is asked once."""

from __future__ import annotations

import json
from collections import Counter

from tasks.core.rows import Case, Context, QAPair
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.rows import Article, Query, Record
from tests.newsroom import Built, newsroom


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
