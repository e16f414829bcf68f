"""What `tenkbench estimate` takes for what is not built yet: planning figures of a suite, in its `planning.py`.

They stand beside the suite's value, not in it: what they say changes no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shown = Literal["nothing", "context", "tagged context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One operation of building.

    asked    the setting that names who is asked: generator, citer, or panel, of which each is asked
    per      what there are `calls` of it for: each pair that was ordered, or each that was accepted
    calls    how many
    shows    what the shared prefix holds besides the instructions
    suffix   tokens of a prompt after its prefix, on average
    reply    tokens of a typical reply
    part     variant that it belongs to, when it does
    """

    asked: Literal["generator", "citer", "panel"]
    per: Literal["ordered", "accepted"]
    calls: float
    shows: Shown
    suffix: int
    reply: int
    part: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """The planning figures of one suite.

    build           operation -> its plan; of the two citing operations only the run's own counts
    context         tokens of a context per token that it may have: most filings are longer than what is kept
    pairs           most pairs that are ordered of a context
    accepted        accepted pairs per ordered one
    is_found        whether rules find the pairs, and models say at most which of them to keep: a part of the filings tells
                    how many there are, and `pairs` and `accepted` count only where no filing is there
    ocr_growth      tokens of a scanned context per token of the clean one
    tags_growth     tokens of a context with numbered sentences per token of it without
    query           tokens of a query in a prompt's suffix
    answer          tokens of a typical answer
    judged          per operation of the judge: of a pair's cases, how many; tokens of its prompt's shared
                    head, and of the tail without the answer
    verdict         tokens of a typical verdict
    """

    build: dict[str, Plan]
    context: float
    pairs: float
    accepted: float
    ocr_growth: float
    tags_growth: float
    query: int
    answer: int
    judged: dict[str, tuple[int, int, int]]
    verdict: int
    is_found: bool = False
