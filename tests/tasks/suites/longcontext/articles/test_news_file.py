"""News files: columns are matched and shown, and rows that say too little are rejects."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.errors import WrongSettings
from tasks.core.rows import Reject
from tasks.suites.longcontext.articles import news_file
from tasks.suites.longcontext.articles.news_file import DUPLICATE, NO_COMPANY, NO_DATE, read_news
from tasks.suites.longcontext.rows import News
from tasks.suites.shared.published import DatasetError

TITLE = "Acme wins an order for forty pumps"
ROW = {"title": TITLE, "company": "Acme", "date": "2021-04-03", "sentiment": "positive"}
READ = (TITLE, "2021-04-03", {"Acme": "positive"})


def write(folder: Path, *rows: dict[str, Any], name: str = "news.jsonl") -> Path:
    file = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file


def read(file: Path) -> tuple[list[tuple[str, str | None, dict[str, str | None]]], list[str]]:
    """Title, date and companies of each article; reasons of the rejects."""
    rows = list(read_news(file))
    articles = [
        (row.title, row.published, {each.company: each.sentiment for each in row.mentions})
        for row in rows
        if isinstance(row, News)
    ]
    return articles, [row.reason for row in rows if isinstance(row, Reject)]


# --- layouts ---------------------------------------------------------------------------------


def test_all_kinds_of_files_give_the_same_article(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([ROW]), tmp_path / "news.parquet")
    cells = "title;company;date;sentiment\n" + ";".join(ROW.values()) + "\n"
    (tmp_path / "news.csv").write_text(cells, encoding="utf-8-sig")
    write(tmp_path, ROW)
    write(tmp_path, ROW, name="packed.jsonl.gz")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    for file in files:
        assert read(file) == ([READ], []), file.name


@pytest.mark.parametrize(
    ("cell", "companies"),
    [
        (
            {"Acme": "very positive", "Bolt": "Negative"},
            {"Acme": "very positive", "Bolt": "negative"},
        ),
        ('{"Acme": "neutral"}', {"Acme": "neutral"}),
        (["Acme", "Bolt"], {"Acme": None, "Bolt": None}),
        ("Acme; Bolt", {"Acme": None, "Bolt": None}),
        ([], {}),
    ],
)
def test_reads_companies_with_and_without_sentiments(
    tmp_path: Path, cell: Any, companies: dict[str, str | None]
) -> None:
    articles, rejects = read(write(tmp_path, {"headline": TITLE, "entities": cell}))
    assert (articles, rejects) == ([(TITLE, None, companies)], [])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"title": TITLE}, "no column of companies among 'title'"),
        ({"company": 7, "title": TITLE}, "row 1: the row does not say which companies"),
        (ROW | {"date": "3 April 2021"}, "no date that can be read. .* written as YYYY-MM-DD"),
        (ROW | {"sentiment": "1"}, "None of the 1 rows of 'news.jsonl' gives an article"),
    ],
)
def test_refuses_files_that_it_would_have_to_guess(
    tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    with pytest.raises(WrongSettings, match=message):
        list(read_news(write(tmp_path, row)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("news.csv", b"title,company\nAcme wins, and loses,Acme\n"),
        ("news.jsonl", b'{"title": '),
        ("news.jsonl", b'{"title": ' + b"[" * 100 + b"]" * 100 + b"}"),
        ("news.csv", b"title,company\n\xff,Acme\n"),
        ("news.csv.gz", b"\x1f\x8b broken"),
        ("news.xlsx", b"PK"),
    ],
)
def test_refuses_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises((DatasetError, WrongSettings), match=name):
        list(read_news(tmp_path / name))


# --- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"title": TITLE.upper()}, DUPLICATE),
        ({"title": " "}, news_file.NO_TITLE),
        ({"title": "word " * 101}, news_file.TOO_LONG),
        ({"company": ""}, NO_COMPANY),
        ({"date": ""}, NO_DATE),
        ({"title": "Another title of Acme", "sentiment": ""}, news_file.NO_SENTIMENT),
        ({"title": "Acme and Bolt rise", "company": "Acme; Bolt"}, news_file.NO_SENTIMENT),
    ],
)
def test_a_row_that_says_too_little_is_a_reject(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    others = [ROW | {"title": f"Acme wins order number {number}"} for number in range(20)]
    articles, rejects = read(write(tmp_path, ROW, *others, ROW | changed))
    assert rejects == [reason]
    assert len(articles) == 21


def test_items_of_an_8_k_are_articles_that_say_how_they_begin(tmp_path: Path) -> None:
    items = {
        "item_8.01": "ITEM 8.01\n--------\n" + "word " * 70,
        "item_9.01": "Exhibits",
        "item_5.02": "Gone.",
    }
    one = {"company": "ACME PUMPS CORP \\PA\\", "date": "2021-04-03", "items": items}
    two = {"company": "Acme Pumps Corp.", "date": "2022-05-04", "items": {"item_5.02": "Back."}}
    articles, rejects = read(write(tmp_path, one, two))
    assert rejects == []
    assert articles == [
        (f"Acme Pumps Corp: {text}", day, {"Acme Pumps Corp": None})
        for text, day in (
            ("ITEM 8.01 " + "word " * 58 + "...", "2021-04-03"),
            ("Gone.", "2021-04-03"),
            ("Back.", "2022-05-04"),
        )
    ]


def test_a_title_of_another_day_is_another_article(tmp_path: Path) -> None:
    articles, rejects = read(write(tmp_path, ROW, ROW | {"date": "2021-04-04"}))
    assert (len(articles), rejects) == (2, [])


def test_the_shared_news_are_read(shared: Path) -> None:
    headlines, rejects = read(shared / "news/sentfin_headlines.csv")
    assert (len(headlines), rejects) == (6_983, [])
    labels = Counter(label for *_, named in headlines for label in named.values())
    assert set(labels) == {"positive", "neutral", "negative"}
    events, rejects = read(shared / "news/edgar_8k_events.jsonl.gz")
    assert (len(events), len({company for *_, named in events for company in named})) == (564, 19)
