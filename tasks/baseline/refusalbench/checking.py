"""A verifier by rule: it checks what was changed and whether the answer still stands.

What it cannot check, such as whether the text is natural, it passes. It stands for no model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tasks.baseline.refusalbench.question import Question, read_question
from tasks.suites.refusalbench.catalogue import violations
from tasks.suites.refusalbench.verification.operations import QUESTIONS, CheckInputs

_PASSAGE = re.compile(r"^\[([SN])(\d+)\]\n", re.MULTILINE)


def check_single(inputs: CheckInputs) -> str:
    """Check a perturbation of a question on one passage."""
    question = read_question(inputs, is_single=True)
    if question is None:
        return _verdict("single", inputs, ["The stratum is not known."])
    return _reply(inputs, question, {("S", 0): inputs.new_passages})


def check_multi(inputs: CheckInputs) -> str:
    """Check a perturbation of a question on several passages."""
    question = read_question(inputs, is_single=False)
    if question is None:
        return _verdict("multi", inputs, ["The stratum is not known."])
    _, *parts = _PASSAGE.split(inputs.new_passages)
    changed = {
        (kind, int(number) - 1): text.strip()
        for kind, number, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }
    return _reply(inputs, question, changed)


def _reply(inputs: CheckInputs, question: Question, new: dict[tuple[str, int], str]) -> str:
    old = {("S", n): text for n, text in enumerate(question.signal)}
    old |= {("N", n): text for n, text in enumerate(question.noise)}
    changed = [place for place, text in new.items() if text.split() != old[place].split()]
    broken = violations(
        "single" if question.is_single else "multi",
        question.perturbation_class,
        query_changed=inputs.new_query.split() != inputs.query.split(),
        changed_signal=[number for kind, number in changed if kind == "S"],
        n_signal=len(question.signal),
        changed_noise=[number for kind, number in changed if kind == "N"],
    )
    texts = {**old, **new}
    is_stated = any(question.spans(text) for (kind, _), text in texts.items() if kind == "S")
    is_gone = question.intensity == "low" and not is_stated
    setting = "single" if question.is_single else "multi"
    return _verdict(setting, inputs, broken, is_gone=is_gone)


def _verdict(
    setting: str, inputs: CheckInputs, broken: Sequence[str], *, is_gone: bool = False
) -> str:
    issues = [*broken, *(["The answer is gone."] if is_gone else [])]
    answers = dict.fromkeys(QUESTIONS[setting], True)
    answers["target_correctly_modified"] = not broken
    answers["answer_constraint_satisfied"] = not is_gone
    return json.dumps(
        {
            **answers,
            "predicted_rag_behavior": inputs.expected,
            "identified_issues": issues,
            "verification_result": "FAIL" if issues else "PASS",
        }
    )
