"""Pairs of FAITH: sentences with one figure hidden, and the evidence for it.

A figure becomes a pair if nothing around it gives it away, and if it is answerable: cells that the
passage names give it (a proof), or all of a panel of three or more models say that the tables do.
The panel's votes are kept even if there is a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import Citation, Context, Document, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.replies import read_value
from tasks.inference.schemas import closed, one_of, text
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import FigurePassage
from tasks.suites.faith.derivations.rows import derivation_rows
from tasks.suites.faith.derivations.search import prove
from tasks.suites.faith.maskable import unit_group
from tasks.suites.faith.masking import traits_of
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.questions.masked_spans import FoundSpan, find_spans, given_away
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.rejects import reject_of
from tasks.suites.shared.tables.sheets import Sheet, read_sheets
from tasks.suites.suite import Step, StepInputs

SMALLEST_PANEL = 3

IN_TABLES = "the tables' words state the sentence"
REPEATED = "the same passage hides the same figure elsewhere"
NO_PROOF = "no cells that the passage speaks of give the figure"
PANEL_SAYS_NO = f"{NO_PROOF}, and the panel says that the tables do not"
PANEL_DISAGREES = f"{NO_PROOF}, and the panel disagrees"
VOTE_NOT_READ = f"{NO_PROOF}, and a vote of the panel could not be read"
NOT_DRAWN = "more than --pairs of this filing"


@dataclass(frozen=True, slots=True)
class AnswerabilityInputs:
    """The inputs of the panel's prompt: tables, and the passage with the figure between marks."""

    tables: str
    passage: str


# Paper 004, answerability annotation.
OPERATION: Operation[AnswerabilityInputs, bool] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=AnswerabilityInputs,
    parse=partial(read_value, key="verdict", options={"answerable": True, "unanswerable": False}),
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(reasoning=text(400), verdict=one_of("answerable", "unanswerable")),
)


# A proof's scenario is the mask's type.
_MASK_TYPES = {"direct lookup": "A", "comparative": "B", "bivariate": "C", "multivariate": "D"}


@dataclass
class _Candidate:
    """One figure that could be hidden; `reason` is why it makes no pair."""

    span: FoundSpan
    context: Context
    n_tables: int
    proofs: Sequence[Expression] = ()
    votes: list[Vote] = field(default_factory=list)
    reason: str | None = None
    detail: str = ""

    @property
    def scenario(self) -> str | None:
        return self.proofs[0].scenario if self.proofs else None

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
    pairs: int | None,
) -> Iterator[QAPair | MaskedSpan | Derivation | Vote | Reject]:
    """Make the pairs of contexts, with spans, derivations and votes.

    Every span that was looked at is a row, and either a pair's or a reject's.

    Args:
        documents: document_id -> the document of a context.
        panel: models that say whether the tables give a figure; none, or three and more.
        pairs: most pairs of a filing, drawn by the seed; None takes all.

    Raises:
        ValueError: the panel has one or two models.
    """
    if 0 < len(panel) < SMALLEST_PANEL:
        raise ValueError(f"a panel has {SMALLEST_PANEL} models or more, not {len(panel)}")
    candidates: list[_Candidate] = []
    for context in contexts:
        candidates += _examined(context, documents[context.document_ids[0]])
    _choose([candidate for candidate in candidates if candidate.reason is None], panel, seed, pairs)
    for candidate in candidates:
        yield from _rows(candidate)


def _examined(context: Context, document: Document) -> Iterator[_Candidate]:
    """Examine the spans of a document; reject those ruled out, search the rest."""
    sheets = read_sheets(context.text)
    shown = "\n".join(text for sheet in sheets for text in _texts(sheet))
    seen: set[str] = set()
    for span in find_spans(document):
        candidate = _Candidate(span, context, len(sheets))
        if reason := given_away(span):
            candidate.reject(reason)
        elif " ".join(span.sentence.split()) in shown:
            candidate.reject(IN_TABLES)
        elif candidate.qa_pair_id in seen:
            candidate.reject(REPEATED)
        else:
            seen.add(candidate.qa_pair_id)
            candidate.proofs = prove(FigurePassage.read(span.query), span.figure, sheets)
        yield candidate


def _texts(sheet: Sheet) -> Iterator[str]:
    yield sheet.pre_text
    for row in sheet.cells:
        yield from row


