"""What a check found, and what mends it: of a machine, a lake, a server."""

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
