"""The contract of a suite, over every suite of the registry."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Reject
from tasks.inference.prompts import template_file
from tasks.pipeline.plan import check_options
from tasks.pipeline.resolved import (
    CUT_CONTEXTS,
    SHARED_OPTIONS,
    dataset_step,
    parameters_of,
    resolve,
    settings_of,
)
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.results.report.contents import SECTIONS as PAGE_SECTIONS
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Step, Suite
from tasks.warehouse.raw_tables import row_types
from tasks.warehouse.sql_files import report_of, sql_files
from tests.some import some

ROOT = Path(__file__).parents[3]
SUITES_FOLDER = ROOT / "tasks" / "suites"
RELATIONS = {file.relation for file in sql_files()}
FLOOR_PLAN = ("__init__.py", "options.py", "answer.py", "page.py", "prompts", "README.md")
HEADINGS = ["Paper", "Mechanisms", "Prompts", "Conformance", "Measured", "Limits"]


@pytest.fixture(params=SUITES)
def suite(request: pytest.FixtureRequest) -> Suite:
    return load_suite(request.param)


def steps_of(suite: Suite) -> list[Step]:
    if suite.published is None:
        return list(suite.build)
    run = RunSettings(suite=suite.name, dataset="published")
    return [*suite.build, dataset_step(resolve(run))]


def test_a_suite_is_named_as_the_registry_names_it(suite: Suite) -> None:
    assert load_suite(suite.name) is suite
    assert f"{suite.name}.units" in RELATIONS
    (ranked_by,) = (file for file in sql_files() if file.relation == f"{suite.name}.headlines")
    assert f"'{suite.page.headline}'" in ranked_by.text


def test_a_suites_folder_has_the_floor_plan(suite: Suite) -> None:
    folder = SUITES_FOLDER / suite.name
    assert [name for name in FLOOR_PLAN if not (folder / name).exists()] == []
    assert (folder / "judge.py").exists() or (folder / "judge" / "__init__.py").exists()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", readme, re.MULTILINE) == HEADINGS
    prompts = [
        file for file in (folder / "prompts").rglob("*") if file.is_file() and file.suffix != ".pyc"
    ]
    listed = re.findall(
        r"^\| `([^`]+)` \|", readme.partition("## Prompts")[2].partition("\n## ")[0], re.MULTILINE
    )
    assert sorted(listed) == sorted(
        file.relative_to(folder / "prompts").as_posix() for file in prompts
    )


def test_steps_read_only_what_was_made_before(suite: Suite) -> None:
    made = {"ingest", *(f"ingest.{name}" for name in suite.sources)}
    made |= {f"suite.{option}" for option in suite.options.model_fields}
    for step in some(suite.build):
        assert set(step.reads) <= made, step.name
        assert step.name not in made
        made.add(step.name)


def test_steps_declare_options_roles_and_tables_that_there_are(suite: Suite) -> None:
    options = {*suite.options.model_fields, *SHARED_OPTIONS}
    roles = {role.name for role in suite.roles}
    for step in steps_of(suite):
        assert step.version >= 1
        assert set(step.options) <= options, step.name
        assert step.asks.keys() <= roles, step.name
        assert step.writes, step.name
        assert {*step.writes, Reject} <= set(row_types().values()), step.name
    assert {role for step in suite.build for role in step.asks} == roles
    for judge in suite.judges.values():
        assert set(judge.options) <= set(suite.options.model_fields)
    assert set(parameters_of(suite)) <= set(suite.options.model_fields)


def test_every_option_of_a_suite_is_read_and_described(suite: Suite) -> None:
    read = {name for step in steps_of(suite) for name in step.options}
    for judge in suite.judges.values():
        read |= {*judge.options}
    read |= {*parameters_of(suite), *suite.asked_by}
    read |= {source.option for source in suite.sources.values()} | {CUT_CONTEXTS}
    assert set(suite.options.model_fields) <= read
    assert all(field.description for field in suite.options.model_fields.values())


def test_every_prompt_of_a_suite_is_sent_by_an_operation_or_declared(suite: Suite) -> None:
    sent = {template_file(name) for each in suite.operations.values() for name in each.prompt_files}
    declared = {template_file(name) for step in suite.build for name in step.files}
    assert all(file.is_file() or file.is_dir() for file in sent | declared)
    known = {str(file) for file in sent | declared}
    files = [file for file in (SUITES_FOLDER / suite.name / "prompts").rglob("*") if file.is_file()]
    assert files
    unused = [
        file for file in files if not {str(file), str(file.parent)} & known and file.suffix != ".py"
    ]
    assert unused == []


def test_operations_have_names_of_their_own(suite: Suite) -> None:
    asked = [
        each for step in suite.build for operations in step.asks.values() for each in operations
    ]
    asked += [each for judge in suite.judges.values() for each in judge.asks]
    by_name: dict[str, Any] = {}
    for operation in (*asked, *suite.answers):
        assert by_name.setdefault(operation.name, operation) is operation


def test_a_suite_answers_and_judges(suite: Suite) -> None:
    assert suite.answers
    assert all(hasattr(operation.inputs, "of") for operation in suite.answers)
    # what a model under test writes is the measurement
    assert all(operation.schema is None for operation in suite.answers)
    # by which staging.answer_requests knows them
    named = {name for name in suite.operations if re.fullmatch("answer(_.+)?", name)}
    assert named == {operation.name for operation in suite.answers}
    assert suite.judges
    # else the calls of two judges that one model plays would have the same ids
    asked = [operation.name for judge in suite.judges.values() for operation in judge.asks]
    assert len(set(asked)) == len(asked)
    assert all(judge.is_rule == (judge.rule is not None) for judge in suite.judges.values())
    assert resolve(RunSettings(suite=suite.name)).judges


def test_a_suites_own_sections_of_the_page_have_a_place_and_name_what_there_is(
    suite: Suite,
) -> None:
    for section in suite.page.sections:
        assert section.id not in PAGE_SECTIONS
        for shown in section.shows:
            relation = shown if isinstance(shown, str) else getattr(shown, "curves", None)
            assert relation is None or report_of(suite.name, relation) in RELATIONS
            metrics = [getattr(shown, axis) for axis in ("x", "y") if hasattr(shown, axis)]
            assert {*metrics, *getattr(shown, "metrics", ())} <= set(suite.page.metrics)


def test_metrics_are_made_of_those_that_units_names(suite: Suite) -> None:
    """Without one of them, or if no judge gives all, the metric has no value."""
    header = (ROOT / "sql" / suite.name / "units.sql").read_text(encoding="utf-8")
    lines = re.findall(r"^-- ([a-zA-Z0-9_]+(?:, [a-zA-Z0-9_]+)*)  ", header, re.MULTILINE)
    names = [name.replace("LEVEL", r"\w+") for line in lines for name in line.split(", ")]
    parts = [part for metric in suite.metrics.values() for part in metric.of]
    assert [part for part in parts if not re.fullmatch("|".join(names), part)] == []


def test_import_contracts_hold_for_every_suite() -> None:
    contracts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for package in SUITES.values():
        assert contracts.count(f'"{package}"') == 2, package


def test_no_other_file_knows_a_suite_by_name() -> None:
    allowed = ("tasks/suites/registry.py", "tasks/baseline/", "tasks/pipeline/settings.py")
    own = tuple(f"tasks/suites/{name}/" for name in SUITES)
    named = re.compile("|".join(rf"\b{name}\b" for name in SUITES))
    files = [*(ROOT / "tasks").rglob("*.py"), *(ROOT / "flows").rglob("*.py")]
    assert len(files) > 100
    guilty = []
    for file in files:
        path = file.relative_to(ROOT).as_posix()
        if path.startswith((*allowed, *own)):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names += [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        if any(named.search(name) for name in names):
            guilty.append(path)
    assert guilty == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": ("strict",)}, "a rule that judges faith"),
        ({"panel": ("a", "b", "official@http://127.0.0.1:1/v1")}, "a rule that judges faith"),
        ({"panel": ("a", "b")}, "--panel: at least 3 different models, not 2"),
        ({"judge": ("nosuch",)}, "--judge of faith is one of strict, official, not nosuch"),
        ({"judge_repeats": 0.5}, "Leave out --judge-repeats"),
        ({"pairs": 0}, "--pairs must be greater than 0, not 0"),
    ],
)
def test_settings_that_faith_cannot_take_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(WrongSettings, match=re.escape(says)):
        check_options(settings_of(suite="faith", **given))


def test_an_option_of_another_suite_is_refused_with_that_suites_name() -> None:
    with pytest.raises(WrongSettings, match="--ocr-max-error belongs to failsafeqa"):
        settings_of(suite="faith", ocr_max_error=0.1)
    with pytest.raises(WrongSettings, match="--panel"):
        resolve(RunSettings(roles={"panel": ("a", "b", "c")}))
    with pytest.raises(WrongSettings, match="does not read --nosuch"):
        resolve(RunSettings(options={"nosuch": 1}))


def test_sql_gets_the_options_of_metrics_and_those_of_reports() -> None:
    assert parameters_of(load_suite("failsafeqa")) == ["beta"]
    assert parameters_of(load_suite("tablequest")) == ["baseline"]
    assert parameters_of(load_suite("refusalbench")) == ["base_questions"]


def test_options_that_metrics_and_judges_read_may_change_with_a_published_file() -> None:
    run = resolve(settings_of(dataset="f.json", beta=1.0, judge_repeats=0.5))
    assert run.parameters == {"beta": 1.0}


def test_the_longest_verdict_fits_its_answer_at_a_token_for_each_character(suite: Suite) -> None:
    """A small model that repeats itself is then stopped by the schema, with its verdict said."""
    for name, operation in suite.operations.items():
        *_, last = (operation.schema or {"properties": {"": {}}})["properties"].values()
        writes = name.startswith("generate_")  # then the passage is long, not the verdict
        if not writes and ("enum" in last or last.get("type") == "boolean"):
            assert longest_reply(operation.schema) <= operation.sampling.max_tokens, name


def longest_reply(schema: Any) -> int:
    """Return the most characters of JSON that fits a schema of ours."""
    if "enum" in schema:
        return max(len(json.dumps(value)) for value in schema["enum"])
    match schema["type"]:
        case "string":
            return 2 + int(schema["maxLength"])
        case "array":
            return 2 + int(schema["maxItems"]) * (1 + longest_reply(schema["items"]))
        case "object":
            values = schema["properties"].items()
            return 2 + sum(len(f'"{key}":,') + longest_reply(value) for key, value in values)
    return len("false")
