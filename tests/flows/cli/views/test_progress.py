"""Progress on screen: counts that never yield, a line for each end, a beat for long work."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from flows.cli.views.progress import PlainLines, bars_shown
from tasks.core.progress import Progress, announce, tell

BUSY = Progress(
    what="judge_missing_context by Qwen2.5-72B-Instruct",
    done=36_104,
    total=36_960,
    model="Qwen2.5-72B-Instruct",
    failed=12,
    reused=3,
    prompt_tokens=9_000_000,
    cached_tokens=7_000_000,
    output_tokens=80_000,
    dollars=71.4,
    seconds=5_000.0,
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_counts_and_times_stay_whole_and_what_has_ended_leaves_a_line(width: int) -> None:
    shown = StringIO()
    console = Console(file=shown, width=width, force_terminal=True, color_system=None)
    with bars_shown(console):
        announce(BUSY)
        announce(replace(BUSY, what="answer by w80", done=7, total=42))
        shown.seek(0)
        shown.truncate()
        announce(replace(BUSY, what="ended", done=36_960, is_open=False))
        tell("the server is [gone]")
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue()).replace("\r", "\n")
    lines = text.split("\n")
    for begins, count in (("judge_missing_con", "36,104/36,960"), ("answer by w80", "7/42")):
        *_, row = (line for line in lines if line.startswith(begins) and count in line)
        assert re.search(rf" {count} +\d+:\d\d:\d\d ", row), row
        assert len(row) <= width
        assert ("━" in row) == (width == 120)
    assert "ended: 36,960 of 36,960, 12 failed" in " ".join(text.split())
    assert "$71.40" in text
    assert "36,960/36,960" not in text
    assert "the server is [gone]" in text


def test_a_log_is_told_at_each_beat_where_a_long_step_stands_also_when_nothing_comes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = PlainLines()
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
