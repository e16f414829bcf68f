"""The free engine as a verifier: it passes whatever it is shown, unchecked."""

from __future__ import annotations

import json

from tasks.suites.refusalbench.verification.operations import QUESTIONS, CheckInputs

UNCHECKED = "by rules, unchecked"


def pass_single(inputs: CheckInputs) -> str:
    """Pass a perturbation of one passage."""
    return _passed("single", inputs)


def pass_multi(inputs: CheckInputs) -> str:
    """Pass a perturbation of several passages."""
    return _passed("multi", inputs)


def _passed(setting: str, inputs: CheckInputs) -> str:
    return json.dumps(
        {
            "identified_issues": [UNCHECKED],
            **dict.fromkeys(QUESTIONS[setting], True),
            "predicted_rag_behavior": inputs.expected,
        }
    )
