"""Pairs of FAITH: sentences with one figure hidden, and the evidence for it.

A figure becomes a pair if nothing around it gives it away, and if the tables give it. Of this a
panel of three or more models decides; without one, cells that the passage names (a proof).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Citation, Context, Document, QAPair, Reject
from tasks.inference.operation import Engine
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.search import derivation_rows, prove
from tasks.suites.faith.maskable import SCENARIOS, MaskType, traits_of, unit_group
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.questions.masked_spans import FoundSpan, find_spans, given_away
from tasks.suites.faith.questions.panel import OPERATION, SMALLEST_PANEL, batches_of, decide, poll
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.tables.sheets import read_sheets
from tasks.suites.suite import Step, StepInputs

REPEATED = "the same sentence hides the same figure elsewhere"
NO_PROOF = "no cells that the passage speaks of give the figure"
NOT_DRAWN = "more than --pairs"

_MASK_TYPES = {scenario: letter for letter, scenario in SCENARIOS.items()}


@dataclass
class _Candidate:
    """One figure that could be hidden; `reason` is why it makes no pair."""

    span: FoundSpan
    context: Context
    proofs: Sequence[Expression] = ()
    votes: list[Vote] = field(default_factory=list)
    mask_type: MaskType | None = None
    reason: str | None = None
    detail: str = ""

    @property
    def qa_pair_id(self) -> str:
        return stable_id("pair", self.context.context_id, self.span.query, self.span.figure.text)

    def reject(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail


def write(
    contexts: Sequence[Context],
    documents: Mapping[str, Document],
    *,
    panel: Sequence[Engine] = (),
    seed: int,
    pairs: float | None = None,
    own_sentence: bool = False,
) -> Iterator[QAPair | MaskedSpan | Derivation | Vote | Reject]:
    """Make the pairs of contexts, with spans, derivations and votes.

    Every span that was looked at is a row, and either a pair's or a reject's.

    Args:
        panel: models that say whether the tables give a figure; none, or three and more.
        pairs: most pairs per filing on average, drawn by the seed; None takes all.
        own_sentence: whether to keep figures that others of their sentence give.

    Raises:
        ValueError: the panel has one or two models.
    """
    if 0 < len(panel) < SMALLEST_PANEL:
        raise ValueError(f"a panel has {SMALLEST_PANEL} models or more, not {len(panel)}")
    candidates: list[_Candidate] = []
    for context in contexts:
        document = documents[context.document_ids[0]]
        candidates += _examined(context, document, own_sentence=own_sentence)
    _choose([candidate for candidate in candidates if candidate.reason is None], panel, seed, pairs)
    for candidate in candidates:
        yield from _rows(candidate)


def _examined(context: Context, document: Document, *, own_sentence: bool) -> Iterator[_Candidate]:
    """Examine the spans of a document; reject those ruled out, search the rest."""
    sheets = read_sheets(context.text)
    seen: set[tuple[str, str]] = set()
    for span in find_spans(document):
        candidate, passage = _Candidate(span, context), FigurePassage.read(span.query)
        if reason := given_away(span, own_sentence=own_sentence):
            candidate.reject(reason)
        elif (hidden := (passage.masked, span.figure.text)) in seen:
            candidate.reject(REPEATED)
        else:
            seen.add(hidden)
            candidate.proofs = prove(passage, span.figure, sheets)
        yield candidate


def _choose(
    candidates: Sequence[_Candidate], panel: Sequence[Engine], seed: int, pairs: float | None
) -> None:
    """Decide about figures, a batch of each filing after another, until there are enough.

    Filings take turns: the second figure of one comes after the first of all.
    """
    of_span = {candidate.span.span_id: candidate for candidate in candidates}
    spans: dict[str, list[FoundSpan]] = {}
    for span in (candidate.span for candidate in candidates):
        spans.setdefault(span.document_id, []).append(span)
    queues = {
        of: batches_of(some, None if pairs is None else stable_rng(seed, "masked", of))
        for of, some in spans.items()
    }
    most = len(candidates) if pairs is None else round(pairs * len(queues))
    kept: list[tuple[int, _Candidate]] = []  # with their place among those of their filing
    n_kept = dict.fromkeys(queues, 0)
    while len(kept) < most and (wave := [queue.pop(0) for queue in queues.values() if queue]):
        tables = [of_span[batch[0].span_id].context.text for batch in wave]
        votes = poll(panel, [*zip(tables, wave, strict=True)]) if panel else {}
        for candidate in (of_span[span.span_id] for batch in wave for span in batch):
            _decide(candidate, votes.get(candidate.span.span_id, []))
            if candidate.reason is None:
                n_kept[candidate.span.document_id] += 1
                kept.append((n_kept[candidate.span.document_id], candidate))
    surplus = [candidate for _, candidate in sorted(kept, key=lambda one: one[0])[most:]]
    rest = [of_span[span.span_id] for queue in queues.values() for batch in queue for span in batch]
    for candidate in (*surplus, *rest):
        candidate.reject(NOT_DRAWN, f"{pairs} per filing are drawn before it")


def _decide(candidate: _Candidate, votes: list[Vote]) -> None:
    """Give a figure its scenario, or reject it: by the panel's votes, or else by its proof."""
    candidate.votes = votes
    if votes:
        candidate.mask_type, reason = decide(votes)
        if reason:
            words = (f"{vote.model}: {vote.answer}, {_WORDS[vote.is_answerable]}" for vote in votes)
            candidate.reject(reason, "; ".join(words))
    elif candidate.proofs:
        candidate.mask_type = _MASK_TYPES[candidate.proofs[0].scenario]
    else:
        candidate.reject(NO_PROOF)


