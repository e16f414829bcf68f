"""What a run's log on a Prefect server says while its calls are under way."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from prefect import flow

from flows import shown
from flows.shown import followed
from tasks.core import prefect_engine
from tasks.core.progress import Progress, announce, tell
from tasks.pipeline.settings import RunSettings, WrongSettings

RUN = RunSettings(release="shown-dev", model=("m@http://127.0.0.1:1/v1",))


@pytest.mark.usefixtures("prefect_harness")
def test_a_runs_log_tells_progress_what_holds_it_up_and_what_was_done(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "LOG_BEAT_S", 0.05)
    at_412 = Progress(
        what="answer by m", done=412, total=1540, failed=3, reused=12, dollars=1.25, seconds=100.0
    )

    def logged() -> list[tuple[str, str]]:
        lines = [(record.levelname, record.getMessage()) for record in caplog.records]
        return [line for line in lines if re.search("http://host/v1|^answer by m", line[1])]

    @flow
    def working() -> None:
        with followed(RUN):
            tell("http://host/v1 does not answer; waiting up to 60 s")
            announce(at_412)
            deadline = time.monotonic() + 100
            while len(logged()) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            announce(replace(at_412, done=1540, is_open=False))

    working()
    delay, beat, *_, end = logged()
    assert delay == ("WARNING", "http://host/v1 does not answer; waiting up to 60 s")
    counts = "3 failed, 12 already answered, $1.25"
    assert beat == ("INFO", f"answer by m: 412 of 1,540, {counts}, 0:04:42 left ...")
    assert end == ("INFO", f"answer by m: 1,540 of 1,540, {counts}")


@pytest.mark.usefixtures("prefect_harness")
def test_a_users_error_is_one_line_and_another_one_keeps_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @prefect_engine.flow()
    def failing(error: Exception) -> None:
        raise error

    def errors(error: Exception) -> list[tuple[str, bool]]:
        caplog.clear()
        with pytest.raises(type(error)):
            failing(error)
        logged = [record for record in caplog.records if record.levelname == "ERROR"]
        return [(record.getMessage(), record.exc_info is not None) for record in logged]

    assert errors(WrongSettings("--lake is 'lake'")) == [("--lake is 'lake'", False)]
    ((_, has_traceback),) = errors(ValueError("ours"))
    assert has_traceback
