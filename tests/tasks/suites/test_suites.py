"""Every suite of the registry keeps what the others build on."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from tasks.core.settings import FILE_SETTINGS, MODEL_SETTINGS, SUITE_OPTIONS, RunSettings, WrongSettings
from tasks.inference.prompts import template_file
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Suite, check_suite_settings
from tasks.warehouse.raw_tables import row_types
from tasks.warehouse.sql_files import report_of, sql_files

ROOT = Path(__file__).parents[3]
RELATIONS = {file.relation for file in sql_files()}


@pytest.fixture(params=SUITES)
def suite(request: pytest.FixtureRequest) -> Suite:
    return load_suite(request.param)


def test_a_suite_is_named_as_the_registry_names_it_and_has_its_sql(suite: Suite) -> None:
    assert load_suite(suite.name) is suite
    assert f"{suite.name}.units" in RELATIONS
    assert {report_of(suite.name, name) for name in suite.reports} <= RELATIONS
    assert set(suite.headlines) <= set(suite.reports)


def test_a_suite_says_of_every_step_what_it_depends_on(suite: Suite) -> None:
    needed = {"contexts", "qa_pairs", "dataset", "answers", "judgements", "metrics"}
    needed |= {"cases"} if suite.perturbations else set()
    needed |= {"rejudgements"} if suite.judge else set()
    assert needed <= suite.steps.keys()
    known = {field.name for field in fields(RunSettings)}
    for name, step in suite.steps.items():
        assert set(step.settings) <= known, name
        assert step.version >= 1
        for prompt in step.prompts:
            assert template_file(prompt).is_file() or template_file(prompt).is_dir(), prompt
    assert all(template_file(f"{each.template}.txt").is_file() for each in suite.operations.values())


def test_a_suites_operations_answer_and_judges_are_there(suite: Suite) -> None:
    assert suite.operations[suite.answer.name] is suite.answer
    assert suite.answer.name == "answer"  # by which staging.answer_requests knows it
    assert suite.judge is not None or suite.own_judges
    assert suite.judges(RunSettings(suite=suite.name))
    assert set(suite.rows) <= set(row_types().values())
    assert suite.longest_context(RunSettings()) > 0


def test_a_suites_plan_is_of_what_it_asks(suite: Suite) -> None:
    plan = suite.plan
    assert {*plan.build, *plan.judged} <= suite.operations.keys()
    assert {each.asked for each in plan.build.values()} <= suite.settings
    assert {each.part for each in plan.build.values()} - {None} <= suite.perturbations.keys()
    assert bool(plan.judged) == (suite.judge is not None)


def test_a_model_that_is_named_as_a_rule_that_judges_is_refused() -> None:
    for named in ({"model": ("strict",)}, {"panel": ("a", "b", "official@http://127.0.0.1:1/v1")}):
        with pytest.raises(WrongSettings, match="is a rule of faith's own"):
            check_suite_settings(load_suite("faith"), RunSettings(suite="faith", **named))
    check_suite_settings(load_suite("failsafeqa"), RunSettings(model=("strict",)))


def test_options_that_a_published_file_leaves_without_effect_are_refused() -> None:
    faith, failsafeqa = load_suite("faith"), load_suite("failsafeqa")
    panel = ("a", "b", "c")
    check_suite_settings(faith, RunSettings(suite="faith", panel=panel, pairs=3))
    with pytest.raises(WrongSettings, match=r"with --dataset, --panel, --pairs would change nothing"):
        check_suite_settings(faith, RunSettings(suite="faith", dataset="f.json", panel=panel, pairs=3))
    with pytest.raises(WrongSettings, match=r"with --dataset, --generator, --context-tokens would"):
        check_suite_settings(failsafeqa, RunSettings(dataset="f.json", generator="a", context_tokens=9_000))
    check_suite_settings(failsafeqa, RunSettings(dataset="f.json", beta=1.0, judge_repeats=0.5))


def test_a_suite_is_in_words(suite: Suite) -> None:
    words = suite.words
    assert words.asks
    assert "eprint" in words.paper
    assert words.metrics
    assert words.asked
    assert words.contexts
    assert set(words.judges) == set(suite.own_judges)
    assert list(words.perturbations) == ["baseline", *suite.perturbations]


def test_each_setting_that_not_every_suite_reads_is_read_by_one() -> None:
    read = [load_suite(name).settings for name in SUITES]
    assert set(SUITE_OPTIONS) <= frozenset().union(*read)
    assert {*MODEL_SETTINGS, *FILE_SETTINGS} <= set(SUITE_OPTIONS)
