"""Judges, as a run names them, and a run of several suites."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.pipeline.resolved import each_suite, resolve, settings_of
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.suites.registry import SUITES, load_suite


def names(suite: str, *judges: str) -> dict[str, str]:
    """Map the names of a run's judges to what they are in the suite."""
    known = {id(judge): name for name, judge in load_suite(suite).judges.items()}
    found = resolve(RunSettings(suite=suite, judge=judges)).judges
    return {each.name: known[id(each.judge)] for each in found}


def test_a_model_alone_is_the_usual_judge_and_others_are_named() -> None:
    assert names("failsafeqa", "m@http://h/a=b/v1", "full_context=m", "reference_only=m") == {
        "m": "citations",
        "full_context=m": "full_context",
        "reference_only=m": "reference_only",
    }
    assert names("failsafeqa") == {"extractive": "citations"}


def test_a_suite_without_a_usual_judge_wants_a_name() -> None:
    assert names("tablequest", "critique=m") == {"critique=m": "critique"}
    with pytest.raises(WrongSettings, match="--judge of tablequest is one of"):
        names("tablequest", "m")


@pytest.mark.parametrize("given", ["everything=m", "full_context=", "full_context", "citations=m"])
def test_a_judge_that_does_not_exist_is_refused_with_those_that_do(given: str) -> None:
    with pytest.raises(WrongSettings) as refused:
        names("failsafeqa", given)
    assert str(refused.value) == (
        "--judge of failsafeqa is one of "
        f"MODEL, full_context=MODEL, reference_only=MODEL, not {given}"
    )


def test_each_of_several_suites_gets_what_it_reads() -> None:
    given = {"judge": ("m", "strict"), "generator": "m", "context_tokens": 4000, "panel": ()}
    runs = each_suite(settings_of(suite="failsafeqa,faith,tablequest", **given))
    found = {run.suite: (dict(run.options), dict(run.roles), run.judge) for run in runs}
    assert found == {
        "failsafeqa": ({"context_tokens": 4000}, {"generator": ("m",)}, ("m",)),
        "faith": ({}, {"panel": ()}, ("strict",)),
        "tablequest": ({"context_tokens": 4000}, {"generator": ("m",)}, ()),
    }
    assert [run.suite for run in each_suite(RunSettings(suite="all"))] == list(SUITES)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"judge": ("nosuch=m",)}, "not nosuch=m"), ({"dataset": "f.json"}, "a file of one suite")],
)
def test_what_none_of_several_suites_takes_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(WrongSettings, match=says):
        each_suite(RunSettings(suite="faith,longcontext", **wrong))
    with pytest.raises(WrongSettings, match="faith,longcontext does not read --pairs-of"):
        settings_of(suite="faith,longcontext", pairs_of=1)
