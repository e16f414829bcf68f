"""Row types of masked figures, their derivations and the panel's votes.

The layout follows the shared row types in `tasks.core.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.core.tables import table


@table("masked_spans", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedSpan:
    """One maskable figure of Item 7, with or without a pair."""

    span_id: str
    qa_pair_id: str | None  # null if rejected; the reject's parent_id is the span_id
    document_id: str
    context_id: str  # the tables that models see
    sentence: str
    pre_sentence: str  # the sentence before it, "" if there is none
    post_sentence: str
    start_char: int  # of the figure in the sentence
    end_char: int
    sentence_start_char: int | None  # of the sentence in the document; null if published
    masked_text: str  # the figure as written
    truth: str  # the expected answer: as written, or as a published dataset states it
    unit: str  # group of its unit: money, percent, ...
    mask_type: Literal["A", "B", "C", "D"] | None  # from the proof, or a published label
    uid: str | None  # the published dataset's own id


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One cell that a derivation reads."""

    table_index: int  # of the context's tables
    row: int  # of the table's cells, from 0
    column: int
    text: str  # the cell as written
    value: str  # decimal number, in ones of its unit


@table("derivations", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """One expression over table cells that gives a masked figure.

    It matches the figure's stated precision. Place 0 is the figure's proof.
    """

    derivation_id: str
    span_id: str
    place: int  # from 0, best evidence first
    operation: str  # lookup, difference, percent_change, ...
    scenario: Literal["direct lookup", "comparative", "bivariate", "multivariate"]
    operands: tuple[Operand, ...]
    value: str  # decimal number, in ones of the figure's unit
    evidence: float  # 0 to 1: how well the sentence describes these cells
    named_by: str  # JSON: the words of the sentence that name the rows and columns


@table("votes", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One panel model's vote on whether the tables give a masked figure."""

    vote_id: str
    span_id: str
    model: str
    is_answerable: bool | None
    unread_reason: str | None  # null if and only if is_answerable is not null
    rationale: str | None
    request_id: str


ROW_TYPES: tuple[type, ...] = (MaskedSpan, Derivation, Vote)
