"""RefusalBench's own options."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from tasks.suites.refusalbench.strata import Setting
from tasks.suites.suite import Options

AnswerPrompt = Literal["plain", "confidence"]


class RefusalBenchOptions(Options):
    """Options that only RefusalBench reads."""

    settings: tuple[Setting, ...] = Field(
        ("single", "multi"), description="Passages per question: one (single) or ten (multi)."
    )
    base: str | None = Field(
        None, description="Suite of this release whose questions are perturbed. [default: its own]"
    )
    base_file: Path | None = Field(
        None, description="Questions to perturb, as JSONL, instead of questions of the filings."
    )
    base_questions: int = Field(
        100, ge=1, description="Questions of a setting, balanced over filings and kinds of answer."
    )
    levers: int = Field(
        1,
        ge=1,
        description="Levers of each stratum that each question is perturbed by; 11 are all 176.",
    )
    per_stratum: int = Field(
        22, ge=1, description="Cases drawn first of each stratum, generator and setting."
    )
    per_generator: int = Field(
        400,
        ge=1,
        description="Maximum cases per generator and setting; strata are filled up to it.",
    )
    answer_prompts: tuple[AnswerPrompt, ...] = Field(
        ("plain",), description="How cases are asked: plainly, or also for a confidence."
    )

    @field_validator("settings", "answer_prompts")
    @classmethod
    def _is_a_list(cls, values: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if not values:
            raise ValueError("name at least one")
        if len(set(values)) < len(values):
            raise ValueError("name each once")
        return values

    @model_validator(mode="after")
    def _has_one_base(self) -> RefusalBenchOptions:
        if self.base is not None and self.base_file is not None:
            raise ValueError("questions come from a suite or from a file; give only one of them")
        if self.base == "refusalbench":
            raise ValueError("its own questions are perturbed without --base; name another suite")
        return self
