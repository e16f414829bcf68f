"""Judges: an answered case in, one judgement out, one file each.

A part is `judge(answered, engine) -> Iterator[Judgement]`: exactly one judgement per
answered case; what cannot be rated carries its `unscored_reason`, never a rating.

A judge is itself put on trial: the same answers on another occasion, other judges on the same
answers, and a standing set of attacks (`attacks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Case, QAPair, Request, Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One case, its pair, and a model's answer or failure to answer.

    `occasion` is 0 where it is put to a judge for the first time, and 1 where the judge is asked again.
    """

    case: Case
    pair: QAPair
    request: Request
    response: Response
    occasion: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPair:
    """Two models' answers to one case, in the order in which a judge is shown them."""

    first: Answered
    second: Answered


def why_no_answer(response: Response) -> str | None:
    """Why there is nothing to judge, from a closed set; None where the model answered."""
    if response.status == "ok":
        return None
    return f"the model did not answer: {response.error_type or response.status}"
