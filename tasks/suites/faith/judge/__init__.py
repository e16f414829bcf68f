"""FAITH's judges: rules that compare a restored figure with the masked one."""

from __future__ import annotations

from functools import partial

from tasks.suites.faith.judge import masked_figure
from tasks.suites.faith.judge.masked_figure import Mode
from tasks.suites.suite import Judge

MODES: tuple[Mode, ...] = ("strict", "official")

JUDGES: dict[str, Judge] = {
    mode: Judge(run=partial(masked_figure.judge, mode=mode), version=6) for mode in MODES
}
