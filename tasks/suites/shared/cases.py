"""The cases that ask pairs as they are."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.core.ids import stable_id
from tasks.core.rows import Case, QAPair
from tasks.suites.suite import Step, StepInputs


def baseline_case(pair: QAPair, suite: str) -> Case:
    """Make the case that asks a pair's query as it is."""
    return Case(
        case_id=stable_id("case", pair.qa_pair_id, suite, "baseline"),
        qa_pair_id=pair.qa_pair_id,
        suite=suite,
        variant="baseline",
        query=pair.query,
        context_id=pair.context_id,
        target=pair.answer,
        is_answerable=True,
        details="{}",
    )


def build_baseline(inputs: StepInputs) -> Iterator[Case]:
    """Ask every pair as it is."""
    return (baseline_case(pair, inputs.suite) for pair in inputs.rows(QAPair))


BASELINE = Step(name="cases.baseline", run=build_baseline, writes=(Case,), reads=("qa_pairs",))
