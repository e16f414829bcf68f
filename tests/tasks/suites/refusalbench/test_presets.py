"""The presets of the paper: its models, counts and windows."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
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


def identifiers() -> set[str]:
    """Those of the paper's table 3, by their last part and in small letters."""
    sizes = {"claude": ["3-5-sonnet-20240620", "sonnet-4-20250514", "opus-4-20250514"]}
    sizes |= {"gpt": ["4o-2024-08-06", "4.1-2025-04-14"], "o4": ["mini-2025-04-16"]}
    sizes |= {"nova": ["pro", "premier"], "deepseek": ["r1"], "gemini": ["2.5-pro"]}
    sizes |= {"llama-3.1": ["8b-instruct", "70b-instruct"]}
    sizes |= {"olmo-2": ["0425-1b-dpo", "1124-7b-dpo", "1124-13b-dpo", "0325-32b-dpo"]}
    sizes |= {"qwen1.5": [f"{n}b-chat" for n in ("0.5", "1.8", "4", "7", "14", "32", "72")]}
    return {f"{maker}-{size}" for maker, of in sizes.items() for size in of}


def short(identifier: str) -> str:
    """Cut an identifier to what providers agree on."""
    name = re.sub(r"(-v1:0|-001)$", "", identifier.rpartition("/")[2])
    name = re.sub(r"^(us\.)?(anthropic|amazon|deepseek)\.", "", name)
    return {"r1": "deepseek-r1"}.get(name, name.lower().removeprefix("meta-"))


def test_every_model_of_the_papers_table_is_asked_and_only_variants_besides() -> None:
    asked = {short(model.called): model.name for model in rows_of(read(SINGLE))}
    assert not identifiers() - asked.keys()
    besides = {asked[name] for name in asked.keys() - identifiers()}
    assert besides == {f"OLMo-2-{size}-SFT" for size in ("1B", "7B", "13B", "32B")}


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
