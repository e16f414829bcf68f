"""FailSafeQA's judges: a model's rating of compliance by different evidence, and attacks on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import get_args

from tasks.suites.failsafeqa.judge import attacks, compliance
from tasks.suites.failsafeqa.judge.compliance import Evidence
from tasks.suites.suite import Judge


def _judge(evidence: Evidence) -> Judge:
    return Judge(
        run=lambda answered, engine, _: compliance.judge(answered, engine, evidence),
        asks=compliance.OPERATIONS[evidence],
        version=7,
        reads="original" if evidence == "full_context" else "",
        is_usual=evidence == "citations",
        attacks=partial(attacks.judge_attacks, evidence=evidence),
    )


JUDGES: Mapping[str, Judge] = {evidence: _judge(evidence) for evidence in get_args(Evidence)}
