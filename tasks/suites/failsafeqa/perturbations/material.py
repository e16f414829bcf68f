"""The inputs of perturbations besides the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.core.rows import Context, Filing, QAPair
from tasks.core.settings import RunSettings
from tasks.inference.operation import Engine
from tasks.lake.lake import Commit, Lake


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a perturbation may use besides the cases."""

    pairs: Mapping[str, QAPair]  # by qa_pair_id
    contexts: Mapping[str, Context]  # by context_id
    filing_ids: Mapping[str, str]  # context_id -> filing_id
    company_names: Mapping[str, str]  # context_id -> company, if the filing names one
    engine: Engine
    seed: int
    ocr_table: str | None = None  # file of a character table; None is the project's own
    ocr_max_error: float = 0.10


def material_of(
    lake: Lake, run: RunSettings, ingest: Commit, contexts: Commit, pairs: Sequence[QAPair], engine: Engine
) -> Material:
    """Read what perturbations may use: a release's contexts, filings and pairs."""
    by_id = {context.context_id: context for context in lake.read(contexts, Context)}
    filing_of = lake.read_pairs(ingest, "documents", "document_id", "filing_id")
    company_of = {filing.filing_id: filing.company for filing in lake.read(ingest, Filing)}
    filing_ids = {key: filing_of[context.document_id] for key, context in by_id.items()}
    return Material(
        pairs={pair.qa_pair_id: pair for pair in pairs},
        contexts=by_id,
        filing_ids=filing_ids,
        company_names={
            key: company for key, filing in filing_ids.items() if (company := company_of[filing]) is not None
        },
        engine=engine,
        seed=run.seed,
        ocr_table=run.ocr_table,
        ocr_max_error=run.ocr_max_error,
    )
