"""Judges: an answered case in, one judgement out, one file each.

A part is `judge(answered, engine) -> Iterator[Judgement]`: exactly one judgement per
answered case; what cannot be rated carries its `unscored_reason`, never a rating.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.schemas import Case, QAPair, Request, Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One case, its pair, and a model's answer or failure to answer."""

    case: Case
    pair: QAPair
    request: Request
    response: Response
