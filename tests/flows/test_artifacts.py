"""What the Prefect UI shows while calls are under way is what was announced."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from prefect import flow
from prefect.artifacts import Artifact

from flows import artifacts, report_artifact
from flows.artifacts import artifact_key, followed
from flows.report_artifact import publish_report
from flows.story import failed_trials
from tasks.core.progress import Progress, announce, tell
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings

RUN = RunSettings(release="shown-dev", model=("m@http://127.0.0.1:1/v1",))


def stand(done: int) -> Progress:
    return Progress(
        what="answer by m",
        done=done,
        total=1540,
        failed=3,
        reused=12,
        dollars=1.25,
        seconds=100.0,
    )


def shown() -> Artifact:
    artifact = Artifact.get(key=artifact_key("infer", RUN.release, RUN.suite, "answer by m"))
    assert artifact is not None
    return artifact


@pytest.mark.usefixtures("prefect_harness")
def test_an_artifact_follows_the_work_while_it_runs_and_says_how_it_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(artifacts, "_REFRESH_S", 0.05)
    seen: list[Artifact] = []

    @flow
    def working() -> None:
        with followed(RUN, "infer"):
            announce(stand(412))
            for _ in range(2_000):
                time.sleep(0.05)
                if (
                    Artifact.get(key=artifact_key("infer", RUN.release, RUN.suite, "answer by m"))
                    is not None
                ):
                    break
            seen.append(shown())
            announce(stand(1540))

    working()
    assert seen[0].data == pytest.approx(100 * 412 / 1540)
    assert seen[0].description == (
        "answer by m: 412 of 1,540, 3 failed, 12 already answered, $1.25, 0:04:42 left"
    )
    ended = shown()
    assert ended.id == seen[0].id
    assert ended.data == 100.0
    assert ended.description is not None
    assert ended.description.endswith("$1.25")


@pytest.mark.usefixtures("prefect_harness")
def test_a_runs_log_says_what_holds_the_work_up_and_what_was_done(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @flow
    def waiting() -> None:
        with followed(RUN, "infer"):
            tell("http://host/v1 does not answer; waiting up to 60 s")
            first = Progress(what="write by m", done=14, total=14, failed=2, reused=4)
            announce(replace(first, dollars=1.5, seconds=4.0, began=100.0))
            again = Progress(what="write by m", done=1, total=1, reused=1, seconds=1.0, began=109.0)
            announce(again)

    waiting()
    both = "15 of 15, 2 failed, 5 already answered, $1.50"
    said = [
        (record.levelname, record.getMessage())
        for record in caplog.records
        if re.search("http://host/v1|write by m", record.getMessage())
    ]
    assert said == [
        ("WARNING", "http://host/v1 does not answer; waiting up to 60 s"),
        ("INFO", f"write by m: {both}"),
    ]


def test_a_report_is_linked_only_where_its_own_lake_is_served(
    prefect_harness: None, copied: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a real one takes three seconds; tests/flows/test_server.py opens it
    page = b"<title>", "extractive"
    monkeypatch.setattr(report_artifact, "report_of", lambda *_: page)

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
    assert f"(http://host/reports/{copied.release}/{copied.suite}.html)" in text()
    (alerted,) = failed
    assert "It was fooled." in alerted
    objects = Lake(copied.lake).objects
    path = f"{copied.release}/{copied.suite}.html"
    assert objects.read(f"_reports/{path}") == page[0]
