"""What a run could not do is refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.estimates.estimate import estimate
from tasks.layouts import DoesNotFit, Need, check_layouts
from tasks.models import Cache, Model, WrongModelsFile
from tasks.preflight import check_models
from tasks.settings import RunSettings


@pytest.fixture
def misspelled(tmp_path: Path) -> RunSettings:
    """A run whose judge's row names an engine that there is not."""
    file = tmp_path / "models.toml"
    file.write_text('[models.m]\nengine = "opnai"\ndescription = "d"\n', encoding="utf-8")
    return RunSettings(lake=str(tmp_path / "lake"), models_file=str(file), judge=("m",))


def test_a_row_with_an_engine_that_does_not_exist_is_refused(misspelled: RunSettings) -> None:
    said = "models.toml: model m: there is no engine 'opnai'; engines are extractive, openai, litellm, vllm"
    with pytest.raises(WrongModelsFile, match=said):
        check_models(misspelled)
    with pytest.raises(WrongModelsFile, match=said):
        estimate(misspelled)


def test_a_row_without_a_layout_is_one_server_of_one_gpu() -> None:
    cache = Cache(layers=80, kv_heads=8, head_dim=128)
    model = Model(name="m", engine="vllm", description="", weights_gb=145, cache=cache)
    with pytest.raises(DoesNotFit, match=r"tensor_parallel = 1.*What would fit: tensor_parallel = 4"):
        check_layouts([Need(model, 33_000, 2_048)])
