"""FAITH's judges: rules that compare a restored figure with the masked one."""

from __future__ import annotations

from functools import partial

from tasks.suites.faith.judge import masked_figure
from tasks.suites.faith.judge.masked_figure import Mode
from tasks.suites.suite import Judge

MODES: tuple[Mode, ...] = ("strict", "official")

_RULES: dict[Mode, str] = {
    "strict": (
        "the answer must equal the figure at the coarser of the two stated precisions, with its "
        "scale, unit and currency. The minus sign may be omitted, because a positive value is "
        "asked for. A reply without a readable answer is wrong"
    ),
    "official": (
        "the verdicts of the authors' own scorer. It allows a difference of 2 % and knows few "
        "units. A reply without a readable answer is wrong, too"
    ),
}
JUDGES: dict[str, Judge] = {
    mode: Judge(run=partial(masked_figure.judge, mode=mode), version=7, rule=_RULES[mode])
    for mode in MODES
}
