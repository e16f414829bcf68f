"""Cases: a pair unchanged, or under another variant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Case, QAPair
from tasks.suites.suite import Step, StepInputs


def case_of(pair: QAPair, suite: str, variant: str = "baseline", **columns: Any) -> Case:
    """Make a case that asks a pair's query unchanged; `columns` may set its traits."""
    return Case(
        case_id=stable_id("case", pair.qa_pair_id, suite, variant),
        qa_pair_id=pair.qa_pair_id,
        suite=suite,
        variant=variant,
        query=pair.query,
        context_id=pair.context_id,
        target=pair.answer,
        is_answerable=True,
        **columns,
    )


def varied(case: Case, variant: str, **columns: Any) -> Case:
    """Make a case of the same pair under another variant; `columns` are those that differ."""
    case_id = stable_id("case", case.qa_pair_id, case.suite, variant)
    return replace(case, case_id=case_id, variant=variant, **columns)


def build_baseline(inputs: StepInputs) -> Iterator[Case]:
    """Make one case per pair that asks it unchanged."""
    return (case_of(pair, inputs.suite) for pair in inputs.rows(QAPair))


BASELINE = Step(name="cases.baseline", run=build_baseline, writes=(Case,), reads=("qa_pairs",))
