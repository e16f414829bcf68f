"""TableQuest's own options."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, field_validator

from tasks.suites.suite import Options

TableFormat = Literal["html", "markdown", "csv"]


class TableQuestOptions(Options):
    """Options that only TableQuest reads."""

    contexts: int = Field(4, ge=1, description="Maximum snippets per filing.")
    context_tokens: int = Field(16_384, ge=256, description="Maximum tokens per snippet.")
    per_level: int | None = Field(
        None, ge=1, description="Questions of each level, balanced over filings. [default: all]"
    )
    hard: bool = Field(
        False,
        description="Ask hard questions, which only --judge critique=MODEL or pairwise=MODEL "
        "can judge.",
    )
    table_format: tuple[TableFormat, ...] = Field(
        ("html",), description="Format of tables in text prompts."
    )
    cut_contexts: bool = Field(
        False, description="Cut snippets for models whose window is too small for a prompt."
    )
    baseline: str = Field("gpt-4o", description="Model whose rating is set to 1000.")
    compare: Literal["baseline", "all"] = Field(
        "baseline", description="Models that a judge compares: each with --baseline, or all."
    )

    @field_validator("table_format")
    @classmethod
    def _put_in_order(cls, formats: tuple[TableFormat, ...]) -> tuple[TableFormat, ...]:
        if not formats:
            raise ValueError("name at least one")
        if len(set(formats)) < len(formats):
            raise ValueError("name each once")
        return tuple(sorted(formats, key=get_args(TableFormat).index))
