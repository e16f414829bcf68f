"""The part that cites: pairs without citations in, pairs with them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tasks.compute.workers import spread
from tasks.core.rejects import reject_of
from tasks.core.rows import Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of
from tasks.models.catalogue import CitationFormat
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.suites.failsafeqa.citations.sanitise import sanitise
from tasks.suites.failsafeqa.citations.statements import Runs, cited_spans
from tasks.text.sentences import Span
from tasks.text.tokens import count_tokens

UNREADABLE_CITATIONS = "citation reply unreadable"
NO_CITATION = "no citation found"
UNREADABLE_VERDICT = "support verdict unreadable"
UNSUPPORTED = "citations do not support the answer"


# The trait of a pair that `failsafeqa.citation_tokens` reads.
CITATION_TOKENS = "citation_tokens"

# With fewer contexts, starting processes costs more than they save.
_WORTH_PROCESSES = 8

# How a reply format is requested, and how a context's sentences are tagged for it.
_Format = tuple[Operation[Any, tuple[Runs, ...]], Callable[[str], tuple[str, list[Span]]]]
_FORMATS: dict[CitationFormat, _Format] = {
    "longcite": (longcite.OPERATION, longcite.tagged),
    "json": (json_spans.OPERATION, json_spans.tagged),
}


@dataclass(frozen=True, slots=True)
class SupportInputs:
    """The inputs of the prompt that checks whether citations support an answer."""

    citations: str  # `Sanitised.citation_text`
    query: str
    answer: str


CHECK: Operation[SupportInputs, bool] = Operation(
    name="check_support",
    template="failsafeqa/support",
    inputs=SupportInputs,
    parse=partial(read_value, key="verdict", options={"yes": True, "no": False}),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of("yes", "no")),
)


def cite(
    pairs: Iterable[QAPair],
    contexts: Mapping[str, Context],
    texts: Mapping[str, str],
    citer: Engine,
    checker: Engine,
    reply_format: CitationFormat = "json",
) -> Iterator[QAPair | Reject]:
    """Yield each pair with its citations, or a reject with the reason, in order.

    Args:
        contexts: by context_id; one of kind `dataset` is its own document.
        texts: the documents' texts by document_id.
    """
    uncited = list(pairs)
    cited = list(_with_citations(uncited, contexts, texts, citer, _FORMATS[reply_format]))
    questions = [
        Question(row.qa_pair_id, SupportInputs(row.citation_text, row.query, row.answer))
        for row in cited
        if isinstance(row, QAPair)
    ]
    verdicts = iter(ask(checker, CHECK, questions))
    for row in cited:
        if isinstance(row, Reject):
            yield row
            continue
        verdict = next(verdicts)
        if verdict.value is None:
            yield _reject(row, UNREADABLE_VERDICT, verdict.error or "")
        elif not verdict.value:
            yield _reject(row, UNSUPPORTED, verdict.response.text or "")
        else:
            yield row


def _with_citations(
    pairs: Sequence[QAPair],
    contexts: Mapping[str, Context],
    texts: Mapping[str, str],
    citer: Engine,
    reply_format: _Format,
) -> Iterator[QAPair | Reject]:
    operation, tag = reply_format
    context_ids = list(dict.fromkeys(pair.context_id for pair in pairs))
    sentences = spread(
        tag,
        [contexts[context_id].text for context_id in context_ids],
        None if len(context_ids) >= _WORTH_PROCESSES else 1,
    )
    tagged = dict(zip(context_ids, sentences, strict=True))
    questions = [
        Question(
            pair.qa_pair_id,
            operation.inputs(
                context=tagged[pair.context_id][0], query=pair.query, answer=pair.answer
            ),
        )
        for pair in pairs
    ]
    for pair, reply in zip(pairs, ask(citer, operation, questions), strict=True):
        if reply.value is None:
            yield _reject(pair, UNREADABLE_CITATIONS, reply.error or "")
            continue
        context = contexts[pair.context_id]
        spans = [
            span for runs in reply.value for span in cited_spans(runs, tagged[pair.context_id][1])
        ]
        reply_text = reply.response.text or ""
        yield _cited(pair, context, texts, spans) or _reject(pair, NO_CITATION, reply_text)


def _cited(
    pair: QAPair, context: Context, texts: Mapping[str, str], spans: Sequence[tuple[int, int]]
) -> QAPair | None:
    """Add sanitised citations to a pair; None if no span touches a sentence."""
    document, shown = context.text, None
    if context.kind != "dataset":
        document = texts[context.document_ids[0]]
        first = context.start_char
        spans = [(first + start, first + end) for start, end in spans]
        shown = (first, first + len(context.text))
    sanitised = sanitise(spans, document, shown)
    if not sanitised.citations:
        return None
    n_tokens = count_tokens(sanitised.citation_text, context.encoding)
    return replace(
        pair,
        citations=sanitised.citations,
        citation_text=sanitised.citation_text,
        traits={**pair.traits, CITATION_TOKENS: str(n_tokens)},
    )


def _reject(pair: QAPair, reason: str, detail: str) -> Reject:
    key = ("qa_pairs", pair.qa_pair_id, reason)
    return reject_of("qa_pairs", pair.qa_pair_id, reason, detail, key=key)
