"""Progress in lines: one for each end, and a beat for long work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flows.cli.views.progress import ProgressLines
from tasks.core.progress import Progress


def test_each_beat_tells_where_a_long_step_stands_also_when_nothing_comes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = ProgressLines()
    begun = Progress(what="answer by w80", done=0, total=42)
    lines.hear(begun)
    lines.beat()
    lines.beat()
    lines.hear(replace(begun, done=7, seconds=70.0))
    lines.beat()
    lines.hear(replace(begun, done=42, is_open=False))
    lines.beat()
    assert capsys.readouterr().err.splitlines() == [
        "answer by w80: 0 of 42 ...",
        "answer by w80: 0 of 42 ...",
        "answer by w80: 7 of 42, 0:05:50 left ...",
        "answer by w80: 42 of 42",
    ]
