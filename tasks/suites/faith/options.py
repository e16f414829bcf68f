"""FAITH's own options."""

from __future__ import annotations

from pydantic import Field

from tasks.suites.suite import Options


class FaithOptions(Options):
    """Options that only FAITH reads."""

    pairs: int | None = Field(
        None, ge=1, description="Maximum hidden figures per filing. [default: all]"
    )
