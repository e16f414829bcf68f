"""The spine, end to end, on the packaged sample filings."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.build import build
from flows.ingest import ingest
from flows.story import summary
from tasks import infer as infer_module
from tasks import ingest as ingest_module
from tasks import judge as judge_module
from tasks import score as score_module
from tasks.build import NothingBuilt
from tasks.compute import workers
from tasks.compute.workers import process_pool
from tasks.core.rows import Case, Judgement, Metric, Reject, Response
from tasks.filings.samples import sample_folder
from tasks.judge import unjudged, waves_of
from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput, committed
from tasks.suites.failsafeqa.citations import cited
from tests.altered import altered
from tests.flows.rows import digests, rows_of


def test_a_finished_run_has_nothing_to_do(finished: RunSettings) -> None:
    assert has_nothing_to_do(Lake(finished.lake), finished)


def test_another_seed_changes_rows_and_dev_takes_them(copied: RunSettings) -> None:
    before = digests(copied)
    other = replace(copied, seed=copied.seed + 1)
    assert not has_nothing_to_do(Lake(copied.lake), other)
    benchmark(other)
    after = digests(other)
    assert after["documents"] == before["documents"]
    assert after["cases"] != before["cases"]
    assert has_nothing_to_do(Lake(copied.lake), other)


def test_workers_shards_and_waves_change_no_row(
    finished: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The samples are small, so processes are forced on them, and seen to be used."""
    asked: list[int] = []

    def counted(n_workers: int) -> ProcessPoolExecutor:
        asked.append(n_workers)
        return process_pool(n_workers)

    monkeypatch.setattr(ingest_module, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(cited, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(workers, "process_pool", counted)
    monkeypatch.setattr(infer_module, "REQUEST_SHARD", 2)
    monkeypatch.setattr(judge_module, "RULED_TOGETHER", 30)
    monkeypatch.setattr(score_module, "_MOST_KEPT", 0)
    other = replace(finished, lake=str(tmp_path / "lake"), workers=2)
    benchmark(other)
    assert 2 in asked
    lake = Lake(other.lake)
    answers = committed(lake, other, "failsafeqa.infer.extractive")
    judged = committed(lake, other, "failsafeqa.judge.extractive.extractive")
    n_shards, n_waves = len(answers.parts_of("responses")), len(judged.parts_of("judgements"))
    assert 1 < n_waves < n_shards
    assert all(part.n_rows <= 30 for part in judged.parts_of("judgements"))
    by_model = resolve(replace(other, judge=("some@http://127.0.0.1:9/v1",)))
    (judge,) = by_model.judges
    (wave,) = waves_of(by_model, judge, unjudged(by_model, judge))
    assert wave.shards == range(n_shards)
    for row_type in (Case, Reject, Response, Judgement, Metric):
        assert set(rows_of(other, row_type)) == set(rows_of(finished, row_type))


def test_samples_are_called_samples_and_other_filings_are_not_and_stay(
    finished: RunSettings, tmp_path: Path
) -> None:
    def is_said(settings: RunSettings) -> bool:
        return any("packaged samples" in line for line in summary(resolve(settings)))

    assert is_said(finished)
    (tmp_path / "own").mkdir()
    own = tmp_path / "own" / "filing.txt"
    own.write_bytes(
        next(path for path in sample_folder().iterdir() if path.suffix == ".txt").read_bytes()
    )
    settings = replace(finished, lake=str(tmp_path / "lake"), filings=str(own.parent))
    ingested = ingest(settings)
    unnamed = replace(settings, filings=None)
    assert not is_said(unnamed)
    assert ingest(unnamed) == ingested  # and they are kept, not overwritten by the samples
    for change, why in (
        (
            {"encoding": "o200k_base"},
            r"encoding: cl100k_base -> o200k_base.*Name them with --filings",
        ),
        ({"limit": 1}, "--limit or --force"),
        ({"force": True}, "--limit or --force"),
    ):
        with pytest.raises(MissingInput, match=why):
            ingest(replace(unnamed, **change))
    assert Lake(settings.lake).commit_of(LakeStep("dev", "ingest")) == ingested


def test_a_build_that_accepts_no_pair_counts_the_reasons(
    copied: RunSettings, faulty: Callable[..., object]
) -> None:
    faulty("mute", ["I would rather not."])
    with pytest.raises(
        NothingBuilt,
        match=r"nothing was committed:\n  \d+ x the dialogue reply could not be used\n",
    ):
        build(altered(copied, generator="mute"))
    assert (
        Lake(copied.lake).commit_of(LakeStep("dev", "failsafeqa.build.qa_pairs")) is not None
    )  # the one before
