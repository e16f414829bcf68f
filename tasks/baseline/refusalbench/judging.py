"""The free engine as a judge and as a verifier. It stands for no model.

As a judge it reads the code that a reply names, or whether it has the reference's numbers or words:
it decides loosely what the judge `codes` leaves unscored. As a verifier it passes everything.
"""

from __future__ import annotations

import json

from tasks.baseline.facts import UNCHECKED
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.judge.model import MultiInputs, SingleInputs
from tasks.suites.refusalbench.judge.replies import ATTEMPT, first_code
from tasks.suites.refusalbench.verification import QUESTIONS, CheckInputs


def judge_single(inputs: SingleInputs) -> str:
    """Classify a reply, and rate an answer as right or wrong."""
    code = first_code(inputs.reply)
    quality = "N/A" if code else "5" if _is_right(inputs) else "1"
    return f"CLASSIFICATION: {code or ATTEMPT}\nQUALITY_SCORE: {quality}\nEXPLANATION: by rule"


def judge_multi(inputs: MultiInputs) -> str:
    """Classify a reply; an answer is supported if it is the reference."""
    code = first_code(inputs.reply)
    right = "N/A" if code else str(int(_is_right(inputs)))
    return (
        f"CLASSIFICATION: {code or ATTEMPT}\nELIGIBILITY: {'N/A' if code else 1}\n"
        f"FACTUALITY_ALL: {right}\nFACTUALITY_RELEVANT: {right}\nEXPLANATION: by rule"
    )


def verify(inputs: CheckInputs) -> str:
    """Pass a perturbation."""
    return json.dumps(
        {
            "identified_issues": UNCHECKED,
            **dict.fromkeys(QUESTIONS, True),
            "predicted_rag_behavior": inputs.expected,
            "verification_result": "PASS",
        }
    )


def _is_right(inputs: SingleInputs) -> bool:
    return any(holds(inputs.reply, reference) for reference in inputs.reference.split(" OR "))
