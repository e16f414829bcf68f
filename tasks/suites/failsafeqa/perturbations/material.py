"""The inputs of perturbations besides the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, Document, Filing, QAPair, Reject
from tasks.inference.operation import Engine
from tasks.suites.suite import StepInputs

if TYPE_CHECKING:
    from tasks.suites.failsafeqa.options import FailSafeQAOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a perturbation may use besides the cases."""

    pairs: Mapping[str, QAPair]  # by qa_pair_id
    contexts: Mapping[str, Context]  # by context_id
    filing_ids: Mapping[str, str]  # context_id -> filing_id, of its first document
    company_names: Mapping[str, str]  # context_id -> company, where the filing names one
    generators: Sequence[Engine]  # one, if the perturbation asks a model
    seed: int
    ocr_table: str | None = None  # file of a character table; None is the project's own
    ocr_max_error: float = 0.10
    ciks: Mapping[str, str] = field(default_factory=dict)  # context_id -> the company's, if known
    fiscal_years: Mapping[str, int] = field(default_factory=dict)  # by context_id, where known

    @property
    def engine(self) -> Engine:
        """The model that is asked."""
        (generator,) = self.generators
        return generator


def rejected(name: str, case: Case, reason: str, detail: str) -> Reject:
    """Reject a case that the perturbation of this name cannot change."""
    return Reject(
        reject_id=stable_id("reject", name, case.case_id),
        stage=f"cases.{name}",
        parent_id=case.case_id,
        reason=reason,
        detail=detail,
    )


def material_of(inputs: StepInputs) -> Material:
    """Read what perturbations may look at: a release's contexts, filings and pairs."""
    options: FailSafeQAOptions = inputs.options
    contexts = {context.context_id: context for context in inputs.rows(Context)}
    filing_of = {
        row.document_id: row.filing_id for (some,) in inputs.parts(Document) for row in some
    }
    filings = {filing.filing_id: filing for filing in inputs.rows(Filing)}
    filing_ids = {key: filing_of[context.document_ids[0]] for key, context in contexts.items()}
    return Material(
        pairs={pair.qa_pair_id: pair for pair in inputs.rows(QAPair)},
        contexts=contexts,
        filing_ids=filing_ids,
        company_names={
            key: company
            for key, filing in filing_ids.items()
            if (company := filings[filing].company) is not None
        },
        ciks={key: cik for key, filing in filing_ids.items() if (cik := filings[filing].cik)},
        fiscal_years={
            key: end.year
            for key, filing in filing_ids.items()
            if (end := filings[filing].period_end)
        },
        generators=inputs.engines.get("generator", ()),
        seed=inputs.seed,
        ocr_table=None if options.ocr_table is None else str(options.ocr_table),
        ocr_max_error=options.ocr_max_error,
    )
