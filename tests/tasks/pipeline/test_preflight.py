"""What a run could not do is refused before anything starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.baseline import load_rules
from tasks.models.catalogue import WrongModelsFile
from tasks.pipeline.plan import check_run
from tasks.pipeline.preflight import check_models
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.results.estimate.estimate import estimate
from tasks.suites.registry import load_suite


@pytest.fixture
def misspelled(tmp_path: Path) -> RunSettings:
    """A run whose judge's row names an engine that there is not."""
    file = tmp_path / "models.toml"
    file.write_text('[models.m]\nengine = "opnai"\ndescription = "d"\n', encoding="utf-8")
    return RunSettings(lake=str(tmp_path / "lake"), models_file=str(file), judge=("m",))


def test_a_row_with_an_engine_that_does_not_exist_is_refused(misspelled: RunSettings) -> None:
    said = (
        "models.toml: model m: there is no engine 'opnai'; "
        "engines are extractive, openai, litellm, vllm"
    )
    with pytest.raises(WrongModelsFile, match=said):
        check_models(resolve(misspelled))
    with pytest.raises(WrongModelsFile, match=said):
        estimate(misspelled)


def test_a_model_shown_images_is_refused_if_text_is_shown_in_several_formats(
    tmp_path: Path,
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[models.m]\nengine = "openai"\ndescription = "d"\nshown = "images"\n')
    run = RunSettings(
        lake=str(tmp_path / "lake"), suite="tablequest", models_file=str(file), model=("m",)
    )
    check_models(resolve(replace(run, options={"table_format": ("csv",)})))
    both = resolve(replace(run, options={"table_format": ("html", "csv")}))
    with pytest.raises(WrongSettings, match=r"would count 2 times\. Name one --table-format"):
        check_models(both)
    check_models(resolve(replace(both.settings, model=("extractive",))))


# --- rules ---------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Take an operation's rule away from FailSafeQA."""

    def take(operation: str) -> None:
        kept = {name: rule for name, rule in load_rules("failsafeqa").items() if name != operation}
        monkeypatch.setattr("tasks.baseline.failsafeqa.RULES", kept)

    return take


@pytest.mark.parametrize(
    ("operation", "role"),
    [
        ("answer_neutral", "model"),
        ("rate_pair", "generator"),
        ("perturb_incomplete", "generator"),
        ("cite_longcite", "citer"),
        ("judge_answerable", "judge"),
    ],
)
def test_an_operation_without_a_rule_is_refused_before_anything_starts(
    operation: str, role: str, without: Callable[[str], None], tmp_path: Path
) -> None:
    without(operation)
    run = RunSettings(lake=str(tmp_path / "lake"))
    with pytest.raises(WrongSettings) as refused:
        check_run(resolve(run))
    assert str(refused.value) == (
        f'"extractive" answers by rules, and suite "failsafeqa" has no rule for "{operation}".\n'
        "Name a model that can answer:\n"
        f"  tenkbench run --suite failsafeqa --{role} MODEL"
    )
    assert not (tmp_path / "lake").exists()


def test_an_operation_without_a_rule_may_be_asked_of_a_real_model(
    without: Callable[[str], None],
) -> None:
    without("rate_pair")
    check_models(resolve(RunSettings(roles={"generator": ("m@http://127.0.0.1:9/v1",)})))


def test_a_published_file_needs_no_rules_for_building(
    without: Callable[[str], None], tmp_path: Path
) -> None:
    without("rate_pair")
    check_models(resolve(RunSettings(dataset=str(tmp_path / "published.json"))))


def test_a_voter_without_a_rule_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = load_rules("failsafeqa")["answer_neutral"]
    answers = {operation.name: rule for operation in load_suite("faith").answers}
    monkeypatch.setattr("tasks.baseline.faith.RULES", answers)
    run = resolve(RunSettings(suite="faith"))
    check_models(run)  # nobody votes
    with pytest.raises(
        WrongSettings, match=r'no rule for "answerability"[^-]*--suite faith --panel MODEL'
    ):
        check_models(replace(run, roles={"panel": ("extractive",)}))
