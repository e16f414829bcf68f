"""Long context end to end on invented headlines: from articles to metrics and what leads back."""

from __future__ import annotations

import shutil

import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from tasks.core.rows import Case, Judgement
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import rows_of
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="module")
def run(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run on invented headlines; `score` ends it only if all checks pass."""
    lake = tmp_path_factory.mktemp("longcontext") / "lake"
    shutil.copytree(Lake(finished.lake).here, lake)
    own = {"lengths": (4_000,), "records": (4,), "queries": 2, "single": True}
    settings = settings_of(suite="longcontext", lake=str(lake), workers=1, **own)
    with flows_as_functions():
        benchmark(settings)
    return settings


def test_each_task_has_as_many_records_with_needles_as_without(run: RunSettings) -> None:
    cases = [case for case in rows_of(run, Case) if case.suite == "longcontext"]
    haystacks = [case for case in cases if case.variant == "best_practices"]
    assert len(haystacks) == 4 * 4 * 2
    assert sum(case.is_answerable for case in haystacks) == 4 * 4
    singles = [case.target for case in cases if case.variant == "single"]
    assert min(singles.count("yes"), singles.count("no")) > 4 * 4
    judged = [row for row in rows_of(run, Judgement) if row.judge in ("strict", "paper")]
    assert len(judged) == 2 * len(cases)
    assert has_nothing_to_do(Lake(run.lake), run)


def test_a_number_leads_back_to_the_haystack(
    run: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--suite", "longcontext", "--lake", run.lake)
    options = ("--metric", "f1", "--judge", "strict", *place)
    with pytest.raises(SystemExit) as ended:
        main(["explain", *options])
    assert not ended.value.code
    listed = capsys.readouterr().out
    assert "correct ✗" not in listed
    correct = next(line for line in listed.splitlines() if " correct " in line)
    case_id = next(word for word in correct.split() if word.startswith("case"))
    with pytest.raises(SystemExit):
        main(["explain", case_id, "--full", "--judge", "strict", *place])
    said = capsys.readouterr().out
    assert "Article ID: 1; " in said
    assert "article_ids" in said
