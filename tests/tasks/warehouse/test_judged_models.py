"""What the readers of a release see of its models: what it was scored with."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tasks.lake.lake import Lake
from tasks.lake.records import LakeStep
from tasks.models.catalogue import load_catalogue
from tasks.warehouse.judged_models import JudgedModel, lake_models, stated

SUITE = "failsafeqa"
# a model of the catalogue with a cutoff
MODEL, CUTOFF = next((name, row.cutoff) for name, row in load_catalogue().items() if row.cutoff)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def judge(lake: Lake, release: str, *models: str, suite: str = SUITE) -> None:
    for model in models:
        lake.commit(
            LakeStep(release, f"{suite}.judge.j.{model}"), {"parameters": {"model": model}}, []
        )


def score(lake: Lake, release: str, suite: str = SUITE, **stated: Any) -> None:
    lake.commit(LakeStep(release, f"{suite}.score"), stated, [])


def models_file(folder: Path, model: str, keys: str) -> str:
    file = folder / "models.toml"
    file.write_text(f'[models."{model}"]\nengine = "extractive"\ndescription = ""\n{keys}\n')
    return str(file)


def test_a_release_that_was_never_scored_has_those_of_the_catalogue(lake: Lake) -> None:
    judge(lake, "dev", MODEL, "unheard-of")
    expected = [("unheard-of", None), (MODEL, CUTOFF)]
    assert lake_models(lake) == [JudgedModel("dev", SUITE, *row) for row in sorted(expected)]


def test_what_a_release_was_scored_with_stands_whatever_is_stated_today(
    lake: Lake, tmp_path: Path
) -> None:
    known = stated([MODEL, "ours"], models_file(tmp_path, "ours", ""))
    known["cutoffs"][MODEL] = "2019-06-30"
    judge(lake, "2026.11", MODEL, "ours")
    score(lake, "2026.11", **known)
    later = models_file(tmp_path, "ours", "cutoff = 2001-01-01")
    found = {row.model: row.cutoff for row in lake_models(lake, "2026.11", later)}
    assert found == {MODEL: date(2019, 6, 30), "ours": None}
