"""Mask figures in sentences of Item 7, with evidence for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tasks.core.rows import Context, Document, QAPair
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.questions import answerability, masked
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.suite import Step, StepInputs


def build_pairs(inputs: StepInputs) -> Iterator[Any]:
    """Mask the figures of one shard's filings that have evidence."""
    options: FaithOptions = inputs.options
    wanted = {of for context in inputs.shard for of in context.document_ids}
    documents = inputs.rows(Document, ("document_id", wanted))
    return masked.write(
        inputs.shard,
        {document.document_id: document for document in documents},
        panel=inputs.engines["panel"],
        seed=inputs.seed,
        pairs=options.pairs,
        with_given=options.given_by_sentence == "include",
    )


STEP = Step(
    name="qa_pairs",
    version=9,
    run=build_pairs,
    writes=(QAPair, MaskedSpan, Derivation, Vote),
    reads=("ingest", "contexts"),
    per=Context,
    asks={"panel": (answerability.OPERATION,)},
    options=("pairs", "given_by_sentence", "seed"),
)
