"""TableQuest's judges: rules and models, of one answer or of two."""

from __future__ import annotations

from tasks.suites.suite import Judge
from tasks.suites.tablequest.judge import accuracy, critique, pairwise, preference, reference
from tasks.suites.tablequest.options import TableQuestOptions


def _compares(model: str, other: str, options: TableQuestOptions) -> bool:
    return options.compare == "all" or options.baseline in (model, other)


_COMPARED_BY = ("compare", "baseline")

JUDGES: dict[str, Judge] = {
    "reference": Judge(run=reference.judge, version=4),
    "preference": Judge(
        run=preference.judge,
        version=2,
        unit="two answers",
        compares=_compares,
        compared_by=_COMPARED_BY,
    ),
    "accuracy": Judge(run=accuracy.judge, version=3, asks=(accuracy.OPERATION,)),
    "pairwise": Judge(
        run=pairwise.judge,
        version=2,
        asks=(pairwise.OPERATION,),
        unit="two answers",
        compares=_compares,
        compared_by=_COMPARED_BY,
        reads_contexts=True,
    ),
    "critique": Judge(
        run=critique.judge, version=2, asks=(critique.OPERATION,), reads_contexts=True
    ),
}
DEFAULT_JUDGES = ("reference",)
