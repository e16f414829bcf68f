"""What becomes of answers that fail, come later, or are about what is gone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.build import build
from flows.infer import infer
from flows.judge import judge
from flows.story import summary
from tasks.core.progress import hearing
from tasks.core.rows import Case, Judgement, Metric, Request, Response
from tasks.infer import NothingAnswered
from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput
from tests.flows.rows import rows_of
from tests.servers.serving import serving


def test_prompts_that_always_hang_do_not_keep_a_run_from_its_scores(
    copied: RunSettings, tmp_path: Path
) -> None:
    cases = sorted(rows_of(copied, Case), key=lambda case: case.case_id)
    mute = {case.query for case in cases[::10]}
    models = tmp_path / "models.toml"
    with serving(faults=[{"kind": "hang", "match": query} for query in mute]) as server:
        models.write_text(
            f'[models.local]\nengine = "openai"\ndescription = ""\ntimeout_s = 1.0\n'
            f'base_url = "{server.url}"\n'
        )
        benchmark(replace(copied, model=("local",), models_file=str(models)))
    hung = {case.case_id for case in cases if any(query in case.query for query in mute)}
    case_of = {row.request_id: row.case_id for row in rows_of(copied, Request)}
    answers = [row for row in rows_of(copied, Response) if row.engine == "openai"]
    late = {case_of[row.request_id] for row in answers if row.error_type == "timeout"}
    assert late - {None} == hung
    assert len(hung) < len(cases) / 2
    assert {row.status for row in answers if case_of[row.request_id] not in {*hung, None}} == {"ok"}
    scored = [row for row in rows_of(copied, Metric) if row.model == "local"]
    assert any(row.n_unscored for row in scored)
    assert any(row.value is not None for row in scored)


def test_all_models_are_judged_in_one_wave_that_keeps_siblings_together(
    copied: RunSettings, faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty("first", ["It does not say."])
    faulty("second", ["I cannot tell."])
    judge_engine = faulty("referee", ["Fine.\nRating: [[4]]"])
    run = replace(copied, model=("first", "second"), judge=("referee",), judge_repeats=0.0)
    infer(run)
    judge(run)
    wave, _ = judge_engine.asked  # and the attacks
    model_of = {row.request_id: row.model for row in rows_of(copied, Request)}
    assert [model_of[call.request.subject_id] for call in wave[:4]] == ["first", "second"] * 2
    prefixes = [call.prefix.prefix_id for call in wave]
    assert len(set(prefixes)) == len(
        [prefix for prefix, _ in groupby(prefixes)]
    )  # never left and come back to
    judged = [row for row in rows_of(copied, Judgement) if row.judge == "referee"]
    assert Counter(row.model for row in judged) == {
        "first": len(wave) // 2,
        "second": len(wave) // 2,
    }
    asked = {row.request_id for row in rows_of(copied, Request)}
    assert {row.judge_request_id for row in judged} <= asked


def test_failed_calls_are_unscored_and_only_they_are_asked_again(
    copied: RunSettings, faulty
) -> None:
    engine = faulty("half", ["The document does not say.", None])
    run = replace(copied, model=("half",))
    benchmark(run)
    before = rows_of(run, Response)
    n_failed = sum(row.status != "ok" for row in before)
    judged = [row for row in rows_of(run, Judgement) if row.model == "half" and not row.repeat]
    unscored = [row.unscored_reason for row in judged if row.rating is None]
    assert len(unscored) == len(judged) // 2 == n_failed  # and no 0
    assert all("timeout" in (reason or "") for reason in unscored)
    assert not has_nothing_to_do(Lake(run.lake), replace(run, retry_failed=True))
    said = (
        f"{n_failed} calls of failsafeqa.infer.half failed, "
        "with 'no answer in 600 s'; --retry-failed asks them again"
    )
    assert any(said in line for line in summary(resolve(run)))
    assert not any(said in line for line in summary(resolve(copied)))  # another model's run
    engine.reply = lambda call: "The document does not say."
    engine.changes = {"finish_reason": "length"}
    benchmark(replace(run, retry_failed=True))
    assert all(row.status == "ok" for row in rows_of(run, Response))
    assert has_nothing_to_do(Lake(run.lake), replace(run, retry_failed=True))
    (said,) = [line for line in summary(resolve(run)) if "cut off at their max_tokens" in line]
    assert re.match(r"(\d+) of \1 replies of failsafeqa\.infer\.half were", said)


def test_a_model_of_which_nothing_comes_ends_the_run(copied: RunSettings, faulty) -> None:
    faulty("gone", [None])
    run = replace(copied, model=("gone",))
    with pytest.raises(
        NothingAnswered,
        match=r"gone answered none of its calls.*nothing was committed.*no answer in 600 s",
    ):
        benchmark(run)
    assert Lake(run.lake).commit_of(LakeStep("dev", "failsafeqa.infer.gone")) is None


def test_answers_about_cases_that_are_gone_are_judged_no_more_and_retired_in_so_many_words(
    copied: RunSettings, faulty
) -> None:
    faulty("other", ["I cannot say."])
    infer(replace(copied, model=("other",)))
    judge(replace(copied, model=("other",)))
    changed = replace(copied, seed=99)
    build(changed)
    with pytest.raises(
        MissingInput,
        match=r"(?s)in release dev have been replaced since other answered.*tenkbench infer",
    ):
        judge(replace(changed, model=("other",)))
    told: list[str] = []
    with hearing(told.append):
        benchmark(changed)
    assert {row.model for row in rows_of(copied, Judgement)} == {"extractive"}
    (taken_out,) = [
        sentence for sentence in told if sentence.startswith("removed from release dev")
    ]
    assert "failsafeqa.infer.other" in taken_out
    assert "because inputs have been replaced" in taken_out
    assert "failsafeqa.score" not in taken_out  # the same run made it again
