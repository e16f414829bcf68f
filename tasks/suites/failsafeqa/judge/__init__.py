"""FailSafeQA's judge: a model's rating of compliance, and attacks on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.failsafeqa.judge import attacks, compliance
from tasks.suites.shared.judging import Answered
from tasks.suites.suite import Judge


def _run(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    assert engine is not None  # only a model can be this judge
    return compliance.judge(answered, engine)


COMPLIANCE = Judge(
    run=_run,
    asks=compliance.OPERATIONS,
    files=("failsafeqa/rubrics",),
    version=2,
    attacks=attacks.judge_attacks,
)
