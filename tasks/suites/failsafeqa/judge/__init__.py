"""FailSafeQA's judges: a model's rating of compliance by different evidence, and attacks on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.failsafeqa.judge import attacks, compliance
from tasks.suites.failsafeqa.judge.compliance import Evidence
from tasks.suites.judge import Answered
from tasks.suites.suite import Judge


def _run(
    answered: Sequence[Answered], engine: Engine | None, _: Any, *, evidence: Evidence
) -> Iterator[Judgement]:
    assert engine is not None  # only a model can be this judge
    return compliance.judge(answered, engine, evidence)


def _judge(evidence: Evidence) -> Judge:
    return Judge(
        run=partial(_run, evidence=evidence),
        asks=compliance.OPERATIONS[evidence],
        version=6,
        reads="original" if evidence == "full_context" else "",
        is_usual=evidence == "citations",
        attacks=partial(attacks.judge_attacks, evidence=evidence),
    )


JUDGES: Mapping[str, Judge] = {evidence: _judge(evidence) for evidence in get_args(Evidence)}
