"""The long-context suite's own options."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from tasks.suites.suite import Options

Source = Literal["invented", "filings", "file"]
Placement = Literal["prepend", "append", "both", "best_practices"]


class LongContextOptions(Options):
    """Options that only the long-context suite reads."""

    articles: Path | None = Field(
        None, description="News, as CSV, JSONL or Parquet. [default: invented headlines]"
    )
    from_filings: bool = Field(
        False, description="Take articles from the filings instead of inventing headlines."
    )
    lengths: tuple[int, ...] = Field(
        (4_000, 8_000), description="Tokens of prompt and answer; 1K is 1,000."
    )
    records: tuple[int, ...] = Field(
        (20,), description="Records of a task at each length: one number for all, or one for each."
    )
    queries: int = Field(5, ge=1, description="Queries of a task.")
    placements: tuple[Placement, ...] = Field(
        ("best_practices",), description="Where the instruction stands."
    )
    answer_tokens: int = Field(100, ge=10, description="Most tokens of an answer.")
    shared_haystack: bool = Field(
        False, description="Ask all queries whose needles can coexist in one text."
    )
    threshold: float = Field(
        0.8, ge=0, le=1, description="F1 that an effective context length must surely reach."
    )
