"""Row types of masked figures: what is hidden, what gives it, and how a panel of models votes on it.

Laid out as those of every suite, which are in `tasks.core.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.core.tables import table


@table("masked_spans", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedSpan:
    """One figure of a sentence of Item 7 that could be hidden, whether or not a pair was made of it."""

    span_id: str
    qa_pair_id: str | None  # null where it was rejected: its reject's parent_id is the span_id
    document_id: str
    context_id: str  # the tables that a model is shown
    sentence: str
    pre_sentence: str  # the sentence before it, "" where there is none
    post_sentence: str
    start_char: int  # of the figure in the sentence
    end_char: int
    sentence_start_char: int | None  # of the sentence in the document's text; null in a published dataset
    masked_text: str  # the figure as written
    truth: str  # what an answer is compared with: as written, or as a published dataset states it
    unit: str  # group of its unit: money, percent, ...
    mask_type: Literal["A", "B", "C", "D"] | None  # from the proof, or a published label
    uid: str | None  # the published dataset's own id


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One cell that a derivation reads."""

    table_index: int  # of the context's tables
    row: int  # of the table's cells, from 0
    column: int
    text: str  # the cell as it stands
    value: str  # decimal number, in ones of its unit


@table("derivations", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """One expression over table cells that gives a masked figure at its stated precision; place 0 is its proof."""

    derivation_id: str
    span_id: str
    place: int  # from 0, the best evidence first
    operation: str  # lookup, difference, percent_change, ...
    scenario: Literal["direct lookup", "comparative", "bivariate", "multivariate"]
    operands: tuple[Operand, ...]
    value: str  # decimal number, in ones of the figure's unit
    evidence: float  # 0 to 1: how far the sentence speaks of these cells
    named_by: str  # JSON: what of the sentence names the rows and columns


@table("votes", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one model of the panel says of one masked span: whether the tables give the figure; or why it said nothing."""

    vote_id: str
    span_id: str
    model: str
    is_answerable: bool | None
    unread_reason: str | None  # null exactly when is_answerable is not
    rationale: str | None
    request_id: str


ROW_TYPES: tuple[type, ...] = (MaskedSpan, Derivation, Vote)
