"""The checks of `tenkbench doctor`, one subject a file; each tells what it found and what mends it.

No check imports Prefect, prints, or takes longer than the time limits in `flows.doctor` allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["ok", "not ok", "not checked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `mend` says what to do where it is not ok, and may where nothing was checked."""

    check: str
    outcome: Outcome
    found: str
    mend: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against a run: what is not set up is not needed, either."""
        return self.outcome != "not ok"
