"""A step that reads another suite's rows depends on all that this suite has built."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tasks.pipeline.plan import _built_by_another
from tasks.pipeline.steps import MissingInput
from tasks.suites.suite import Step


def built_by_another(*finished: str, base: str | None) -> list[str]:
    step = Step(name="questions", run=lambda inputs: iter(()), writes=(), of_suite="base")
    commits = [SimpleNamespace(step=SimpleNamespace(name=name)) for name in finished]
    lake: Any = SimpleNamespace(commits=lambda release: commits)
    settings = SimpleNamespace(release="2024q1")
    run: Any = SimpleNamespace(settings=settings, option=lambda name: base)
    return _built_by_another(lake, run, step)


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
    assert "tenkbench build --suite tablequest --release 2024q1" in str(refused.value)
