"""FAITH's own options."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tasks.suites.suite import Options


class FaithOptions(Options):
    """Options that only FAITH reads."""

    pairs: int | None = Field(
        None, ge=1, description="Maximum hidden figures per filing. [default: all]"
    )
    table_format: Literal["csv", "markdown"] = Field(
        "csv", description="How models under test are shown the tables."
    )
