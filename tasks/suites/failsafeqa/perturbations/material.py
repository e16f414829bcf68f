"""The inputs of perturbations besides the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from tasks.core.rejects import reject_of
from tasks.core.rows import Case, Context, Document, Filing, QAPair, Reject
from tasks.inference.operation import Engine
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART
from tasks.suites.suite import StepInputs
from tasks.text.company_names import company_name

if TYPE_CHECKING:
    from tasks.suites.failsafeqa.options import FailSafeQAOptions


class Contexts(Protocol):
    """Contexts by context_id."""

    def __getitem__(self, context_id: str, /) -> Context: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a perturbation may use besides the cases."""

    pairs: Mapping[str, QAPair]  # by qa_pair_id
    contexts: Contexts  # by context_id
    filing_ids: Mapping[str, str]  # context_id -> filing_id, of its first document
    company_names: Mapping[str, str]  # context_id -> company, where the filing names one
    generators: Sequence[Engine]  # one, if the perturbation asks a model
    seed: int
    ocr_max_error: float = 0.10

    @property
    def engine(self) -> Engine:
        """The model that is asked."""
        (generator,) = self.generators
        return generator


class _Contexts:
    """Contexts that are read when they are asked for; those of a part stay in memory."""

    def __init__(self, inputs: StepInputs) -> None:
        def read(context_id: str) -> Context:
            (context,) = inputs.rows(Context, ("context_id", {context_id}))
            return context

        self._read = lru_cache(CONTEXTS_OF_A_PART)(read)

    def __getitem__(self, context_id: str, /) -> Context:
        return self._read(context_id)


def rejected(name: str, case: Case, reason: str, detail: str) -> Reject:
    """Reject a case that the perturbation of this name cannot change."""
    return reject_of(f"cases.{name}", case.case_id, reason, detail, key=(name, case.case_id))


def material_of(inputs: StepInputs, pairs: Sequence[QAPair]) -> Material:
    """Read what perturbations of these pairs may look at."""
    options: FailSafeQAOptions = inputs.options
    wanted = list(dict.fromkeys(pair.context_id for pair in pairs))
    contexts: Contexts
    if len(wanted) <= CONTEXTS_OF_A_PART:
        read = inputs.rows(Context, ("context_id", set(wanted)))
        contexts = {context.context_id: context for context in read}
    else:
        contexts = _Contexts(inputs)
    filing_ids = _filing_ids(inputs, wanted)
    filings = {filing.filing_id: filing for filing in inputs.rows(Filing)}
    return Material(
        pairs={pair.qa_pair_id: pair for pair in pairs},
        contexts=contexts,
        filing_ids=filing_ids,
        company_names={
            key: company
            for key, filing in filing_ids.items()
            if (company := company_name(filings[filing].company or ""))
        },
        generators=inputs.engines.get("generator", ()),
        seed=inputs.seed,
        ocr_max_error=options.ocr_max_error,
    )


def _filing_ids(inputs: StepInputs, context_ids: Sequence[str]) -> dict[str, str]:
    """Map context_ids to filing_ids, with the texts of a part in memory at once."""
    filing_ids: dict[str, str] = {}
    for start in range(0, len(context_ids), CONTEXTS_OF_A_PART):
        wanted = set(context_ids[start : start + CONTEXTS_OF_A_PART])
        contexts = inputs.rows(Context, ("context_id", wanted))
        document_of = {context.context_id: context.document_ids[0] for context in contexts}
        documents = inputs.rows(Document, ("document_id", set(document_of.values())))
        filing_of = {document.document_id: document.filing_id for document in documents}
        filing_ids |= {
            context_id: filing_of[document_id] for context_id, document_id in document_of.items()
        }
    return filing_ids
