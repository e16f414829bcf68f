"""The rules that judge answers and refusals, written as a judge's replies."""

from __future__ import annotations

from tasks.baseline.failsafeqa.answer_rule import rate_answer
from tasks.baseline.failsafeqa.refusal_rule import rate_refusal
from tasks.suites.failsafeqa.judge.verdict import Inputs, written


def reply_on_answer(inputs: Inputs) -> str:
    """Rate an answer to an answerable case."""
    return written(*rate_answer(inputs))


def reply_on_refusal(inputs: Inputs) -> str:
    """Rate an answer to a case that should be refused."""
    return written(*rate_refusal(inputs))
