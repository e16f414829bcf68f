"""What the readers of a release see of its models: what it was scored with."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tasks.lake.lake import Lake
from tasks.lake.records import Step
from tasks.models.catalogue import load_catalogue
from tasks.warehouse.judged_models import JudgedModel, lake_models, stated

SUITE = "failsafeqa"
# a model of the catalogue with a cutoff, a family and a size
MODEL, ROW = next(
    (name, row)
    for name, row in sorted(load_catalogue().items())
    if row.cutoff and row.family and row.parameters_b
)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def judge(lake: Lake, release: str, *models: str, suite: str = SUITE) -> None:
    for model in models:
        lake.commit(Step(release, f"{suite}.judge.j.{model}"), {"parameters": {"model": model}}, [])


def score(lake: Lake, release: str, suite: str = SUITE, **stated: Any) -> None:
    lake.commit(Step(release, f"{suite}.score"), stated, [])


def models_file(folder: Path, model: str, keys: str) -> str:
    file = folder / "models.toml"
    file.write_text(f'[models."{model}"]\nengine = "extractive"\ndescription = ""\n{keys}\n')
    return str(file)


def in_catalogue(release: str) -> JudgedModel:
    return JudgedModel(
        release, SUITE, MODEL, ROW.cutoff, ROW.family, ROW.parameters_b, ROW.tuning, 0
    )


def test_a_release_that_was_never_scored_has_those_of_the_catalogue(lake: Lake) -> None:
    judge(lake, "dev", MODEL, "unheard-of")
    assert lake_models(lake) == [in_catalogue("dev"), JudgedModel("dev", SUITE, "unheard-of")]


def test_what_a_release_was_scored_with_stands_whatever_is_stated_today(
    lake: Lake, tmp_path: Path
) -> None:
    told = models_file(tmp_path, "ours", 'family = "Ours"\nparameters_b = 7.5\ntuning = "DPO"')
    known = stated([MODEL, "ours"], told)
    known["cutoffs"][MODEL] = "2019-06-30"
    judge(lake, "2026.11", MODEL, "ours")
    score(lake, "2026.11", **known)
    later = models_file(tmp_path, "ours", "cutoff = 2001-01-01\nparameters_b = 8")
    found = {row.model: row for row in lake_models(lake, "2026.11", later)}
    assert found[MODEL].cutoff == date(2019, 6, 30)
    assert found["ours"] == JudgedModel(
        "2026.11", SUITE, "ours", None, "Ours", 7.5, "DPO", thinking_tokens=0
    )
