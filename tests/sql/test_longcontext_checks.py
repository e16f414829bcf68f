"""Records of the long-context suite: sound ones pass the checks, each planted fault is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
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
from tests.newsroom import Built, newsroom
from tests.newsroom_lake import failed, rows_of

Rows = dict[type, list[Any]]


@pytest.fixture(scope="module")
def built() -> Built:
    return Built(
        newsroom(), lengths=(4000,), records=(3,), queries=2, placements=("append", "both")
    )


def change(rows: Rows, old: Any, **columns: Any) -> None:
    some = rows[type(old)]
    some[some.index(old)] = replace(old, **columns)


def record_of(rows: Rows, task: str) -> Record:
    of_task = {query.query_id for query in rows[Query] if query.task == task}
    return next(r for r in rows[Record] if r.query_id in of_task and r.n_needles > 1)


def placed_in(rows: Rows, record: Record, *kinds: str) -> list[PlacedArticle]:
    return [p for p in rows[PlacedArticle] if p.case_id == record.case_id and p.kind in kinds]


def background_of(rows: Rows, record: Record) -> Article:
    placed = {each.article_id for each in rows[PlacedArticle] if each.case_id == record.case_id}
    wanted = next(article_id for article_id in record.articles if article_id not in placed)
    return next(article for article in rows[Article] if article.article_id == wanted)


def query_of(rows: Rows, record: Record) -> Query:
    return next(query for query in rows[Query] if query.query_id == record.query_id)


def _another_article_fits(rows: Rows) -> None:
    record = record_of(rows, "company")
    mention = Mention(company=query_of(rows, record).company, sentiment="neutral")
    change(rows, background_of(rows, record), mentions=(mention,))


def _another_date_fits(rows: Rows) -> None:
    record = record_of(rows, "time")
    change(rows, background_of(rows, record), published=query_of(rows, record).today)


def _the_target_lacks_a_needle(rows: Rows) -> None:
    record = record_of(rows, "company_time")
    case = next(case for case in rows[Case] if case.case_id == record.case_id)
    change(rows, case, target=json.dumps(json.loads(case.target)[1:]))


def _a_title_names_the_company(rows: Rows) -> None:
    record = record_of(rows, "company")
    company = query_of(rows, record).company
    article = background_of(rows, record)
    change(rows, article, title=f"Rival of {company.upper()}: {article.title}", source="file")


def _a_company_may_be_the_same(rows: Rows) -> None:
    record = record_of(rows, "company")
    rows[BarredArticle] = [
        BarredArticle(
            company=query_of(rows, record).company,
            article_id=background_of(rows, record).article_id,
            reason="may be about it",
            other_company="x",
        )
    ]


def _a_date_is_on_the_first_day(rows: Rows) -> None:
    record = record_of(rows, "company_time")
    change(rows, background_of(rows, record), published=query_of(rows, record).since)


def _a_depth_was_not_drawn(rows: Rows) -> None:
    record = record_of(rows, "company")
    planned = next(p for p in rows[PlannedRecord] if p.number == record.number)
    change(rows, planned, depths=tuple(depth / 2 + 0.01 for depth in planned.depths))


def _a_negative_is_another_kind(rows: Rows) -> None:
    negative = placed_in(rows, record_of(rows, "company_time"), "induced")[0]
    change(rows, negative, reason="similar name", kind="natural")


def _a_negative_shows_an_ambiguous_date(rows: Rows) -> None:
    record = record_of(rows, "time")
    negative = next(p for p in placed_in(rows, record, "natural") if p.reason == "other format")
    change(rows, negative, shown_date="2024-05-06")


def _a_prompt_is_over_its_budget(rows: Rows) -> None:
    record = record_of(rows, "company")
    change(rows, record, n_tokens=record.budget + 1)


def _a_text_has_another_line(rows: Rows) -> None:
    record = record_of(rows, "time")
    case = next(case for case in rows[Case] if case.case_id == record.case_id)
    context = next(each for each in rows[Context] if each.context_id == case.context_id)
    needle = placed_in(rows, record, "needle")[0].shown_date
    change(rows, context, text=context.text.replace(needle, needle[::-1]))


def _a_twin_has_other_articles(rows: Rows) -> None:
    record = record_of(rows, "company")
    twin = next(
        r
        for r in rows[Record]
        if r.query_id == record.query_id and not r.n_needles and r.number == record.number
    )
    first, second, *rest = twin.articles
    change(rows, twin, articles=(second, first, *rest))


def _a_record_is_lost(rows: Rows) -> None:
    rows[Record].remove(record_of(rows, "company"))


def _an_article_is_lost(rows: Rows) -> None:
    rows[Article].remove(background_of(rows, record_of(rows, "company")))


def _a_record_is_there_twice(rows: Rows) -> None:
    rows[Record].append(record_of(rows, "company"))


PLANTED: dict[Callable[[Rows], None], str] = {
    _another_article_fits: "check_needles_are_exactly_what_fits",
    _another_date_fits: "check_needles_are_exactly_what_fits",
    _the_target_lacks_a_needle: "check_targets_are_the_needles",
    _a_title_names_the_company: "check_nothing_fits_by_accident",
    _a_company_may_be_the_same: "check_nothing_fits_by_accident",
    _a_date_is_on_the_first_day: "check_nothing_fits_by_accident",
    _a_depth_was_not_drawn: "check_depths_are_as_drawn",
    _a_negative_is_another_kind: "check_negatives_nearly_fit",
    _a_negative_shows_an_ambiguous_date: "check_negatives_nearly_fit",
    _a_prompt_is_over_its_budget: "check_lengths_are_kept",
    _a_text_has_another_line: "check_lengths_are_kept",
    _a_twin_has_other_articles: "check_twins_differ_only_by_needles",
    _an_article_is_lost: "check_parents_exist",
    _a_record_is_there_twice: "check_ids_are_unique",
    _a_record_is_lost: "check_planned_records_are_made_or_rejected",
}


def test_sound_records_pass(built):
    assert failed({"dev": rows_of(built)}) == {"dev": set()}


@pytest.fixture(scope="module")
def guilty(built) -> dict[str, set[str]]:
    """The checks that each of many releases fails; each has one fault, whose name it has."""
    releases = {}
    for plant in PLANTED:
        releases[plant.__name__] = rows_of(built)
        plant(releases[plant.__name__])
    return failed(releases)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__.strip("_"))
def test_a_planted_fault_is_found(guilty, plant):
    assert PLANTED[plant] in guilty[plant.__name__]
