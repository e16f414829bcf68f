"""The prompt of a case, for counting its tokens."""

from __future__ import annotations

from dataclasses import asdict

from tasks.core.rows import Case
from tasks.inference import prompts
from tasks.suites.longcontext.answer import OPERATIONS


def prompt_of(case: Case, text: str) -> str:
    """Return the prompt that asks a case about a text."""
    operation = OPERATIONS[case.variant]
    prompt = prompts.fill(operation.template, asdict(operation.inputs.of(case, text)))
    return prompt.prefix + prompt.suffix