def _choose(
    candidates: Sequence[_Candidate], panel: Sequence[Engine], seed: int, pairs: int | None
) -> None:
    """Reject figures that make no pair, and those of a document beyond `pairs`.

    A panel is paid, so figures are drawn first and polled in this order until a document has its
    pairs: as many as are missing, then twice as many, and so on. Without a panel, all are decided.
    """
    queues: dict[str, list[_Candidate]] = {}
    for candidate in candidates:
        queues.setdefault(candidate.span.document_id, []).append(candidate)
    missing = {of: len(queue) if pairs is None else pairs for of, queue in queues.items()}
    if pairs is not None:
        for document_id, queue in queues.items():
            stable_rng(seed, "masked", document_id).shuffle(queue)
    width = 1 if panel else len(candidates)
    while wave := [one for of, queue in queues.items() for one in queue[: missing[of] * width]]:
        queues = {of: queue[missing[of] * width :] for of, queue in queues.items()}
        width *= 2
        _poll(panel, wave)
        for candidate in wave:
            _decide(candidate, has_panel=bool(panel))
            if candidate.reason is None and missing[candidate.span.document_id]:
                missing[candidate.span.document_id] -= 1
            elif candidate.reason is None:
                queues[candidate.span.document_id].append(candidate)
    for candidate in (one for queue in queues.values() for one in queue):
        candidate.reject(NOT_DRAWN, f"{pairs} are drawn before it")


def _poll(panel: Sequence[Engine], candidates: Sequence[_Candidate]) -> None:
    questions = [
        Question(
            one.span.span_id, AnswerabilityInputs(tables=one.context.text, passage=one.span.marked)
        )
        for one in candidates
    ]
    for engine in panel:
        for candidate, reply in zip(candidates, ask(engine, OPERATION, questions), strict=True):
            candidate.votes.append(_vote(candidate.span.span_id, engine.model, reply))


def _vote(span_id: str, model: str, reply: Reply[bool]) -> Vote:
    return Vote(
        vote_id=stable_id("vote", span_id, model),
        span_id=span_id,
        model=model,
        is_answerable=reply.value,
        unread_reason=reply.error,
        rationale=reply.response.text,
        request_id=reply.request.request_id,
    )


def _decide(candidate: _Candidate, *, has_panel: bool) -> None:
    """Reject a figure that has neither a proof nor the whole panel's support."""
    is_supported = has_panel and all(vote.is_answerable for vote in candidate.votes)
    if candidate.proofs or is_supported:
        return
    if not has_panel:
        candidate.reject(NO_PROOF)
        return
    votes = ", ".join(f"{vote.model}: {_WORDS[vote.is_answerable]}" for vote in candidate.votes)
    candidate.reject(_why_not_by_panel(candidate.votes), votes)


def _why_not_by_panel(votes: Sequence[Vote]) -> str:
    """Explain why a panel does not support a figure; an unread vote only if all others do."""
    opinions = {vote.is_answerable for vote in votes}
    if False not in opinions:
        return VOTE_NOT_READ
    return PANEL_DISAGREES if True in opinions else PANEL_SAYS_NO


_WORDS = {True: "answerable", False: "unanswerable", None: "unread"}


def _rows(candidate: _Candidate) -> Iterator[QAPair | MaskedSpan | Derivation | Vote | Reject]:
    span, reason = candidate.span, candidate.reason
    mask_type = _MASK_TYPES[candidate.scenario] if candidate.scenario else None
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
        mask_type=mask_type,  # type: ignore[arg-type]
        uid=None,
    )
    yield from derivation_rows(span.span_id, candidate.proofs)
    yield from candidate.votes
    if reason is None:
        yield _pair(candidate, mask_type)
    else:
        detail = ": ".join(filter(None, (span.figure.text, candidate.detail)))
        key = ("qa_pairs", span.span_id)
        yield reject_of("qa_pairs", span.span_id, reason, detail, key=key)


def _pair(candidate: _Candidate, mask_type: str | None) -> QAPair:
    span, sentence = candidate.span, candidate.span.sentence
    start, end = span.start_char, span.start_char + len(sentence)
    citation = Citation(start_char=start, end_char=end, quote=sentence)
    return QAPair(
        qa_pair_id=candidate.qa_pair_id,
        context_id=candidate.context.context_id,
        query=span.query,
        answer=span.figure.text,
        task="mask",
        citations=(citation,),
        citation_text=sentence,
        traits=traits_of(
            candidate.scenario, mask_type, unit_group(span.figure), candidate.n_tables
        ),
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
    )


STEP = Step(
    name="qa_pairs",
    version=12,
    run=build_pairs,
    writes=(QAPair, MaskedSpan, Derivation, Vote),
    reads=("ingest", "contexts"),
    per=Context,
    asks={"panel": (OPERATION,)},
    options=("pairs", "seed"),
)
