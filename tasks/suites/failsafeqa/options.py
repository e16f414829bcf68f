"""FailSafeQA's own options."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tasks.suites.suite import Options


class FailSafeQAOptions(Options):
    """Options that only FailSafeQA reads."""

    pairs: int = Field(4, ge=1, description="Maximum accepted question-answer pairs per filing.")
    named: bool = Field(
        False, description="Queries name company and period, for use without the document."
    )
    context_tokens: int = Field(25_000, ge=1, description="Maximum tokens per context.")
    ocr_max_error: float = Field(
        0.10, ge=0, le=1, description="Highest probability of a character error in a block."
    )
    prompt: Literal["neutral", "coached"] = Field(
        "neutral", description="Prompt of models under test; coached tells them how to pass."
    )
    beta: float = Field(
        0.5,
        gt=0,
        allow_inf_nan=False,
        description=(
            "Weight of robustness against grounding in LLM Compliance; below 1 favours grounding."
        ),
    )
