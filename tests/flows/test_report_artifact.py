"""The report of a deployed run: kept in the lake, linked where it is served, and alerted of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from prefect import flow
from prefect.artifacts import Artifact

from flows import report_artifact
from flows.infer import infer
from flows.judge import judge
from flows.report_artifact import artifact_key, publish_report
from flows.score import score
from flows.story import failed_trials, moves
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings


def test_a_report_is_linked_only_where_its_own_lake_is_served(
    prefect_harness: None, copied: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a real one takes three seconds; tests/flows/test_server.py opens it
    page = b"<title>", "extractive"
    monkeypatch.setattr(report_artifact, "report_of", lambda *_, index: page)

    @flow
    def publishing() -> None:
        publish_report(resolve(copied))

    def text() -> str:
        publishing()
        artifact = Artifact.get(key=artifact_key(copied.release, copied.suite, "report"))
        assert artifact is not None
        return str(artifact.data)

    monkeypatch.setenv("TENKBENCH_REPORTS_URL", "http://host/reports/")
    monkeypatch.setenv("TENKBENCH_REPORTS_LAKE", str(tmp_path / "other"))
    failed: list[str] = []
    monkeypatch.setattr(
        report_artifact, "emit_event", lambda event, resource, payload: failed.append(str(payload))
    )
    assert "http://" not in text()
    # some attacks deceive the sample's judge
    ((rules, is_rules, said),) = failed_trials(resolve(copied))
    assert (rules, is_rules, failed) == ("extractive", True, [])
    assert "answers written to deceive it" in said
    trials = [(rules, True, said), ("referee", False, "It was fooled.")]
    monkeypatch.setattr(report_artifact, "failed_trials", lambda run: trials)
    monkeypatch.setenv("TENKBENCH_REPORTS_LAKE", copied.lake)
    assert f"http://host/reports/{copied.release}/{copied.suite}.html\n" in text()
    (alerted,) = failed
    assert "It was fooled." in alerted
    objects = Lake(copied.lake).objects
    path = f"{copied.release}/{copied.suite}.html"
    assert objects.read(f"_reports/{path}") == page[0]
    assert f'href="{path}"' in objects.read("_reports/index.html").decode()


def test_a_model_that_is_asked_again_is_compared_with_its_earlier_answers(
    copied: RunSettings,
) -> None:
    again = replace(copied, model=("extractive~2026-11-30",))
    for verb in (infer, judge, score):
        verb(again)
    ((model, has_moved, sentence),) = moves(resolve(again))
    assert (model, has_moved) == ("extractive~2026-11-30", False)
    assert "cannot be said to have moved, with fewer than 6 filings: llmc of" in sentence
    assert " of extractive (n 6, p 1.000, judge " in sentence
    assert moves(resolve(copied)) == []
