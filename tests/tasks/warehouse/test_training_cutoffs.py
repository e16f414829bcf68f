"""Which cutoffs the readers of a release see: those that it was scored with."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tasks.lake.commits import Step
from tasks.lake.lake import Lake
from tasks.models.catalogue import stated_cutoffs
from tasks.warehouse.training_cutoffs import Cutoff, Stated, lake_cutoffs

SUITE = "failsafeqa"
MODEL, DAY = next(iter(sorted(stated_cutoffs().items())))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def judge(lake: Lake, release: str, *models: str, suite: str = SUITE) -> None:
    for model in models:
        lake.commit(Step(release, f"{suite}.judge.j.{model}"), {"parameters": {"model": model}}, [])


def score(lake: Lake, release: str, cutoffs: Stated, suite: str = SUITE) -> None:
    lake.commit(Step(release, f"{suite}.score"), {"cutoffs": cutoffs}, [])


def models_file(folder: Path, model: str, cutoff: str) -> str:
    file = folder / "models.toml"
    file.write_text(
        f'[models."{model}"]\nengine = "extractive"\ndescription = ""\ncutoff = {cutoff}\n'
    )
    return str(file)


def test_a_release_that_was_never_scored_has_those_of_the_catalogue(lake: Lake) -> None:
    judge(lake, "dev", MODEL, "unheard-of")
    assert lake_cutoffs(lake) == [Cutoff("dev", SUITE, MODEL, DAY)]


def test_a_models_file_goes_before_the_catalogue(lake: Lake, tmp_path: Path) -> None:
    judge(lake, "dev", MODEL)
    file = models_file(tmp_path, MODEL, "2001-01-01")
    assert lake_cutoffs(lake, models_file=file) == [Cutoff("dev", SUITE, MODEL, date(2001, 1, 1))]


def test_what_a_release_was_scored_with_stands_whatever_is_stated_today(
    lake: Lake, tmp_path: Path
) -> None:
    judge(lake, "2026.11", MODEL, "ours")
    score(lake, "2026.11", {MODEL: "2019-06-30", "ours": None})
    file = models_file(tmp_path, "ours", "2001-01-01")
    assert lake_cutoffs(lake, "2026.11", file) == [
        Cutoff("2026.11", SUITE, MODEL, date(2019, 6, 30))
    ]


def test_each_release_and_suite_has_its_own(lake: Lake) -> None:
    judge(lake, "2026.08", "ours")
    score(lake, "2026.08", {"ours": "2019-06-30"})
    judge(lake, "2026.11", "ours")
    score(lake, "2026.11", {"ours": "2021-06-30"})
    judge(lake, "2026.11", "ours", suite="faith")
    score(lake, "2026.11", {"ours": None}, suite="faith")
    found = lake_cutoffs(lake)
    assert [(row.release, row.suite, row.cutoff.year) for row in found] == [
        ("2026.08", SUITE, 2019),
        ("2026.11", SUITE, 2021),
    ]
    assert lake_cutoffs(lake, "2026.08") == found[:1]


def test_a_model_that_was_judged_after_the_score_has_that_of_the_catalogue(lake: Lake) -> None:
    judge(lake, "dev", "ours", MODEL)
    score(lake, "dev", {"ours": "2019-06-30"})
    assert {row.model: row.cutoff for row in lake_cutoffs(lake)} == {
        "ours": date(2019, 6, 30),
        MODEL: DAY,
    }
