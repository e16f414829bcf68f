"""The long-context suite's own options."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from tasks.models.windows import CHAT_TOKENS
from tasks.suites.suite import Options

# Most tokens of an answer, as in the paper.
ANSWER_TOKENS = 100
# The paper's. Of a shorter text, hard negatives that fit one placement are too many for another.
_SHORTEST = 4_000

Placement = Literal["prepend", "append", "both", "best_practices"]


class LongContextOptions(Options):
    """Options that only the long-context suite reads."""

    articles: Path | None = Field(
        None, description="News, as CSV, JSONL or Parquet. [default: invented headlines]"
    )
    lengths: tuple[int, ...] = Field(
        (4_000, 8_000), description="Tokens of prompt and answer; 1K is 1,000."
    )
    records: tuple[int, ...] = Field(
        (20,), description="Records of a task at each length: one number for all, or one for each."
    )
    queries: int = Field(20, ge=1, description="Queries of a task.")
    placements: tuple[Placement, ...] = Field(
        ("best_practices",), description="Where the prompt has the instruction."
    )

    @field_validator("lengths", "placements", "records")
    @classmethod
    def _is_a_list(cls, values: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if not values:
            raise ValueError("name at least one")
        if info.field_name != "records" and len(set(values)) < len(values):
            raise ValueError("name each once")
        if info.field_name == "lengths" and min(map(int, values)) < _SHORTEST:
            raise ValueError(f"each must be at least {_SHORTEST}")
        return values

    @model_validator(mode="after")
    def _has_records_of_each_length(self) -> LongContextOptions:
        if len(self.records) not in (1, len(self.lengths)):
            raise ValueError(
                f"--records names {len(self.records)} numbers for {len(self.lengths)} lengths. "
                "Give one number for all, or one for each."
            )
        if min(self.records) < 1:
            raise ValueError("--records must be at least 1 for each length")
        return self

    @property
    def records_of(self) -> dict[int, int]:
        """Return how many records of a task each length has."""
        counts = self.records if len(self.records) > 1 else self.records * len(self.lengths)
        return dict(zip(self.lengths, counts, strict=True))

    def budget_of(self, length: int) -> int:
        """Return the tokens that a prompt of a length may have."""
        return length - ANSWER_TOKENS - CHAT_TOKENS
