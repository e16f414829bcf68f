"""Every suite of the registry keeps what the others build on; and no suite's code is part of another's steps."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tasks.relations import sql_files
from tasks.schemas import TABLES
from tasks.settings import FILE_SETTINGS, MODEL_SETTINGS, SUITE_OPTIONS, RunSettings, WrongSettings
from tasks.suites import SUITES, Suite, check_suite_settings, load_suite

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
    "edgar",
    "text",
)
# What shows things to people, and changes no row.
SHOWING = {"text/visible.py", "text/passages.py", "text/differences.py", "text/counterpart.py"}
# What stands in one file with a parser that judges use, for the rule that answers: no verdict depends on it.
ANSWERS_BY_RULE = ("derivations/", "edgar/")
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


def test_a_suites_plan_is_of_what_it_asks(suite: Suite) -> None:
    plan = suite.plan
    assert {*plan.build, *plan.judged} <= suite.operations.keys()
    assert {each.asked for each in plan.build.values()} <= suite.settings
    assert {each.part for each in plan.build.values()} - {None} <= suite.perturbations.keys()
    assert bool(plan.judged) == (suite.judge is not None)


def test_verbs_are_looked_for_where_a_step_says_so(suite: Suite) -> None:
    for step in ("qa_pairs", "dataset"):
        assert ("text/verbs.py" in suite.steps[step].rooms) == suite.has_verbs


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


# --- the code behind a suite's steps -----------------------------------------------------


def _imported(code: ast.AST) -> Iterator[Path]:
    """The files of `tasks/` that code imports, where they are there."""
    for node in ast.walk(code):
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


def _behind(*files: Path) -> set[str]:
    """Those of some files, and of what they import, directly or through others, that lie in the noun rooms."""
    waiting, seen = list(files), set()
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            code = ast.parse(file.read_text(encoding="utf-8"))
            waiting += [
                found for found in _imported(code) if found.relative_to(ROOT / "tasks").parts[0] in NOUNS
            ]
    names = {file.relative_to(ROOT / "tasks").as_posix() for file in seen}
    return {name for name in names if name.split("/")[0] in NOUNS}


def _hashed(suite: Suite, *steps: str) -> set[str]:
    """Files that are part of the identity of some of a suite's steps."""
    rooms = {ROOT / "tasks" / room for step in steps for room in suite.steps[step].rooms}
    files = [file for room in rooms for file in ([room] if room.is_file() else room.rglob("*"))]
    return {file.relative_to(ROOT / "tasks").as_posix() for file in files}


def _parts(suite: Suite) -> dict[str, list[Callable[..., Any]]]:
    """Step -> the functions by which a suite makes its rows."""
    judges = [*suite.own_judges.values(), suite.judge, suite.attacks]
    parts: dict[str, list[Callable[..., Any]]] = {
        "contexts": [suite.contexts],
        "qa_pairs": [suite.write],
        "dataset": [suite.load_dataset],
        "answers": [suite.answer_inputs],
        "judgements": [judge for judge in judges if judge],
    }
    for name, perturbation in suite.perturbations.items():
        own = f"cases.{name}"
        parts.setdefault(own if own in suite.steps else "cases", []).append(perturbation)
    return parts


def _files_of(part: Callable[..., Any]) -> set[Path]:
    """The file of a part; of one that a suite's value defines, those that it names, itself or by others beside it."""
    file = ROOT / Path(*part.__module__.split(".")).with_suffix(".py")
    if file.parent.name != "suites":
        return {file}
    tree = ast.parse(file.read_text(encoding="utf-8"))
    beside = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    imports = {
        alias.asname or alias.name: ast.ImportFrom(module=node.module, names=[alias])
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    waiting, named = [part.__qualname__.split(".")[0]], set[str]()
    while waiting:
        names = {node.id for node in ast.walk(beside[waiting.pop()]) if isinstance(node, ast.Name)} - named
        named |= names
        waiting += sorted(names & beside.keys())
    return {found for name in named & imports.keys() for found in _imported(imports[name])}


def test_all_code_that_makes_a_steps_rows_is_part_of_its_identity(suite: Suite) -> None:
    of_every_step = {"text/tokens.py"}
    for step, parts in _parts(suite).items():
        behind = _behind(*(file for part in parts for file in _files_of(part)))
        missing = behind - _hashed(suite, step) - of_every_step - SHOWING
        if step == "judgements":
            missing = {name for name in missing if not name.startswith(ANSWERS_BY_RULE)}
        assert {name for name in missing if not name.endswith("__init__.py")} == set(), step


def test_a_change_in_one_suites_own_code_remakes_no_other_suites_rows() -> None:
    behind = {name: _behind(ROOT / "tasks" / "suites" / f"{name}.py") for name in SUITES}
    own = {
        name: files - set().union(*(behind[other] for other in SUITES if other != name))
        for name, files in behind.items()
    }
    for name in SUITES:
        assert own[name]
        for other in SUITES:
            if other != name:
                assert own[name] & _hashed(load_suite(other), *load_suite(other).steps) == set()
