"""Row types of masked figures, their derivations and the panel's votes.

The layout follows the shared row types in `tasks.core.rows`.
"""

from __future__ import annotations

from typing import Literal

from tasks.core.tables import table
from tasks.suites.shared.tables.operand import Operand

MaskType = Literal["A", "B", "C", "D"]  # A lookup, B comparative, C bivariate, D multivariate


@table(
    "masked_spans",
    keys=("release", "suite"),
    id="span_id",
    qa_pair_id="qa_pairs.qa_pair_id",
    context_id="contexts.context_id",
)
class MaskedSpan:
    """One maskable figure of Item 7, with or without a pair."""

    span_id: str  # one per document, sentence and place
    # the pair that asks for it; null if rejected, under the span_id as parent_id
    qa_pair_id: str | None
    document_id: str
    context_id: str  # the tables that models see
    sentence: str  # the sentence with the figure
    pre_sentence: str  # the sentence before it, "" if there is none
    post_sentence: str  # the sentence after it, "" if there is none
    start_char: int  # start of the figure in the sentence, from 0
    end_char: int  # end of the figure in the sentence, exclusive
    # start of the sentence in the document; null if published
    sentence_start_char: int | None = None
    masked_text: str  # the figure as written
    truth: str  # expected answer: the figure as written, or as a published dataset states it
    unit: str  # `money`, `percent`, `bps`, `per_share`, or what is counted, such as `area`
    mask_type: MaskType | None  # as the panel says, by the proof without a panel, or as published
    uid: str | None = None  # the published dataset's own id; null for our own filings


@table("derivations", keys=("release", "suite"), id="derivation_id", span_id="masked_spans.span_id")
class Derivation:
    """The proof of a masked figure: cells that give it at its stated precision."""

    derivation_id: str  # one per span
    span_id: str
    operation: str  # lookup, difference, percent_change, ...
    operands: tuple[Operand, ...]  # the cells, in the order in which the operation takes them
    value: str  # decimal number, in ones of the figure's unit
    score: float  # 0 to 1: how well the passage names these cells


@table(
    "votes",
    keys=("release", "suite"),
    id="vote_id",
    span_id="masked_spans.span_id",
    request_id="responses.request_id",
)
class Vote:
    """One panel model's vote on whether the tables give a masked figure."""

    vote_id: str  # one per span and model
    span_id: str
    model: str  # the panel's model
    # whether it says that the tables give the figure; null if unreadable
    is_answerable: bool | None
    answer: str | None = None  # what it restores; null if unreadable or published
    is_reached: bool | None = None  # whether that is the figure, as `strict` judges
    mask_type: MaskType | None = None  # its scenario of the figure
    unread_reason: str | None = None  # why the vote is unreadable; null if it can be read
    rationale: str | None = None  # the model's reasons
    request_id: str | None = None  # the request that asked for the vote; null if published


ROW_TYPES: tuple[type, ...] = (MaskedSpan, Derivation, Vote)