_WORDS = {True: "answerable", False: "unanswerable", None: "unread"}


def _rows(candidate: _Candidate) -> Iterator[QAPair | MaskedSpan | Derivation | Vote | Reject]:
    span, reason = candidate.span, candidate.reason
    yield MaskedSpan(
        span_id=span.span_id,
        qa_pair_id=candidate.qa_pair_id if reason is None else None,
        document_id=span.document_id,
        context_id=candidate.context.context_id,
        sentence=span.sentence,
        pre_sentence=span.before,
        post_sentence=span.after,
        start_char=span.figure.start_char,
        end_char=span.figure.end_char,
        sentence_start_char=span.start_char,
        masked_text=span.figure.text,
        truth=span.figure.text,
        unit=unit_group(span.figure),
        mask_type=candidate.mask_type,
    )
    yield from derivation_rows(span.span_id, candidate.proofs)
    yield from candidate.votes
    if reason is not None:
        detail = ": ".join(filter(None, (span.figure.text, candidate.detail)))
        key = ("qa_pairs", span.span_id)
        yield reject_of("qa_pairs", span.span_id, reason, detail, key=key)
        return
    start, end = span.start_char, span.start_char + len(span.sentence)
    yield QAPair(
        qa_pair_id=candidate.qa_pair_id,
        context_id=candidate.context.context_id,
        query=span.query,
        answer=span.figure.text,
        task="mask",
        citations=(Citation(start_char=start, end_char=end, quote=span.sentence),),
        citation_text=span.sentence,
        traits=traits_of(candidate.mask_type, unit_group(span.figure)),
    )


# --- the step ------------------------------------------------------------------------------


def build_pairs(inputs: StepInputs) -> Iterator[Any]:
    """Mask the figures of one shard's filings that have evidence."""
    options: FaithOptions = inputs.options
    document_ids = {document_id for row in inputs.shard for document_id in row.document_ids}
    documents = inputs.rows(Document, ("document_id", document_ids))
    return write(
        inputs.shard,
        {document.document_id: document for document in documents},
        panel=inputs.engines["panel"],
        seed=inputs.seed,
        pairs=options.pairs,
        own_sentence=options.own_sentence,
    )


STEP = Step(
    name="qa_pairs",
    version=15,
    run=build_pairs,
    writes=(QAPair, MaskedSpan, Derivation, Vote),
    reads=("ingest", "contexts"),
    per=Context,
    asks={"panel": (OPERATION,)},
    options=("pairs", "own_sentence", "seed"),
)
