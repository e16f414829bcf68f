"""FAITH's judges: rules that compare a restored figure with the masked one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.faith.judge import masked_figure
from tasks.suites.faith.judge.masked_figure import Mode
from tasks.suites.faith.options import FaithOptions
from tasks.suites.judge import Answered
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


def _judge(mode: Mode) -> Judge:
    def run(
        answered: Sequence[Answered], _: Engine | None, options: FaithOptions
    ) -> Iterator[Judgement]:
        return masked_figure.judge(answered, mode=mode, units=options.units())

    return Judge(run=run, version=5, options=("unit_groups",), rule=_RULES[mode])


JUDGES: dict[str, Judge] = {mode: _judge(mode) for mode in MODES}
