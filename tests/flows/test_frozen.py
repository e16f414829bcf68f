"""A frozen release takes more models, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.infer import infer
from flows.ingest import ingest
from flows.score import score
from flows.story import failed_calls
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.pipeline import plan, step_identity, steps
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.sql_files import sql_files
from tests.flows.rows import has_rows, numbers_of


def test_a_frozen_release_refuses_other_settings_and_spells_out_the_difference(
    finished: RunSettings, tmp_path: Path
) -> None:
    frozen = replace(finished, lake=str(tmp_path / "lake"), release="2026.11")
    ingest(frozen)
    with pytest.raises(ReleaseConflict, match="n_files: 3 -> 1"):
        ingest(replace(frozen, limit=1))
    assert has_rows(frozen, "ingest", "filings", 3)
    ingest(replace(frozen, limit=1, force=True))
    assert has_rows(frozen, "ingest", "filings", 1)


def test_a_frozen_release_takes_no_other_cutoff(frozen: RunSettings, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    row = '[models.extractive]\nengine = "extractive"\ndescription = ""\n'
    models.write_text(f"{row}cutoff = 2023-12-31\n")
    run = replace(frozen, models_file=str(models))
    with pytest.raises(ReleaseConflict, match=r"cutoffs.extractive: nothing -> 2023-12-31"):
        score(run)


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("changed", ["code_of", "version_of"])
def test_other_code_makes_a_step_again_but_never_locks_a_frozen_release(
    finished: RunSettings, monkeypatch: pytest.MonkeyPatch, changed: str, frozen: bool
) -> None:
    monkeypatch.setattr(step_identity, changed, lambda named: {"anything": "is another"})
    monkeypatch.setattr(steps, "may_change", lambda release: not frozen)
    lake = Lake(finished.lake)
    planned = list(plan.all_plans(lake, finished))
    assert {each.step.name for each in planned} == {
        commit.step.name for commit in lake.commits("dev")
    }
    for each in planned:
        assert (each.finished() is not None) is frozen


def test_a_frozen_release_takes_a_model_after_the_code_changed(
    frozen: RunSettings, monkeypatch: pytest.MonkeyPatch, faulty
) -> None:
    before = {commit.step.name: commit.content for commit in Lake(frozen.lake).commits("2026.11")}
    numbers = numbers_of(frozen)
    monkeypatch.setattr(
        step_identity, "code_of", lambda suite: {"tasks/inference": "is other code"}
    )
    faulty("late", ["I cannot say."])
    benchmark(replace(frozen, model=("late",)))
    after = {commit.step.name: commit for commit in Lake(frozen.lake).commits("2026.11")}
    kept = {name: content for name, content in before.items() if not name.endswith(".score")}
    assert {name: after[name].content for name in kept} == kept
    assert after["failsafeqa.infer.late"].made_by.code == {"tasks/inference": "is other code"}
    assert after["failsafeqa.infer.extractive"].made_by.code["tasks/inference"] != "is other code"
    assert [row for row in numbers_of(frozen) if row.model == "extractive"] == numbers
    assert {row.model for row in numbers_of(frozen)} == {"extractive", "late"}


@pytest.mark.parametrize("changed", ["version", "prompts"])
def test_a_raised_version_or_changed_prompt_is_refused_in_a_frozen_release(
    finished: RunSettings, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr(steps, "may_change", lambda release: False)
    run = resolve(finished)
    planned = plan.plan_build(run, run.build[1])
    raised = {"version": planned.identity["version"] + 1}
    now = raised if changed == "version" else {"prompts": {"failsafeqa/rating.txt": "other"}}
    with pytest.raises(
        ReleaseConflict, match=rf"its failsafeqa.build.qa_pairs would now .*: .*{changed}.* -> "
    ):
        replace(planned, identity=planned.identity | now).finished()


def test_a_changed_check_makes_the_score_run_again(
    finished: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert plan.plan_metrics(resolve(finished)).finished()
    changed = [
        replace(file, text=f"{file.text}-- stricter")
        if file.relation == "checks.parents_exist"
        else file
        for file in sql_files()
    ]
    monkeypatch.setattr(step_identity, "sql_files", lambda: changed)
    assert not plan.plan_metrics(resolve(finished)).finished()


def test_a_frozen_release_is_not_asked_again_and_nothing_is_sent(
    frozen: RunSettings, faulty
) -> None:
    engine = faulty("half", ["The document does not say.", None])
    run = replace(frozen, model=("half",))
    infer(run)
    engine.asked.clear()
    for option in ("retry_failed", "fresh"):
        with pytest.raises(
            ReleaseConflict, match=rf"frozen, and --{option.replace('_', '-')} would rewrite"
        ):
            benchmark(replace(run, **{option: True}))
    assert engine.asked == []
    assert any(
        "the release is frozen, so --retry-failed --force" in line
        for line in failed_calls(resolve(run))
    )
