"""Write accepted question-answer pairs with sanitised citations for contexts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tasks.core.ids import stable_id
from tasks.core.rows import Context, Document, Filing, QAPair, Reject
from tasks.suites.failsafeqa.citations import cited, json_spans, longcite
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.failsafeqa.questions import grounded, operations
from tasks.suites.suite import Step, StepInputs
from tasks.text.company_names import company_name

WRITTEN_BY = "written_by"  # trait of a pair: the model that wrote query and reference
RULES = "by rules, unchecked"  # in place of a model


def build_pairs(inputs: StepInputs) -> Iterator[QAPair | Reject]:
    """Write one shard's pairs in dialogues, then find their citations."""
    options: FailSafeQAOptions = inputs.options
    (generator,), (citer,) = inputs.engines["generator"], inputs.engines["citer"]
    (citing,) = inputs.models["citer"]
    contexts: dict[str, Context] = {context.context_id: context for context in inputs.shard}
    shown = {of for context in contexts.values() for of in context.document_ids}
    documents = {
        document.document_id: document for document in inputs.rows(Document, ("document_id", shown))
    }
    filings = {filing.filing_id: filing for filing in inputs.rows(Filing)}
    drawn = sorted(filings, key=lambda filing_id: stable_id("texts", inputs.seed, filing_id))
    first = {key: documents[context.document_ids[0]] for key, context in contexts.items()}
    written = grounded.write(
        list(contexts.values()),
        generator,
        pairs=options.pairs,
        seed=inputs.seed,
        companies={
            key: company_name(filings[document.filing_id].company or "")
            for key, document in first.items()
        },
        named=options.named,
        places={key: drawn.index(document.filing_id) for key, document in first.items()},
    )
    pairs: list[QAPair] = []
    by = {WRITTEN_BY: RULES if generator.identity is None else generator.model}
    for row in written:
        if isinstance(row, QAPair):
            pairs.append(replace(row, traits={**row.traits, **by}))
        else:
            yield row
    texts = {key: document.text for key, document in documents.items()}
    yield from cited.cite(pairs, contexts, texts, citer, generator, reply_format=citing.cites)


STEP = Step(
    name="qa_pairs",
    version=18,
    run=build_pairs,
    writes=(QAPair,),
    reads=("ingest", "contexts"),
    per=Context,
    asks={
        "generator": (
            operations.DIALOGUE,
            operations.RATE,
            operations.CHOICE,
            operations.REWRITE,
            cited.CHECK,
        ),
        "citer": (longcite.OPERATION, json_spans.OPERATION),
    },
    options=("pairs", "seed", "named"),
    files=("failsafeqa/examples.jsonl",),
    packages=("nltk",),
)
