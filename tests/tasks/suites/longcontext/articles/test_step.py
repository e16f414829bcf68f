"""The step `articles`: one source, as the options choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Document, Filing, Reject
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.samples import sample_folder
from tasks.suites.longcontext.articles import STEP, step
from tasks.suites.longcontext.articles.statements import NEARLY_SAME, NO_STATEMENT
from tasks.suites.longcontext.articles.step import NO_COMPANY, NO_FILED_DATE, OTHER_DATE
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import Article, Mention, News, SentimentVote
from tasks.suites.suite import StepInputs
from tests.scripted import Scripted

FILE = LongContextOptions(articles=Path("news.csv"))
FILINGS = LongContextOptions(from_filings=True)
NEWS = News(
    news_id="news-1",
    source_uri="news.csv",
    line=2,
    title="Acme wins an order",
    published=None,
    item=None,
    mentions=(Mention(company="Acme", sentiment=None),),
)


def built(
    options: LongContextOptions, *parts: tuple[Any, ...], seed: int = 7, panel: int = 0
) -> list[Any]:
    """What the step makes of parts of rows, with a panel of models that find all positive."""

    def read(*kinds: type) -> Iterator[tuple[list[Any], ...]]:
        for part in parts:
            yield tuple([row for row in part if isinstance(row, kind)] for kind in kinds)

    models = [
        Scripted(lambda call: "Sentiment: positive", model=f"m{n}", identity=f"{n}")
        for n in range(panel)
    ]
    inputs = StepInputs(
        suite="longcontext",
        shard=(),
        rows=lambda kind, only=None: [row for part in parts for row in part if type(row) is kind],
        parts=read,
        engines={"panel": models} if panel else {},
        options=options,
        seed=seed,
        encoding="cl100k_base",
    )
    return list(STEP.run(inputs))


@pytest.fixture(scope="module")
def samples() -> list[ParsedFiling]:
    files = sorted(sample_folder().glob("*-*.[ht]*"))
    return [parse_filing(file.read_bytes(), file.name) for file in files]


def rows_of(parsed: ParsedFiling, **changes: Any) -> tuple[Filing, Document]:
    return replace(parsed.filing, **changes), parsed.document


def test_a_drawn_date_never_contradicts_a_date_in_the_title() -> None:
    dated = replace(NEWS, news_id="news-2", title="November 18, 2013: Acme wins an order")
    (reject,) = built(FILE, (dated,))
    assert (reject.reason, reject.detail) == (OTHER_DATE, dated.title)
    (article,) = built(FILE, (replace(dated, published="2013-11-19"),))
    assert article.title == dated.title


def test_headlines_are_invented_unless_a_source_is_named() -> None:
    articles = built(LongContextOptions())
    assert {article.source for article in articles} == {"invented"}
    assert len(articles) >= 8_000
    assert built(LongContextOptions()) == articles
    assert built(LongContextOptions(), seed=8) != articles


def test_a_files_articles_get_a_date_if_it_has_none() -> None:
    dated = replace(NEWS, news_id="news-2", published="2021-04-03", item="8.01")
    drawn, read = built(FILE, (NEWS, dated))
    assert (drawn.source, drawn.is_date_drawn, drawn.item) == ("file", True, None)
    assert "2023-01-01" <= drawn.published <= "2024-12-31"
    assert (read.published, read.is_date_drawn, read.item) == ("2021-04-03", False, "8.01")
    assert drawn.article_id != read.article_id
    assert built(FILE, (dated, NEWS))[1] == drawn


def test_a_panel_labels_what_has_no_label() -> None:
    article, *votes = built(FILE, (NEWS,), panel=3)
    assert article.mentions == (Mention(company="Acme", sentiment="positive"),)
    assert [type(vote) for vote in votes] == [SentimentVote] * 3
    assert {vote.article_id for vote in votes} == {article.article_id}
    assert not [
        row for row in built(LongContextOptions(), panel=3) if isinstance(row, SentimentVote)
    ]


def test_filings_give_dated_statements_with_company_and_item(samples: list[ParsedFiling]) -> None:
    filed = [rows_of(each, filed_date=date(2020, 1, n)) for n, each in enumerate(samples, start=1)]
    rows = built(FILINGS, *filed)
    articles = [row for row in rows if isinstance(row, Article)]
    assert {article.document_id for article in articles} == {d.document_id for _, d in filed}
    assert {mention.company for article in articles for mention in article.mentions} == {
        "Brackwater Pump & Valve Corporation",
        "Quillstone Software, Inc.",
        "Tillamere Bancorp, Inc.",
    }
    days = {document.document_id: filing.filed_date for filing, document in filed}
    for article in articles:
        assert article.source == "filings"
        assert article.item in ("1", "1A", "1C", "2", "3", "7", "7A")
        assert article.published == str(days[article.document_id or ""])
        assert not article.is_date_drawn
        assert article.mentions[0].sentiment is None


def test_filings_that_give_nothing_are_rejects(samples: list[ParsedFiling]) -> None:
    day = date(2020, 1, 1)
    filing, document = rows_of(samples[0], filed_date=day)
    again = (replace(filing, filing_id="f2"), replace(document, filing_id="f2", document_id="d2"))
    undated = rows_of(samples[1], filed_date=None)
    nameless = rows_of(samples[2], filed_date=day, company=None)
    silent = (replace(filing, filing_id="f3"), replace(document, filing_id="f3", items=()))
    rows = built(FILINGS, (filing, document), again, undated, nameless, silent)
    reasons = [(row.reason, row.parent_id) for row in rows if isinstance(row, Reject)]
    n_articles = sum(isinstance(row, Article) for row in rows)
    assert n_articles > 10
    assert reasons.count((NEARLY_SAME, "d2")) >= n_articles
    assert [reason for reason, _ in reasons if reason != NEARLY_SAME] == [
        NO_FILED_DATE,
        NO_COMPANY,
        NO_STATEMENT,
    ]
    assert len({row.reject_id for row in rows if isinstance(row, Reject)}) == len(reasons)


def test_of_many_filings_some_are_drawn_and_some_statements_of_each(
    samples: list[ParsedFiling], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_MOST_FILINGS", 2)
    monkeypatch.setattr(step, "_MOST_STATEMENTS", 10)
    filed = [rows_of(each, filed_date=date(2020, 1, 1)) for each in samples]
    undated = rows_of(samples[0], filed_date=None)
    undated = (undated[0], replace(undated[1], document_id="undated"))
    rows = built(FILINGS, *filed, undated)
    articles = Counter(row.document_id for row in rows if isinstance(row, Article))
    assert list(articles.values()) == [5, 5]
    (left_out,) = {document.document_id for _, document in filed} - articles.keys()
    rejects = {row.parent_id: row.reason for row in rows if isinstance(row, Reject)}
    assert rejects == {left_out: step.NOT_DRAWN, "undated": NO_FILED_DATE}


def test_parts_of_filings_do_not_change_the_articles(samples: list[ParsedFiling]) -> None:
    filed = [rows_of(each, filed_date=date(2020, 1, 1)) for each in samples]
    together = tuple(row for pair in filed for row in pair)
    assert built(FILINGS, together) == built(FILINGS, *filed)
