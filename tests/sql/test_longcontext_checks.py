"""Records of the long-context suite: sound ones pass the checks, each planted fault is found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tasks.core.rows import Case, Context
from tasks.suites.longcontext.rows import (
    Article,
    BarredArticle,
    Mention,
    PlacedArticle,
    PlannedRecord,
    Query,
    Record,
)
from tests.filled import filled
from tests.newsroom import Built, newsroom
from tests.sql.conftest import Breaking, HandmadeLake, guilty_releases, numbered


def record_of(lake: HandmadeLake, task: str) -> Record:
    queries = {query.query_id for query in lake.of(Query, task=task)}
    return next(r for r in lake.of(Record) if r.query_id in queries and r.n_needles > 1)


def query_of(lake: HandmadeLake, task: str) -> Query:
    return lake.only(Query, query_id=record_of(lake, task).query_id)


def case_of(lake: HandmadeLake, task: str) -> Case:
    return lake.only(Case, case_id=record_of(lake, task).case_id)


def placed(lake: HandmadeLake, task: str, kind: str, **known: Any) -> PlacedArticle:
    return lake.of(PlacedArticle, case_id=record_of(lake, task).case_id, kind=kind, **known)[0]


def background(lake: HandmadeLake, task: str) -> Article:
    """Find an article that is neither needle nor hard negative."""
    record = record_of(lake, task)
    known = {row.article_id for row in lake.of(PlacedArticle, case_id=record.case_id)}
    article_id = next(each for each in record.articles if each not in known)
    return lake.only(Article, article_id=article_id)


def _another_article_fits(lake: HandmadeLake) -> None:
    mention = Mention(company=query_of(lake, "company").company, sentiment="neutral")
    lake.change(background(lake, "company"), mentions=(mention,))


def _the_target_lacks_a_needle(lake: HandmadeLake) -> None:
    case = case_of(lake, "company_time")
    lake.change(case, target=json.dumps(json.loads(case.target)[1:]))


def _a_title_names_the_company(lake: HandmadeLake) -> None:
    article, company = background(lake, "company"), query_of(lake, "company").company
    lake.change(article, title=f"Rival of {company.upper()}: {article.title}", source="file")


def _a_company_may_be_the_same(lake: HandmadeLake) -> None:
    company, article = query_of(lake, "company").company, background(lake, "company")
    barred = filled(BarredArticle, company=company, article_id=article.article_id)
    lake.add(barred, suite="longcontext")


def _a_depth_was_not_drawn(lake: HandmadeLake) -> None:
    planned = lake.of(PlannedRecord, number=record_of(lake, "company").number)[0]
    lake.change(planned, depths=tuple(depth / 2 + 0.01 for depth in planned.depths))


def _a_text_has_another_line(lake: HandmadeLake) -> None:
    context = lake.only(Context, context_id=case_of(lake, "time").context_id)
    needle = placed(lake, "time", "needle").shown_date or ""
    lake.change(context, text=context.text.replace(needle, needle[::-1]))


def _a_twin_has_other_articles(lake: HandmadeLake) -> None:
    record = record_of(lake, "company")
    of = {"query_id": record.query_id, "number": record.number}
    twin = lake.of(Record, **of, n_needles=0)[0]
    first, second, *rest = twin.articles
    lake.change(twin, articles=(second, first, *rest))


PLANTED: dict[str, list[Breaking]] = {
    "needles_are_exactly_what_fits": [
        _another_article_fits,
        lambda lake: lake.change(background(lake, "time"), published=query_of(lake, "time").today),
    ],
    "targets_are_the_needles": [_the_target_lacks_a_needle],
    "nothing_fits_by_accident": [
        _a_title_names_the_company,
        _a_company_may_be_the_same,
        lambda lake: lake.change(
            background(lake, "company_time"), published=query_of(lake, "company_time").since
        ),
    ],
    "depths_are_as_drawn": [_a_depth_was_not_drawn],
    "negatives_nearly_fit": [
        lambda lake: lake.change(
            placed(lake, "company_time", "induced"), reason="similar name", kind="natural"
        ),
        # a date that is ambiguous
        lambda lake: lake.change(
            placed(lake, "time", "natural", reason="other format"), shown_date="2024-05-06"
        ),
    ],
    "lengths_are_kept": [
        lambda lake: lake.change(
            record_of(lake, "company"), n_tokens=record_of(lake, "company").budget + 1
        ),
        _a_text_has_another_line,
    ],
    "twins_differ_only_by_needles": [_a_twin_has_other_articles],
    "parents_exist": [lambda lake: lake.drop(background(lake, "company"))],
    "ids_are_unique": [lambda lake: lake.add(record_of(lake, "company"), suite="longcontext")],
    "planned_records_are_made_or_rejected": [lambda lake: lake.drop(record_of(lake, "company"))],
}
BROKEN = numbered(PLANTED)


@pytest.fixture(scope="module")
def guilty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The releases that each check finds; one is sound, each other has one fault."""
    sound = HandmadeLake(tmp_path_factory.mktemp("lake"))
    known: dict[str, Any] = {"lengths": (4000,), "records": (3,), "queries": 2}
    built = Built(newsroom(), placements=("append", "both"), **known)
    for rows in built.found.values():
        sound.add(*rows, suite="longcontext")
    return guilty_releases(sound, BROKEN, "longcontext")


def test_sound_records_pass(guilty: dict[str, set[str]]) -> None:
    assert [check for check, releases in guilty.items() if "sound" in releases] == []


@pytest.mark.parametrize("release", BROKEN)
def test_a_planted_fault_is_found(guilty: dict[str, set[str]], release: str) -> None:
    assert release in guilty[f"longcontext.{release.partition(' ')[0]}"]


def test_every_check_is_seen_to_fail(guilty: dict[str, set[str]]) -> None:
    assert {f"longcontext.{check}" for check in PLANTED} == guilty.keys()
