"""How articles nearly fit: each reason holds for what it names, and for nothing that fits."""

from __future__ import annotations

import pytest

from tasks.suites.longcontext.records.candidates import NEAR, Names, candidates_of
from tasks.suites.longcontext.records.pool import ArticlePool
from tasks.suites.longcontext.rows import Article, Mention, Query

NAMES = Names(similar={"Tata Steel": {"Tata Power": 0.6}}, barred={"Tata Steel": {"barred"}})


def article(day: str = "2024-05-10", article_id: str = "a", **sentiments: str | None) -> Article:
    mentions = sentiments or {"Tata Steel": "positive"}
    return Article(
        article_id=article_id,
        source="file",
        title="A title",
        published=day,
        is_date_drawn=False,
        mentions=tuple(Mention(company=c, sentiment=s) for c, s in mentions.items()),
    )


def query(task: str) -> Query:
    has_time = task.endswith("time")
    return Query(
        query_id=task,
        task=task,
        place=0,
        company=None if task == "time" else "Tata Steel",
        sentiment="positive" if task.endswith("sentiment") else None,
        sentiments="positive, neutral, negative",
        since="2024-05-01" if has_time else None,
        today="2024-05-31" if has_time else None,
        n_fitting=1,
    )


STEEL, POWER, OTHER = "Tata Steel", "Tata Power", "Infosys"
BOTH = {STEEL: "negative", POWER: "positive"}


@pytest.mark.parametrize(
    ("task", "day", "mentions", "fits", "near", "is_kept_out"),
    [
        ("company", "2024-05-10", {STEEL: "positive"}, True, [], True),
        ("company", "2024-05-10", {POWER: None}, False, ["similar name"], True),
        ("company", "2024-05-10", {OTHER: None}, False, [], False),
        ("time", "2024-05-31", {OTHER: None}, True, ["other format"], True),
        ("time", "2024-05-13", {OTHER: None}, True, ["other format"], True),
        ("time", "2024-05-01", {OTHER: None}, False, [], True),  # on the first day
        ("time", "2024-04-30", {OTHER: None}, False, ["just outside"], True),
        ("time", "2024-03-02", {OTHER: None}, False, ["just outside"], True),
        ("time", "2024-03-01", {OTHER: None}, False, [], False),
        ("time", "2024-06-01", {OTHER: None}, False, [], True),  # after today
        ("company_time", "2024-05-10", {STEEL: None}, True, [], True),
        ("company_time", "2024-04-10", {STEEL: None}, False, ["other time"], True),
        ("company_time", "2024-05-01", {STEEL: None}, False, [], True),
        ("company_time", "2024-06-01", {STEEL: None}, False, [], True),
        ("company_time", "2024-05-10", {OTHER: None}, False, [], False),
        ("company_time", "2024-05-01", {OTHER: None}, False, [], True),
        ("company_sentiment", "2024-05-10", {STEEL: "positive"}, True, [], True),
        ("company_sentiment", "2024-05-10", {STEEL: "neutral"}, False, ["other sentiment"], True),
        ("company_sentiment", "2024-05-10", {STEEL: None}, False, [], True),
        ("company_sentiment", "2024-05-10", {POWER: "positive"}, False, ["similar name"], True),
        ("company_sentiment", "2024-05-10", BOTH, False, ["other sentiment"], True),
    ],
)
def test_sorts_an_article(task, day, mentions, fits, near, is_kept_out):
    pool = ArticlePool([article(day, **mentions)], "cl100k_base")
    found = candidates_of(query(task), pool, NAMES)
    assert bool(found.fitting) == fits
    assert [reason for reason, places in found.near.items() if places] == near
    assert bool(found.kept_out) == is_kept_out


def test_likely_negatives_look_alike_and_miss_only_the_company():
    far, power = NEAR["similar name"].far, article(**{POWER: None})
    alike, unlike = (far(query("company_time"), power, {POWER: n}) for n in (0.9, 0.5))
    late = far(query("company_time"), article("2024-06-10", **{POWER: None}), {POWER: 0.9})
    assert alike < unlike < late - 1


@pytest.mark.parametrize("task", ["company", "company_time", "company_sentiment"])
@pytest.mark.parametrize("company", [STEEL, POWER, OTHER])
def test_keeps_barred_articles_out(task, company):
    pool = ArticlePool([article(article_id="barred", **{company: "positive"})], "cl100k_base")
    found = candidates_of(query(task), pool, NAMES)
    assert not found.fitting
    assert not any(found.near.values())
    assert found.kept_out == {0}
