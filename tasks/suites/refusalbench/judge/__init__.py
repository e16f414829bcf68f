"""RefusalBench's judges: how replies and verdicts are read."""

from __future__ import annotations

from tasks.suites.refusalbench.judge.codes import ReplyReading, read_reply, read_reply_code
from tasks.suites.refusalbench.judge.verdicts import (
    GarageVerdict,
    RefusalVerdict,
    read_garage_verdict,
    read_verdict,
)

__all__ = [
    "GarageVerdict",
    "RefusalVerdict",
    "ReplyReading",
    "read_garage_verdict",
    "read_reply",
    "read_reply_code",
    "read_verdict",
]
