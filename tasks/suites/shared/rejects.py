"""Rejects: what a step could not use, with its reason."""

from __future__ import annotations

from tasks.core.ids import stable_id
from tasks.core.rows import Reject


def reject_of(stage: str, parent_id: str, reason: str, detail: str = "") -> Reject:
    """Make the reject of a row; its id is of all that it says."""
    return Reject(
        reject_id=stable_id("reject", stage, parent_id, reason, detail),
        stage=stage,
        parent_id=parent_id,
        reason=reason,
        detail=detail,
    )
