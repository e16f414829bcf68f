"""A judge by rule: the code that a reply names, or whether it has the reference's numbers or words.

It stands for no model. The judge `codes` leaves unscored what this one decides loosely.
"""

from __future__ import annotations

import re

from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.judge.codes import ATTEMPT, NAMED, name_of
from tasks.suites.refusalbench.judge.model import MultiInputs, SingleInputs

_OR = re.compile(r" OR ")


def judge_single(inputs: SingleInputs) -> str:
    """Classify a reply, and rate an answer as right or wrong."""
    code = _code(inputs.reply)
    quality = "N/A" if code else "5" if _is_right(inputs) else "1"
    return f"CLASSIFICATION: {code or ATTEMPT}\nQUALITY_SCORE: {quality}\nEXPLANATION: by rule"


def judge_multi(inputs: MultiInputs) -> str:
    """Classify a reply; an answer is supported if it is the reference."""
    code = _code(inputs.reply)
    right = "N/A" if code else str(int(_is_right(inputs)))
    return (
        f"CLASSIFICATION: {code or ATTEMPT}\nELIGIBILITY: {'N/A' if code else 1}\n"
        f"FACTUALITY_ALL: {right}\nFACTUALITY_RELEVANT: {right}\nEXPLANATION: by rule"
    )


def _code(reply: str) -> str | None:
    found = NAMED.search(reply)
    return None if found is None else name_of(found)


def _is_right(inputs: SingleInputs) -> bool:
    return any(holds(inputs.reply, reference) for reference in _OR.split(inputs.reference))
