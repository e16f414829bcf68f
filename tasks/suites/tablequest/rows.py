"""Row types of drafted questions, proofs and verifications."""

from __future__ import annotations

from typing import Literal

from tasks.core.tables import table
from tasks.suites.shared.tables.operand import Operand

Level = Literal["warmup", "easy", "medium", "hard"]


@table(
    "drafts",
    keys=("release", "suite"),
    id="draft_id",
    context_id="contexts.context_id",
    request_id="responses.request_id",
)
class Draft:
    """One question that a model drafted in a round, with its answer, steps and proof."""

    draft_id: str  # one per context, level and question
    # the pair that asks it, unless it is a reject under its draft_id; null for a warm-up
    qa_pair_id: str | None
    context_id: str
    level: Level
    query: str
    answer: str
    cot: str  # the steps to the answer, as the model wrote them; "" if it wrote none
    # the cells that it named, if each was found; tables count from 1, and a text has no value: ""
    operands: tuple[Operand, ...]
    calculation: str | None  # expression over the operands A, B, ...; null if none is stated
    value: str | None  # what the calculation gives, in ones of its unit; null if not computed
    # whether the cells give the answer; null if there is nothing to compute, as in an analysis
    proved: bool | None
    # why they do not, from a closed set; null if they do, or nothing is computed
    unproved_reason: str | None
    unproved_detail: str  # the particulars, in words; "" if there are none
    request_id: str  # the request that asked for it


@table(
    "verifications",
    keys=("release", "suite"),
    id="verification_id",
    draft_id="drafts.draft_id",
    request_id="responses.request_id",
    answer_request_id="responses.request_id",
)
class Verification:
    """One model's check of one drafted question: its verdicts, and its own answer."""

    verification_id: str  # one per draft and model
    draft_id: str
    model: str
    is_relevant: bool | None  # whether it is about the snippet's tables; null if unreadable
    is_reasonable: bool | None  # whether a professional may ask it
    is_valid: bool | None  # whether it has one answer, which the snippet gives
    level: str | None  # easy, medium or hard, as the model sees it
    sources: str | None  # where the model found the answer, in its words
    own_answer: str | None  # from question and snippet alone, before it saw ours
    agrees: bool | None  # whether its own answer is ours; null if either is missing
    accepts: bool | None  # all of these; null if one of its replies could not be read
    unread_reason: str | None
    rationale: str | None
    request_id: str  # the request for the verdicts
    answer_request_id: str  # the request for its own answer


ROW_TYPES: tuple[type, ...] = (Draft, Verification)
