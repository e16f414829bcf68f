"""FailSafeQA's own options."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from tasks.suites.suite import Options


class FailSafeQAOptions(Options):
    """Options that only FailSafeQA reads."""

    pairs: int = Field(4, ge=1, description="Maximum accepted question-answer pairs per filing.")
    context_tokens: int = Field(25_000, ge=1, description="Maximum tokens per context.")
    start: str = Field(
        "filing",
        description="Where contexts start: `filing`, or an Item such as 7 or 1A.",
    )
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

    @field_validator("start")
    @classmethod
    def _is_a_start(cls, start: str) -> str:
        if not re.fullmatch("filing|([1-9]|1[0-6])[A-C]?", start):
            raise ValueError("contexts start at `filing` or at an Item, such as 7 or 1A")
        return start
