"""Every suite of the registry keeps what the others build on; and no suite's code is part of another's steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from tasks.relations import sql_files
from tasks.schemas import TABLES
from tasks.settings import FILE_SETTINGS, MODEL_SETTINGS, SUITE_OPTIONS, RunSettings
from tasks.suites import SUITES, Suite, load_suite

ROOT = Path(__file__).parents[3]
# Rooms whose code makes rows; the rest carries rows from one to the other.
NOUNS = (
    "questions",
    "citations",
    "perturbations",
    "contexts",
    "judges",
    "answers",
    "derivations",
    "datasets",
    "text",
)
# What shows things to people, and changes no row.
SHOWING = {"text/visible.py", "text/passages.py", "text/differences.py", "text/counterpart.py"}
RELATIONS = {file.relation for file in sql_files()}


@pytest.fixture(params=SUITES)
def suite(request: pytest.FixtureRequest) -> Suite:
    return load_suite(request.param)


def test_a_suite_is_named_as_the_registry_names_it_and_has_its_sql(suite: Suite) -> None:
    assert load_suite(suite.name) is suite
    for relation in (f"scores.{suite.name}", f"metrics.{suite.name}", f"staging.{suite.name}_units"):
        assert relation in RELATIONS
    assert {f"reports.{name}" for name in suite.reports} <= RELATIONS
    assert set(suite.headlines) <= set(suite.reports)


def test_a_suite_says_of_every_step_what_it_depends_on(suite: Suite) -> None:
    needed = {"contexts", "qa_pairs", "dataset", "answers", "judgements", "metrics"}
    needed |= {"cases"} if suite.perturbations else set()
    needed |= {"rejudgements"} if suite.judge else set()
    assert needed <= suite.steps.keys()
    known = {field.name for field in fields(RunSettings)}
    for name, step in suite.steps.items():
        assert set(step.settings) <= known, name
        for room in step.rooms:
            assert (ROOT / "tasks" / room).exists(), room
        for prompt in step.prompts:
            assert (ROOT / "tasks" / "prompts" / prompt).exists(), prompt
    assert all(
        (ROOT / "tasks" / "prompts" / f"{each.template}.txt").exists() for each in suite.operations.values()
    )


def test_a_suites_operations_answer_and_judges_are_there(suite: Suite) -> None:
    assert suite.operations[suite.answer.name] is suite.answer
    assert suite.answer.name == "answer"  # by which staging.answer_requests knows it
    assert suite.judge is not None or suite.own_judges
    assert suite.judges(RunSettings(suite=suite.name))
    assert set(suite.tables) <= TABLES.keys()
    assert suite.longest_context(RunSettings()) > 0


def test_a_suite_is_in_words(suite: Suite) -> None:
    words = suite.words
    assert words.asks
    assert "eprint" in words.paper
    assert words.metrics
    assert set(words.judges) == set(suite.own_judges)
    assert list(words.perturbations) == ["baseline", *suite.perturbations]


def test_each_setting_that_not_every_suite_reads_is_read_by_one() -> None:
    read = [load_suite(name).settings for name in SUITES]
    assert set(SUITE_OPTIONS) <= frozenset().union(*read)
    assert {*MODEL_SETTINGS, *FILE_SETTINGS} <= set(SUITE_OPTIONS)


# --- the code behind a suite's steps -----------------------------------------------------


def _imported(file: Path) -> Iterator[Path]:
    """The files of `tasks/` that a file imports, where they are there."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tasks"):
            module = ROOT / Path(*str(node.module).split("."))
            for alias in node.names:
                for found in (module / f"{alias.name}.py", module / alias.name / "__init__.py"):
                    if found.exists():
                        yield found
                        break
                else:
                    yield (
                        module.with_suffix(".py")
                        if module.with_suffix(".py").exists()
                        else module / "__init__.py"
                    )


def _behind(suite: str) -> set[str]:
    """Files of the noun rooms, below `tasks/`, that a suite's value imports, directly or through others."""
    waiting, seen = [ROOT / "tasks" / "suites" / f"{suite}.py"], set()
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += [
                found for found in _imported(file) if found.relative_to(ROOT / "tasks").parts[0] in NOUNS
            ]
    names = {file.relative_to(ROOT / "tasks").as_posix() for file in seen}
    return {name for name in names if name.split("/")[0] in NOUNS}


def _hashed(suite: Suite) -> set[str]:
    """Files that are part of the identity of one of a suite's steps."""
    rooms = {ROOT / "tasks" / room for step in suite.steps.values() for room in step.rooms}
    files = [file for room in rooms for file in ([room] if room.is_file() else room.rglob("*"))]
    return {file.relative_to(ROOT / "tasks").as_posix() for file in files}


def test_all_code_that_makes_a_suites_rows_is_part_of_its_steps_identities(suite: Suite) -> None:
    of_every_step = {"text/tokens.py", "text/__init__.py"}
    missing = {
        name
        for name in _behind(suite.name) - _hashed(suite) - of_every_step - SHOWING
        if not name.endswith("__init__.py")
    }
    assert missing == set()


def test_a_change_in_one_suites_own_code_remakes_no_other_suites_rows() -> None:
    own = {
        name: _behind(name) - set().union(*(_behind(other) for other in SUITES if other != name))
        for name in SUITES
    }
    for name in SUITES:
        assert own[name]
        for other in SUITES:
            if other != name:
                assert own[name] & _hashed(load_suite(other)) == set()
