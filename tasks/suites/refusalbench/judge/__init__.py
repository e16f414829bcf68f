"""RefusalBench's judges: a rule, and a model; how replies and verdicts are read."""

from __future__ import annotations

from tasks.suites.refusalbench.judge import model, rule
from tasks.suites.refusalbench.judge.codes import ReplyReading, read_reply
from tasks.suites.refusalbench.judge.verdicts import (
    GarageVerdict,
    RefusalVerdict,
    read_garage_verdict,
    read_verdict,
)
from tasks.suites.suite import Judge

JUDGES: dict[str, Judge] = {
    "codes": Judge(run=rule.judge, version=5, right=rule.right, rule=rule.RULE),
    "verdict": Judge(
        run=model.judge,
        version=4,
        asks=(model.SINGLE, model.MULTI),
        reads="shown",
        right=rule.right,
    ),
}

__all__ = [
    "JUDGES",
    "GarageVerdict",
    "RefusalVerdict",
    "ReplyReading",
    "read_garage_verdict",
    "read_reply",
    "read_verdict",
]
