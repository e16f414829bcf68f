"""The spine, end to end, on the packaged sample filings."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.build import build
from flows.console import failed_calls, summary
from flows.exports import export_failsafeqa
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.score import score
from tasks import infer as infer_module
from tasks import ingest as ingest_module
from tasks import judge as judge_module
from tasks import workers
from tasks.citations import cited
from tasks.engines import extractive
from tasks.infer import NothingAnswered
from tasks.plan import has_nothing_to_do
from tasks.progress import hearing
from tasks.samples import sample_folder
from tasks.schemas import TABLES, Case, Judgement, Metric, Reject, Request, Response
from tasks.settings import RunSettings
from tasks.steps import MissingInput
from tasks.store import Lake, ReleaseConflict, Step
from tasks.suites import load_suite
from tasks.warehouse import open_warehouse, run_checks
from tasks.workers import process_pool

PERTURBATIONS = (
    "baseline",
    "misspelled",
    "incomplete",
    "out_of_domain",
    "ocr",
    "missing_context",
    "irrelevant_context",
)


def rows_of(settings: RunSettings, row_type: type) -> list:
    lake = Lake(settings.lake)
    return [row for commit in lake.commits(settings.release) for row in lake.read(commit, row_type)]


def digests(settings: RunSettings) -> dict[str, list[str]]:
    """A hash of every row of every table, so that two lakes can be compared."""
    return {
        table: [hashlib.sha256(repr(row).encode()).hexdigest() for row in rows_of(settings, row_type)]
        for table, row_type in TABLES.items()
    }


def test_every_table_has_rows_but_those_that_people_fill(finished: RunSettings) -> None:
    files = Lake(finished.lake).files("dev")
    assert [table for table in TABLES if not files[table]] == ["audit_items", "audits"]


def test_every_check_returns_no_rows(finished: RunSettings) -> None:
    with open_warehouse(Lake(finished.lake).files("dev"), parameters={"beta": 0.5}) as warehouse:
        checked = run_checks(warehouse)
    assert checked
    assert {name: rows for name, rows in checked.items() if rows} == {}


def test_each_pair_has_each_case_or_a_reject_that_says_why(finished: RunSettings) -> None:
    cases, rejects = rows_of(finished, Case), rows_of(finished, Reject)
    baselines = [case for case in cases if case.perturbation == "baseline"]
    assert baselines
    assert tuple(load_suite("failsafeqa").perturbations) == PERTURBATIONS[1:]
    for name in PERTURBATIONS[1:]:
        made = {case.qa_pair_id for case in cases if case.perturbation == name}
        failed = {reject.parent_id for reject in rejects if reject.stage == f"perturbations.{name}"}
        for baseline in baselines:
            assert (baseline.qa_pair_id in made) != (baseline.case_id in failed), (name, baseline)


def test_every_answer_is_judged_or_says_why_not(finished: RunSettings) -> None:
    judgements = rows_of(finished, Judgement)
    assert len(judgements) == len(rows_of(finished, Case))
    assert all((row.rating is None) != (row.unscored_reason is None) for row in judgements)


def test_the_metric_names_of_the_paper_are_there(finished: RunSettings) -> None:
    metrics = {row.metric for row in rows_of(finished, Metric)}
    assert metrics == {"compliance", "robustness", "context_grounding", "llmc"}


def test_a_finished_run_has_nothing_to_do(finished: RunSettings) -> None:
    assert has_nothing_to_do(Lake(finished.lake), finished)


def test_the_number_of_workers_changes_no_row(
    finished: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The samples are small, so processes are forced on them, and seen to be used."""
    asked: list[int] = []

    def counted(n_workers: int) -> ProcessPoolExecutor:
        asked.append(n_workers)
        return process_pool(n_workers)

    monkeypatch.setattr(ingest_module, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(cited, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(extractive, "_INLINE_TOKENS", 0)
    monkeypatch.setattr(workers, "process_pool", counted)
    monkeypatch.setattr(extractive, "process_pool", counted)
    other = replace(finished, lake=str(tmp_path / "lake"), workers=2)
    benchmark(other)
    assert asked.count(2) > 5
    assert digests(other) == digests(finished)


def test_another_seed_changes_rows_and_dev_takes_them(copied: RunSettings) -> None:
    before = digests(copied)
    other = replace(copied, seed=copied.seed + 1)
    assert not has_nothing_to_do(Lake(copied.lake), other)
    benchmark(other)
    after = digests(other)
    assert after["documents"] == before["documents"]
    assert after["cases"] != before["cases"]
    assert has_nothing_to_do(Lake(copied.lake), other)


def test_a_frozen_release_refuses_other_settings_and_spells_out_the_difference(
    finished: RunSettings, tmp_path: Path
) -> None:
    frozen = replace(finished, lake=str(tmp_path / "lake"), release="2026.11")
    ingest(frozen)
    with pytest.raises(ReleaseConflict, match=r"(?s)2026.11 is frozen.*filings.n_files: 3 -> 1.*--force"):
        ingest(replace(frozen, limit=1))
    assert has_rows(frozen, "ingest", "filings", 3)
    ingest(replace(frozen, limit=1, force=True))
    assert has_rows(frozen, "ingest", "filings", 1)


def has_rows(settings: RunSettings, step: str, table: str, n_rows: int) -> bool:
    commit = Lake(settings.lake).commit_of(Step(settings.release, step))
    return commit is not None and commit.n_rows(table) == n_rows


def test_scoring_takes_nothing_from_a_frozen_release(finished: RunSettings, tmp_path: Path) -> None:
    """Whatever the options of the run that scores say about where the cases came from."""
    target = tmp_path / "failsafeqa.jsonl"
    export_failsafeqa(finished.lake, "dev", target)
    frozen = RunSettings(lake=str(tmp_path / "lake"), release="2026.11", dataset=str(target), workers=1)
    benchmark(frozen)
    before = digests(frozen)
    score(replace(frozen, dataset=None))
    assert digests(frozen) == before


def test_a_model_may_be_added_to_a_frozen_release(finished: RunSettings, tmp_path: Path, faulty) -> None:
    frozen = replace(finished, lake=str(tmp_path / "lake"), release="2026.11")
    benchmark(frozen)
    before = [row for row in rows_of(frozen, Metric) if row.model == "extractive"]
    faulty("late", ["I cannot say."])
    benchmark(replace(frozen, model=("late",)))
    metrics = rows_of(frozen, Metric)
    assert [row for row in metrics if row.model == "extractive"] == before
    assert {row.model for row in metrics} == {"extractive", "late"}


def test_another_cutoff_is_refused_in_a_frozen_release(finished: RunSettings, tmp_path: Path) -> None:
    frozen = replace(finished, lake=str(tmp_path / "lake"), release="2026.11")
    benchmark(frozen)
    models = tmp_path / "models.toml"
    models.write_text('[models.extractive]\nengine = "extractive"\ndescription = ""\ncutoff = 2023-12-31\n')
    with pytest.raises(ReleaseConflict, match=r"cutoffs.extractive: nothing -> 2023-12-31"):
        score(replace(frozen, models_file=str(models)))


def test_building_from_other_files_than_were_ingested_is_refused(copied: RunSettings, tmp_path: Path) -> None:
    (tmp_path / "one.htm").write_text("<p>Form 10-K</p>")
    with pytest.raises(MissingInput, match="ingested from other files"):
        build(replace(copied, filings=str(tmp_path / "one.htm")))


def test_verbs_one_by_one_make_what_run_makes(finished: RunSettings, tmp_path: Path) -> None:
    other = replace(finished, lake=str(tmp_path / "lake"))
    for verb in (ingest, build, infer, judge, score):
        verb(other)
    assert digests(other) == digests(finished)


def test_a_failed_request_is_unscored_and_never_a_zero(copied: RunSettings, faulty) -> None:
    faulty("half", ["The document does not say.", None])
    benchmark(replace(copied, model=("half",)))
    judgements = [row for row in rows_of(copied, Judgement) if row.model == "half"]
    unscored = [row for row in judgements if row.rating is None]
    assert len(unscored) == len(judgements) // 2
    assert all("timeout" in (row.unscored_reason or "") for row in unscored)
    metrics = [row for row in rows_of(copied, Metric) if row.model == "half" and row.metric == "compliance"]
    assert sum(row.n_unscored for row in metrics) > 0
    assert {row.model for row in rows_of(copied, Metric)} == {"extractive", "half"}


def test_a_judge_that_rambles_leaves_everything_unscored(copied: RunSettings, faulty) -> None:
    faulty("rambler", ["A fine answer, I would say five out of six."])
    benchmark(replace(copied, judge=("rambler",)))
    judged = [row for row in rows_of(copied, Judgement) if row.judge == "rambler"]
    assert judged
    assert {row.rating for row in judged} == {None}
    values = {row.value for row in rows_of(copied, Metric) if row.judge == "rambler"}
    assert values == {None}


def test_all_models_are_judged_in_one_wave_that_keeps_siblings_together(
    copied: RunSettings, faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty("first", ["It does not say."])
    faulty("second", ["I cannot tell."])
    judge_engine = faulty("referee", ["Fine.\nRating: [[4]]"])
    benchmark(replace(copied, model=("first", "second"), judge=("referee",), judge_repeats=0.0))
    wave, _ = judge_engine.asked  # and the attacks
    model_of = {row.request_id: row.model for row in rows_of(copied, Request)}
    assert [model_of[call.request.subject_id] for call in wave[:4]] == ["first", "second"] * 2
    prefixes = [call.prefix.prefix_id for call in wave]
    assert len(set(prefixes)) == len(
        [prefix for prefix, _ in groupby(prefixes)]
    )  # never left and come back to
    judged = [row for row in rows_of(copied, Judgement) if row.judge == "referee"]
    assert Counter(row.model for row in judged) == {"first": len(wave) // 2, "second": len(wave) // 2}
    asked = {row.request_id for row in rows_of(copied, Request)}
    assert {row.judge_request_id for row in judged} <= asked


def test_a_model_added_later_is_judged_alone(copied: RunSettings, faulty) -> None:
    faulty("first", ["It does not say."])
    faulty("second", ["I cannot tell."])
    judge_engine = faulty("referee", ["Fine.\nRating: [[4]]"])
    run = replace(copied, judge=("referee",), judge_repeats=0.0)
    benchmark(replace(run, model=("first",)))
    benchmark(replace(run, model=("first", "second")))
    first, _, second = judge_engine.asked  # the attacks once
    assert len(first) == len(second)
    assert not {call.request.request_id for call in first} & {call.request.request_id for call in second}


def test_the_size_of_shards_and_waves_changes_no_row(
    finished: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infer_module, "REQUEST_SHARD", 10)
    monkeypatch.setattr(judge_module, "ANSWERS_TOGETHER", 30)
    other = replace(finished, lake=str(tmp_path / "lake"))
    benchmark(other)
    answers, judged = (
        Lake(other.lake).commit_of(Step("dev", f"failsafeqa.{name}"))
        for name in ("infer.extractive", "judge.extractive.extractive")
    )
    assert answers is not None
    assert judged is not None
    n_shards, n_waves = len(answers.parts_of("responses")), len(judged.parts_of("judgements"))
    assert 1 < n_waves < n_shards
    assert all(part.n_rows <= 30 for part in judged.parts_of("judgements"))
    for row_type in (Response, Judgement, Metric):
        assert set(rows_of(other, row_type)) == set(rows_of(finished, row_type))


def test_failed_calls_are_asked_again_when_told_to_and_only_those(copied: RunSettings, faulty) -> None:
    engine = faulty("half", ["The document does not say.", None])
    run = replace(copied, model=("half",))
    benchmark(run)
    before = rows_of(run, Response)
    n_failed = sum(row.status != "ok" for row in before)
    assert n_failed > 0
    assert not has_nothing_to_do(Lake(run.lake), replace(run, retry_failed=True))
    said = f"{n_failed} calls of failsafeqa.infer.half failed, with 'no answer in 600 s'; --retry-failed asks them again"
    assert any(said in line for line in summary(copied))
    engine.reply = lambda call: "The document does not say."
    benchmark(replace(run, retry_failed=True))
    assert all(row.status == "ok" for row in rows_of(run, Response))
    assert has_nothing_to_do(Lake(run.lake), replace(run, retry_failed=True))


@pytest.mark.parametrize("option", ["retry_failed", "fresh"])
def test_a_frozen_release_is_not_asked_again_and_nothing_is_sent(
    copied: RunSettings, faulty, option: str
) -> None:
    engine = faulty("half", ["The document does not say.", None])
    run = replace(copied, release="2026.11", model=("half",))
    benchmark(run)
    engine.asked.clear()
    with pytest.raises(ReleaseConflict, match=rf"frozen, and --{option.replace('_', '-')} would rewrite"):
        benchmark(replace(run, **{option: True}))
    assert engine.asked == []
    assert any("the release is frozen; --retry-failed --force" in line for line in failed_calls(run))


def test_a_model_of_which_nothing_comes_ends_the_run(copied: RunSettings, faulty) -> None:
    faulty("gone", [None])
    run = replace(copied, model=("gone",))
    with pytest.raises(
        NothingAnswered, match=r"gone answered none of its calls.*no answer in 600 s.*nothing was committed"
    ):
        benchmark(run)
    assert Lake(run.lake).commit_of(Step("dev", "failsafeqa.infer.gone")) is None


def test_answers_about_cases_that_are_gone_are_judged_no_more_and_retired_in_so_many_words(
    copied: RunSettings, faulty
) -> None:
    faulty("other", ["I cannot say."])
    benchmark(replace(copied, model=("other",)))
    changed = replace(copied, seed=99)
    build(changed)
    with pytest.raises(
        MissingInput, match=r"the answers of other in release dev were made from .*`tenkbench infer`"
    ):
        judge(replace(changed, model=("other",)))
    told: list[str] = []
    with hearing(told.append):
        benchmark(changed)
    assert {row.model for row in rows_of(copied, Judgement)} == {"extractive"}
    (taken_out,) = [sentence for sentence in told if sentence.startswith("taken out of release dev")]
    assert "failsafeqa.infer.other" in taken_out


def test_samples_are_called_samples_and_other_filings_are_not_and_stay(
    finished: RunSettings, tmp_path: Path
) -> None:
    def is_said(settings: RunSettings) -> bool:
        return any("packaged samples" in line for line in summary(settings))

    assert is_said(finished)
    (tmp_path / "own").mkdir()
    own = tmp_path / "own" / "filing.txt"
    own.write_bytes(next(path for path in sample_folder().iterdir() if path.suffix == ".txt").read_bytes())
    settings = replace(finished, lake=str(tmp_path / "lake"), filings=str(own.parent))
    ingested = ingest(settings)
    unnamed = replace(settings, filings=None)
    assert not is_said(unnamed)
    assert ingest(unnamed) == ingested  # and they are kept, not overwritten by the samples
    for change, why in (
        ({"encoding": "o200k_base"}, r"encoding: cl100k_base -> o200k_base.*name them with --filings"),
        ({"limit": 1}, "--limit says how many"),
        ({"force": True}, "--force makes finished steps again"),
    ):
        with pytest.raises(MissingInput, match=why):
            ingest(replace(unnamed, **change))
    assert Lake(settings.lake).commit_of(Step("dev", "ingest")) == ingested


def test_one_bad_filing_is_a_reject_and_the_others_are_read(finished: RunSettings, tmp_path: Path) -> None:
    folder = tmp_path / "filings"
    folder.mkdir()
    for path in sample_folder().iterdir():
        if path.suffix in (".htm", ".txt"):
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "empty.htm").write_bytes(b"")
    (folder / "letter.txt").write_text("Dear shareholders, thank you.\n")
    (folder / "broken.htm.gz").write_bytes(b"\x1f\x8b\x08\x00 not gzip")
    settings = replace(finished, lake=str(tmp_path / "lake"), filings=str(folder))
    ingest(settings)
    assert {row.parent_id for row in rows_of(settings, Reject)} == {
        "empty.htm",
        "letter.txt",
        "broken.htm.gz",
    }
    assert has_rows(settings, "ingest", "filings", 3)


def test_details_are_json(finished: RunSettings) -> None:
    for case in rows_of(finished, Case):
        assert isinstance(json.loads(case.details), dict)
