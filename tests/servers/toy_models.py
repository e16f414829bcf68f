"""Scripted models of `tests/toy_suite`: `m1` reads well, `m2` half, `v3` votes one company down."""

from __future__ import annotations

COMPANIES = ("Acme Corp", "Globex Ltd", "Initech Inc", "Umbrella Group")


def reply(prompt: str, model: str) -> str:
    """Answer a prompt of the toy suite."""
    if prompt.endswith("Reply with one question."):
        return f"Whom is headline {len(_company(prompt))} about, asks {model}?"
    if "Reply yes or no." in prompt:
        return "no" if model == "v3" and "Initech Inc" in prompt else "yes"
    if prompt.startswith("Which answer is nearer"):
        first, _, second = prompt.partition("\n1: ")[2].partition("\n2: ")
        return "1" if len(first) > len(second) else "2"
    company = _company(prompt)
    return company if model == "m1" else company.split()[0]


def _company(prompt: str) -> str:
    return next((name for name in COMPANIES if name in prompt), "nobody")
