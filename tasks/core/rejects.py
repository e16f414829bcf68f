"""Rejects: what a step could not use, with its reason."""

from __future__ import annotations

from tasks.core.ids import stable_id
from tasks.core.rows import Reject


def reject_of(
    stage: str, parent_id: str, reason: str, detail: str = "", key: tuple[str, ...] | None = None
) -> Reject:
    """Make the reject of a row.

    Args:
        key: what tells the reject from others; by default its stage and all that it says.
    """
    named = (stage, parent_id, reason, detail) if key is None else key
    return Reject(
        reject_id=stable_id("reject", *named),
        stage=stage,
        parent_id=parent_id,
        reason=reason,
        detail=detail,
    )
