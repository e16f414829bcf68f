"""The result of a check of a machine, a lake or a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["ok", "not ok", "not checked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    outcome: Outcome
    found: str
    fix: str = ""  # what to do; set if the outcome is "not ok", optional if "not checked"

    @property
    def ok(self) -> bool:
        """Whether a run may start: a part that is not set up, and so not checked, is not needed."""
        return self.outcome != "not ok"
