"""FAITH's own options."""

from __future__ import annotations

from pydantic import Field

from tasks.suites.suite import Options


class FaithOptions(Options):
    """Options that only FAITH reads."""

    pairs: float | None = Field(
        None, gt=0, description="Maximum hidden figures per filing, on average. [default: all]"
    )
    own_sentence: bool = Field(
        False, description="Also hide figures that other figures of their sentence give."
    )
