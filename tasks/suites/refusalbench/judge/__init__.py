"""RefusalBench's judges: a rule, and a model."""

from __future__ import annotations

from tasks.suites.refusalbench.judge import model, rule
from tasks.suites.suite import Judge

JUDGES: dict[str, Judge] = {
    "codes": Judge(run=rule.judge, version=6, rule=rule.RULE),
    "verdict": Judge(run=model.judge, version=5, asks=(model.SINGLE, model.MULTI), reads="shown"),
}
