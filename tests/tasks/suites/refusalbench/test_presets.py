"""The presets of the paper: its models, counts and windows."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tasks.models.catalogue import Model, find_model
from tasks.suites.refusalbench import cases
from tasks.suites.refusalbench.answer import OPERATIONS
from tasks.suites.refusalbench.generation import SAMPLING
from tasks.suites.refusalbench.options import RefusalBenchOptions

SINGLE, MULTI = "refusalbench-paper", "refusalbench-paper-multi"
FOUR = {"claude-sonnet-4", "gpt-4o", "DeepSeek-R1-api", "nova-pro"}


def read(name: str) -> dict[str, Any]:
    file = files("deployments") / "presets" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def options_of(preset: dict[str, Any]) -> RefusalBenchOptions:
    own = {key: value for key, value in preset.items() if key in RefusalBenchOptions.model_fields}
    return RefusalBenchOptions.model_validate(own)


def rows_of(preset: dict[str, Any]) -> list[Model]:
    return [find_model(name) for name in preset["model"]]


def test_the_models_asked_are_those_of_the_papers_table_and_their_variants(shared: Path) -> None:
    paper = (shared / "papers" / "003_aa226535845016f0.txt").read_text(encoding="utf-8").lower()
    called = {re.split(r"/(?:us\.)?", model.called.lower())[-1] for model in rows_of(read(SINGLE))}
    others = {name for name in called if name not in paper}
    variants = {f"olmo-2-{size}-sft" for size in ("0425-1b", "1124-7b", "1124-13b", "0325-32b")}
    assert others == variants
    assert len(called - variants) == 23


@pytest.mark.parametrize("name", [SINGLE, MULTI])
def test_counts_generators_verifiers_and_judge_are_the_papers(name: str) -> None:
    preset = read(name)
    options = options_of(preset)
    counts = (options.base_questions, options.per_stratum, options.per_generator)
    assert counts == (100, 22, 400)
    assert set(preset["generator"]) == set(preset["verifier"]) == FOUR
    assert preset["judge"] == ["claude-sonnet-4"]
    assert FOUR <= set(preset["base_panel"]) <= set(preset["model"])
    # without the answers of a model that is gone, no question would stay
    assert "claude-3-5-sonnet-20240620" not in preset["base_panel"]
    n_prompts = 1 + (name == SINGLE)
    assert cases.STEP.most(options, preset) == 1_600 * n_prompts
    samplings = [each.sampling for each in OPERATIONS.values()] + [SAMPLING]
    assert {(each.temperature, each.top_p) for each in samplings} == {(1.0, 1.0)}
