"""A step that reads another suite's rows depends on all that this suite has built."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.pipeline.plan import _built_by_another, check_run
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput
from tasks.suites.suite import Step


def built_by_another(*finished: str, base: str | None) -> list[str]:
    commits = [SimpleNamespace(step=SimpleNamespace(name=name)) for name in finished]
    lake: Any = SimpleNamespace(commits=lambda release: commits, url="lake")
    settings = SimpleNamespace(release="2024q1", filings="mine")
    run: Any = SimpleNamespace(settings=settings, lake=lake, option=lambda name: base)
    step = Step(name="questions", run=lambda _: iter(()), writes=(), reads=("suite.base",))
    return _built_by_another(run, step)


def test_it_reads_the_build_steps_of_that_suite_alone() -> None:
    finished = ("ingest", "tablequest.build.qa_pairs", "faith.build.qa_pairs", "tablequest.score")
    assert built_by_another(*finished, base="tablequest") == ["tablequest.build.qa_pairs"]
    assert built_by_another(*finished, base=None) == []


def test_a_release_without_rows_of_that_suite_is_refused_with_the_command_to_run() -> None:
    with pytest.raises(MissingInput) as refused:
        built_by_another("ingest", base="tablequest")
    assert "'2024q1' has no rows of the suite 'tablequest', which questions reads" in str(
        refused.value
    )
    said = "tenkbench run --release 2024q1 --suite tablequest --filings mine"
    assert said in str(refused.value)


def test_a_release_of_that_suites_published_file_is_refused() -> None:
    with pytest.raises(MissingInput, match="in which faith was built from filings"):
        built_by_another("ingest", "faith.build.dataset", base="faith")


def test_it_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    run = RunSettings(
        lake=str(tmp_path / "lake"), suite="refusalbench", options={"base": "tablequest"}
    )
    with pytest.raises(MissingInput, match="has no rows of the suite 'tablequest'"):
        check_run(resolve(run))
    assert not (tmp_path / "lake").exists()
