"""The long-context suite's own options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

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
    lengths: tuple[Annotated[int, Field(ge=_SHORTEST)], ...] = Field(
        (4_000, 8_000), min_length=1, description="Tokens of prompt and answer; 1K is 1,000."
    )
    records: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (20,), description="Records of a task at each length: one number for all, or one for each."
    )
    queries: int = Field(20, ge=1, description="Queries of a task.")
    placements: tuple[Placement, ...] = Field(
        ("best_practices",), min_length=1, description="Where the prompt has the instruction."
    )
    single: bool = Field(
        False, description="Ask single articles too: the paper's table 2, at six times the calls."
    )

    @model_validator(mode="after")
    def _agree(self) -> LongContextOptions:
        for values in (self.lengths, self.placements):
            if len(set(values)) < len(values):
                raise ValueError(f"name each once, not {', '.join(map(str, values))}")
        if len(self.records) not in (1, len(self.lengths)):
            raise ValueError(
                f"--records names {len(self.records)} numbers for {len(self.lengths)} lengths. "
                "Give one number for all, or one for each."
            )
        return self

    @property
    def records_of(self) -> dict[int, int]:
        """Return how many records of a task each length has."""
        counts = self.records if len(self.records) > 1 else self.records * len(self.lengths)
        return dict(zip(self.lengths, counts, strict=True))

    def budget_of(self, length: int) -> int:
        """Return the tokens that a prompt of a length may have."""
        return length - ANSWER_TOKENS - CHAT_TOKENS
