"""A sound lake passes every check; the check made for it finds each way of breaking it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.rows import (
    Case,
    Context,
    Judgement,
    Request,
    Response,
)
from tasks.inference.cache.response_cache import ResponseCache
from tasks.suites.faith.rows import Derivation, MaskedSpan
from tasks.suites.registry import SUITES
from tasks.warehouse.connection import keep_rows, open_warehouse, run_checks
from tasks.warehouse.sql_files import sql_files
from tests.sql.breakings import (
    BREAKINGS,
    OF_METRICS,
    OF_THE_WHOLE,
    OF_UNITS,
    change,
    change_call,
    change_case,
    change_traits,
    drop_calls,
    reject_what_was_made,
    rejected_context,
    second_document,
)
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import case_of, fill, only


@pytest.fixture
def sound(lake, answered, bought):
    """A lake that holds together."""
    return fill(lake, answered, bought)


def failing(lake) -> set[str]:
    suites = {suite for _, _, suite in lake.rows if suite in SUITES} or SUITES
    with lake.open(asked=f"from checks.{OF_METRICS}") as connection:
        return {
            _named(relation)
            for suite in suites
            for relation, rows in run_checks(connection, suite).items()
            if rows
        }


def _named(relation: str) -> str:
    return relation.removeprefix("checks.").replace(".check_", ".")


def test_a_sound_lake_passes_every_check(sound) -> None:
    assert failing(sound) == set()


def test_an_empty_lake_passes_every_check(lake) -> None:
    assert failing(lake) == set()


def with_masked_figures(lake) -> None:
    add_masked(lake)


def with_an_unproved_figure_that_the_panel_is_unanimous_on(lake) -> None:
    add_masked(lake)
    lake.drop(only(lake, Derivation))
    change(MaskedSpan, mask_type=None)(lake)
    change_traits(scenario="no derivation", mask_type=None)(lake)


def with_a_reject_of_a_case_that_could_not_be_made(lake) -> None:
    case = case_of(lake, "ocr")
    for row in (*lake.of(Request), *lake.of(Response), *lake.of(Judgement), *lake.of(Case)):
        if getattr(row, "case_id", None) == case.case_id or row in lake.of(Response):
            if isinstance(row, Response) and not row.request_id.startswith(case.case_id):
                continue
            lake.drop(row)
    reject_what_was_made(lake)


def with_a_reject_of_a_document_without_a_context(lake) -> None:
    lake.add(second_document(lake), suite=None)
    lake.add(rejected_context("second"))


def with_odd_rows_of_a_published_dataset(lake) -> None:
    """Published queries may equal the original, record no edits, and stand on uncut contexts."""
    context = next(context for context in lake.of(Context) if context.kind == "truncated")
    lake.swap(context, replace(context, kind="dataset", details="{}"))
    for variant in ("misspelled", "incomplete"):
        change_case(variant, query="What was revenue?", details="{}")(lake)


SOUND = {
    made.__name__: made
    for made in (
        with_masked_figures,
        with_an_unproved_figure_that_the_panel_is_unanimous_on,
        with_a_reject_of_a_case_that_could_not_be_made,
        with_a_reject_of_a_document_without_a_context,
        with_odd_rows_of_a_published_dataset,
    )
}


@pytest.fixture(scope="module")
def guilty(tmp_path_factory, handmade, answered, bought) -> dict[str, set[str]]:
    """Map each check to the releases that fail it; in one lake, each release has one fault or none.

    Nothing is scored, so that no release has metrics that its units do not give.
    """
    together = handmade(tmp_path_factory.mktemp("lake"))
    broken = {f"broken-{number}": breaking for number, (_, breaking) in enumerate(BREAKINGS)}
    for release, alter in (broken | SOUND).items():
        lake = fill(handmade(together.root), answered, bought)
        alter(lake)
        for (table, _, suite), rows in lake.rows.items():
            together.rows[(table, release, suite)] = rows
    with open_warehouse(together.write(), journal=ResponseCache(together.journal)) as connection:
        # the files, two thousand in all, are read once for all checks
        for table in {table for table, _, _ in together.rows}:
            keep_rows(connection, f"raw.{table}")
        return {
            _named(file.relation): {
                release
                for (release,) in connection.execute(
                    f"select release from {file.relation}"
                ).fetchall()
            }
            for file in sql_files()
            if file.is_check and file.name != OF_THE_WHOLE
        }


@pytest.mark.parametrize("number", range(len(BREAKINGS)), ids=[check for check, _ in BREAKINGS])
def test_a_check_finds_what_it_is_there_for(guilty, number) -> None:
    assert f"broken-{number}" in guilty[BREAKINGS[number][0]]


@pytest.mark.parametrize("release", SOUND)
def test_a_sound_release_passes_every_check(guilty, release) -> None:
    assert [check for check, releases in guilty.items() if release in releases] == []


def test_dollars_that_no_bought_answer_has_cost_are_found(sound) -> None:
    change_call("p.ocr m", cost_usd=0.5)(sound)
    assert failing(sound) == {OF_THE_WHOLE}


def test_what_is_left_of_a_judges_group_keeps_its_primer(sound) -> None:
    """The judgements of another model, which shared the prefix, have been removed."""
    drop_calls("second", "third", "repair")(sound)
    change_call("first", subject_id="p.ocr m")(sound)
    assert failing(sound) == set()


def test_another_step_may_hold_a_newer_answer_to_a_key(sound) -> None:
    """Two models gave one answer; one of them was judged again with --fresh."""
    change_call("second", subject_id="p.ocr m")(sound)
    for row in sound.of(Request):
        if row.request_id == "p.misspelled m":
            sound.swap(row, replace(row, model="n"))
    change_call("third", subject_id="p.misspelled m", text="another")(sound)
    assert "a_key_has_one_answer" not in failing(sound)


def test_a_failure_and_an_answer_may_share_a_key(sound) -> None:
    change_call("third", text=None, status="error", error_type="timeout")(sound)
    assert failing(sound) == set()


def test_the_same_ids_in_two_releases_or_two_suites_do_not_collide(sound) -> None:
    for (table, release, suite), rows in list(sound.rows.items()):
        sound.rows[(table, "2026.11", suite)] = list(rows)
        if suite is not None:
            moved = [replace(row, suite="faith") if isinstance(row, Case) else row for row in rows]
            sound.rows[(table, release, "faith")] = moved
    assert failing(sound) == set()


def test_a_unit_of_an_unknown_case_or_without_a_denominator_is_found(sound) -> None:
    """No suite of ours gives such a unit, whatever its rows are."""
    with sound.open(asked=f"from checks.{OF_UNITS}") as connection:
        keep_rows(connection, "suites.units")
        assert connection.execute(f"from checks.{OF_UNITS}").fetchall() == []
        for change in (
            "case_id = 'unknown'",
            "denominator = null",
            "denominator = -1",
            "numerator = null",
        ):
            connection.execute("begin")
            connection.execute(f"update suites.units set {change} where numerator is not null")
            assert connection.execute(f"from checks.{OF_UNITS}").fetchall(), change
            connection.execute("rollback")


def test_a_metric_that_its_units_do_not_give_is_found(sound) -> None:
    with sound.open(asked=f"from checks.{OF_METRICS}") as connection:
        keep_rows(connection, "staging.sums")
        ((n,),) = connection.execute("select count(*) from reports.metrics").fetchall()
        assert n > 10
        assert connection.execute(f"from checks.{OF_METRICS}").fetchall() == []
        for change in (
            "set value = value - 1e-6 where value is not null",
            "set value = null where value is not null",
            "set value = 1 where value is null",
            "set n = n + 1 where value is not null",
            "set slice_value = 'another' where slice_by = 'variant'",
        ):
            connection.execute("begin")
            connection.execute(f"update raw.metrics {change}")
            assert connection.execute(f"from checks.{OF_METRICS}").fetchall(), change
            connection.execute("rollback")


def test_every_check_is_seen_to_fail() -> None:
    """Some suites' are, in tests of their own."""
    broken = {check for check, _ in BREAKINGS} | {OF_THE_WHOLE, OF_UNITS, OF_METRICS}
    checks = {_named(file.relation) for file in sql_files() if file.is_check}
    assert broken == {
        check
        for check in checks
        if not check.startswith(("tablequest.", "longcontext.", "refusalbench."))
    }
