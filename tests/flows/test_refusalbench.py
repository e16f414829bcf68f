"""RefusalBench end to end on the samples: rules perturb, check, answer and judge."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from tasks.core.rows import Case, Reject
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation
from tests.flows.rows import rows_of
from tests.without_prefect import flows_as_functions

SUITE = "refusalbench"
N_QUESTIONS = 4


@pytest.fixture(scope="module")
def run(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run of both settings; `score` ends it only if all checks pass."""
    lake = tmp_path_factory.mktemp(SUITE) / "lake"
    shutil.copytree(Lake(finished.lake).here, lake)
    own = {"base_questions": N_QUESTIONS, "per_stratum": 2}
    settings = settings_of(suite=SUITE, lake=str(lake), workers=1, **own)
    with flows_as_functions():
        benchmark(settings)
    return settings


def test_each_question_is_perturbed_in_each_stratum_and_nothing_disappears(
    run: RunSettings,
) -> None:
    made = rows_of(run, Perturbation)
    strata = Counter((each.setting, each.perturbation_class, each.intensity) for each in made)
    assert len(strata) == 2 * 18
    assert set(strata.values()) == {N_QUESTIONS}
    cases = {
        json.loads(case.details)["perturbation_id"]
        for case in rows_of(run, Case)
        if case.suite == SUITE
    }
    rejects = [row.parent_id for row in rows_of(run, Reject) if row.stage == "cases"]
    ids = {each.perturbation_id for each in made}
    assert len(ids) == len(made)
    assert cases | (ids & set(rejects)) == ids
    assert not cases & set(rejects)
    assert has_nothing_to_do(Lake(run.lake), run)


def test_a_number_leads_back_to_a_vote_and_a_sentence(
    run: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--suite", SUITE, "--lake", run.lake)
    with pytest.raises(SystemExit) as ended:
        main(["explain", "--metric", "crs", "--judge", "codes", "--model", "extractive", *place])
    assert not ended.value.code
    case = next(word for word in capsys.readouterr().out.split() if word.startswith("case-"))
    with pytest.raises(SystemExit):
        main(["explain", case, "--full", *place])
    said = capsys.readouterr().out
    (found,) = (row for row in rows_of(run, Case) if row.case_id == case)
    made = json.loads(found.details)["perturbation_id"]
    (each,) = (row for row in rows_of(run, Perturbation) if row.perturbation_id == made)
    assert str(each.lever) in said
    assert re.search(r"period_end\W+\d{4}-\d\d-\d\d", said)


def test_questions_of_another_suite_of_the_same_run_are_perturbed(tmp_path: Path) -> None:
    own = {"base": "failsafeqa", "settings": ("single",), "base_questions": 5, "limit": 1}
    settings = settings_of(suite=f"failsafeqa,{SUITE}", lake=str(tmp_path), workers=1, **own)
    with flows_as_functions():
        benchmark(settings)
    bases = rows_of(replace(settings, suite=SUITE), BaseQuestion)
    assert bases
    assert {base.source for base in bases} == {"failsafeqa"}
