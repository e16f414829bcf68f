"""A sound lake passes every check; the check made for it finds each way of breaking it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.rows import Case, Context, Judgement, Request, Response
from tasks.suites.faith.rows import Derivation
from tasks.suites.registry import SUITES
from tasks.warehouse.connection import keep_rows, run_checks
from tasks.warehouse.sql_files import sql_files
from tests.sql.breakings import (
    BREAKINGS,
    OF_METRICS,
    OF_UNITS,
    add_document,
    change_call,
    change_case,
    drop_calls,
    reject,
    reject_what_was_made,
)
from tests.sql.conftest import OF_THE_WHOLE, HandmadeLake, guilty_releases, name_of_check, numbered
from tests.sql.sound_lake import add_masked, fill


@pytest.fixture
def sound(lake: HandmadeLake) -> HandmadeLake:
    """A lake that holds together."""
    return fill(lake)


def failing(lake: HandmadeLake) -> set[str]:
    suites = {suite for _, _, suite in lake.rows if suite in SUITES} or SUITES
    with lake.open(query=f"from checks.{OF_METRICS}") as connection:
        return {
            name_of_check(relation)
            for suite in suites
            for relation, rows in run_checks(connection, suite).items()
            if rows
        }


def test_a_sound_lake_passes_every_check(sound) -> None:
    assert failing(sound) == set()


def test_an_empty_lake_passes_every_check(lake) -> None:
    assert failing(lake) == set()


def with_an_unproved_figure_that_the_panel_is_unanimous_on(lake) -> None:
    lake.drop(lake.only(Derivation))


def with_a_reject_of_a_case_that_could_not_be_made(lake) -> None:
    lake.drop(lake.only(Case, case_id="p.ocr"))
    lake.drop(lake.only(Judgement, case_id="p.ocr"))
    drop_calls("p.ocr m")(lake)
    reject_what_was_made(lake)


def with_a_reject_of_a_document_without_a_context(lake) -> None:
    add_document(lake)
    reject("contexts", "second")(lake)
    reject("contexts", "second", "faith")(lake)


def with_odd_rows_of_a_published_dataset(lake) -> None:
    """Published queries may equal the original, record no edits, and stand on uncut contexts."""
    lake.change(lake.only(Context, kind="truncated"), kind="dataset", details="{}")
    for variant in ("misspelled", "incomplete"):
        change_case(variant, query="What was revenue?", details="{}")(lake)


SOUND = {
    made.__name__: made
    for made in (
        with_an_unproved_figure_that_the_panel_is_unanimous_on,
        with_a_reject_of_a_case_that_could_not_be_made,
        with_a_reject_of_a_document_without_a_context,
        with_odd_rows_of_a_published_dataset,
    )
}
BROKEN = numbered(BREAKINGS)


@pytest.fixture(scope="module")
def guilty(tmp_path_factory) -> dict[str, set[str]]:
    """Map each check to the releases that fail it; each has one fault or none."""
    lake = fill(HandmadeLake(tmp_path_factory.mktemp("lake")))
    add_masked(lake)
    return guilty_releases(lake, BROKEN | SOUND, "checks", "failsafeqa", "faith")


@pytest.mark.parametrize("release", BROKEN)
def test_a_check_finds_what_it_is_there_for(guilty, release) -> None:
    assert release in guilty[release.partition(" ")[0]]


@pytest.mark.parametrize("release", ["sound", *SOUND])
def test_a_sound_release_passes_every_check(guilty, release) -> None:
    assert [check for check, releases in guilty.items() if release in releases] == []


def test_dollars_that_no_bought_answer_has_cost_are_found(sound) -> None:
    change_call(Response, "p.ocr m", cost_usd=0.5)(sound)
    assert failing(sound) == {OF_THE_WHOLE}


def test_what_is_left_of_a_judges_group_keeps_its_primer(sound) -> None:
    """The judgements of another model, which shared the prefix, have been removed."""
    drop_calls("second", "third", "repair")(sound)
    change_call(Request, "first", subject_id="p.ocr m")(sound)
    assert failing(sound) == set()


def test_another_step_may_hold_a_newer_answer_to_a_key(sound) -> None:
    """Two models gave one answer; one of them was judged again with --fresh."""
    change_call(Request, "second", subject_id="p.ocr m")(sound)
    change_call(Request, "p.misspelled m", model="n")(sound)
    change_call(Request, "third", subject_id="p.misspelled m")(sound)
    change_call(Response, "third", text="another")(sound)
    assert "a_key_has_one_answer" not in failing(sound)


def test_a_failure_and_an_answer_may_share_a_key(sound) -> None:
    change_call(Response, "third", text=None, status="error", error_type="timeout")(sound)
    assert failing(sound) == set()


def test_the_same_ids_in_two_releases_or_two_suites_do_not_collide(sound) -> None:
    for (table, release, suite), rows in list(sound.rows.items()):
        sound.rows[(table, "2026.11", suite)] = list(rows)
        if suite is not None:
            moved = [replace(row, suite="faith") if isinstance(row, Case) else row for row in rows]
            sound.rows[(table, release, "faith")] = moved
    assert failing(sound) == set()


def assert_each_is_found(connection, check: str, table: str, *changes: str) -> None:
    """Assert that a check finds nothing until a table is changed."""
    assert connection.execute(f"from checks.{check}").fetchall() == []
    for change in changes:
        connection.execute("begin")
        connection.execute(f"update {table} set {change}")
        assert connection.execute(f"from checks.{check}").fetchall(), change
        connection.execute("rollback")


def test_a_unit_of_an_unknown_case_or_without_a_denominator_is_found(sound) -> None:
    """No suite of ours gives such a unit, whatever its rows are."""
    with sound.open(query=f"from checks.{OF_UNITS}") as connection:
        keep_rows(connection, "suites.units")
        scored = "where numerator is not null"
        assert_each_is_found(
            connection,
            OF_UNITS,
            "suites.units",
            f"case_id = 'unknown' {scored}",
            f"denominator = null {scored}",
            f"denominator = -1 {scored}",
            f"numerator = null {scored}",
        )


def test_a_metric_that_its_units_do_not_give_is_found(sound) -> None:
    with sound.open(query=f"from checks.{OF_METRICS}") as connection:
        keep_rows(connection, "staging.sums")
        ((n,),) = connection.execute("select count(*) from reports.metrics").fetchall()
        assert n > 10
        assert_each_is_found(
            connection,
            OF_METRICS,
            "raw.metrics",
            "value = value - 1e-6 where value is not null",
            "value = null where value is not null",
            "value = 1 where value is null",
            "n = n + 1 where value is not null",
            "slice_value = 'another' where slice_by = 'variant'",
        )


def test_every_check_is_seen_to_fail() -> None:
    """Some suites' are, in tests of their own."""
    checks = {name_of_check(file.relation) for file in sql_files() if file.is_check}
    assert {*BREAKINGS, OF_THE_WHOLE, OF_UNITS, OF_METRICS} == {
        check
        for check in checks
        if not check.startswith(("tablequest.", "longcontext.", "refusalbench."))
    }
