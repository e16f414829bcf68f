"""TableQuest's judges: rules and models, of one answer or of two."""

from __future__ import annotations

from tasks.suites.suite import Judge
from tasks.suites.tablequest.judge import accuracy, critique, pairwise, reference

JUDGES: dict[str, Judge] = {
    "reference": Judge(
        run=reference.judge,
        version=6,
        rule=(
            "a figure must equal the reference at the coarser of the two stated precisions, with "
            "its scale, unit and sign. Words and analyses are left to models"
        ),
    ),
    "accuracy": Judge(run=accuracy.judge, version=6, asks=(accuracy.OPERATION,)),
    "pairwise": Judge(
        run=pairwise.judge,
        version=4,
        asks=(pairwise.OPERATION,),
        compares=lambda model, other, options: (
            options.compare == "all" or options.baseline in (model, other)
        ),
        options=("compare", "baseline"),
        reads="shown",
    ),
    "critique": Judge(run=critique.judge, version=4, asks=(critique.OPERATION,), reads="shown"),
}
