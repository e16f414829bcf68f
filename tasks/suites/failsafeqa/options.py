"""FailSafeQA's own options."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.perturbations.ocr_table import load_table
from tasks.suites.failsafeqa.questions import dialogue
from tasks.suites.suite import Options


class FailSafeQAOptions(Options):
    """Options that only FailSafeQA reads."""

    pairs: int = Field(4, ge=1, description="Maximum accepted question-answer pairs per filing.")
    context_tokens: int = Field(25_000, ge=1, description="Maximum tokens per context.")
    start: str = Field(
        "filing",
        description="Where contexts start: `filing`, or an Item such as 7 or 1A.",
    )
    examples: Path | None = Field(
        None, description="File of few-shot dialogue turns for the generator, JSON lines."
    )
    ocr_table: Path | None = Field(None, description="File of character confusions, JSON lines.")
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

    @field_validator("ocr_table")
    @classmethod
    def _has_a_table(cls, file: Path | None) -> Path | None:
        if file is not None:
            load_table(file)
        return file

    @field_validator("examples")
    @classmethod
    def _has_examples(cls, file: Path | None) -> Path | None:
        if file is not None:
            expected = "expected JSON lines with the keys USER and ASSISTANT"
            try:
                dialogue.parse(file.read_text(encoding="utf-8"))
            except ParseError as unreadable:
                raise ValueError(f"no exchange found; {expected}") from unreadable
            except (OSError, UnicodeDecodeError) as unreadable:
                raise ValueError(f"{unreadable}; {expected}") from unreadable
        return file
