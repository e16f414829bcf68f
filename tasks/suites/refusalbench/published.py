"""The authors' released files: RefusalBench-NQ and RefusalBench-GaRAGe, one JSON object a line.

Both layouts have

    id, source_id, generator_model, perturbation_class, intensity, expected_rag_behavior,
    lever_selected, original_query, original_context, original_answers, perturbed_query,
    perturbed_context, implementation_reasoning, verifier_votes

and GaRAGe's has query, grounding, reference_answer, signal_indices and noise_indices besides. Rows
of GaRAGe are licensed CC-BY-NC-4.0, and their cases say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, Document, Paragraph, QAPair
from tasks.suites.refusalbench.cases import KIND, case_of_perturbation
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.passages import context_of_passages, perturbed_texts
from tasks.suites.refusalbench.rows import (
    BasePassage,
    BaseQuestion,
    PassageChange,
    Perturbation,
    VerifierVote,
)
from tasks.suites.refusalbench.strata import RELEASED_CLASS, Stratum, expected_code
from tasks.suites.shared.published import (
    REPEATED,
    WRONG_VALUE,
    Entry,
    Rows,
    Str,
    Text,
    by_type,
    document_of,
    filing_of,
    listed,
    parsed,
    read_records,
    rejected,
)
from tasks.suites.suite import Published
from tasks.text.tokens import count_tokens

SUITE = "refusalbench"
GARAGE_LICENCE = "CC-BY-NC-4.0"
WHICH_TEXT = "it does not say whether its passages are the original or the perturbed ones"
_CLASS_OF = {released: ours for ours, released in RELEASED_CLASS.items()}
_VOTES = {"pass": True, "true": True, "fail": False, "false": False}
_WHAT_TO_DO = (
    "expected a released file of RefusalBench-NQ or RefusalBench-GaRAGe, one JSON object a line"
)


class ReleasedRow(Entry):
    """The fields that a run reads."""

    id: Text
    source_id: Text
    generator_model: Text
    perturbation_class: Literal[tuple(_CLASS_OF)]  # type: ignore[valid-type]
    intensity: Literal["LOW", "MEDIUM", "HIGH"]
    expected_rag_behavior: Text
    lever_selected: Text
    original_query: Text
    perturbed_query: Text
    original_answers: Annotated[list[Text], Field(min_length=1)] | None = None
    reference_answer: Text | None = None
    original_context: Str | None = None
    perturbed_context: Str | None = None
    implementation_reasoning: Str | None = None
    verifier_votes: dict[str, Any] | None = None
    grounding: Annotated[list[dict[str, Any]], Field(min_length=1)] | None = None
    signal_indices: list[int] | None = None
    noise_indices: list[int] | None = None

    @property
    def stratum(self) -> Stratum:
        """Its class and intensity, by our names."""
        return _CLASS_OF[self.perturbation_class], self.intensity.lower()  # type: ignore[return-value]

    @property
    def originals(self) -> list[str]:
        """Its original passages; of GaRAGe the file has one version of them."""
        if self.grounding is None:
            return [self.original_context or ""]
        return [_cited(passage) or "" for passage in self.grounding]


REQUIRED = tuple(name for name, field in ReleasedRow.model_fields.items() if field.is_required())


def load(path: Path, options: RefusalBenchOptions, limit: int | None, encoding: str) -> Rows:
    """Read a released file as rows: questions, perturbations, votes and cases.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    records = read_records(path, REQUIRED, _WHAT_TO_DO)[:limit]
    return by_type(_rows(path.name, records, options, encoding))


def _rows(
    source: str, records: Sequence[Any], options: RefusalBenchOptions, encoding: str
) -> Iterator[Any]:
    ids: set[str] = set()
    for number, record in enumerate(records, start=1):
        place = f"{source}#row={number}"
        row = parsed(ReleasedRow, record)
        faults = row if isinstance(row, list) else [*_contradictions(row)]
        if not isinstance(row, list) and not faults and row.id in ids:
            faults = [(REPEATED, "id")]
        if isinstance(row, list) or faults:
            yield rejected(place, faults[0][0], listed(faults))
            continue
        ids.add(row.id)
        yield from _rows_of(row, place, options, encoding)


def _contradictions(row: ReleasedRow) -> Iterator[tuple[str, str]]:
    """Yield (reason, field) of what cannot be right in an entry of the right shape."""
    if row.expected_rag_behavior != expected_code(*row.stratum):
        yield WRONG_VALUE, "expected_rag_behavior"
    if not (row.original_answers or row.reference_answer):
        yield WRONG_VALUE, "original_answers"
    if row.grounding is None:
        for name in ("original_context", "perturbed_context"):
            if not getattr(row, name):
                yield WRONG_VALUE, name
        return
    places = [*(row.signal_indices or ()), *(row.noise_indices or ())]
    if sorted(places) != list(range(len(row.grounding))):
        yield WRONG_VALUE, "signal_indices"
    if any(_cited(passage) is None for passage in row.grounding):
        yield WRONG_VALUE, "grounding"
    elif row.perturbed_context and not all(
        passage in row.perturbed_context for passage in row.originals
    ):
        yield WHICH_TEXT, "grounding"


def _cited(passage: Mapping[str, Any]) -> str | None:
    """Return a passage's text, whose key is `cite_` and a number; None if not exactly one is."""
    texts = [value for key, value in passage.items() if key.startswith("cite_")]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None


def _rows_of(
    row: ReleasedRow, place: str, options: RefusalBenchOptions, encoding: str
) -> Iterator[Any]:
    """Yield all that an entry becomes, from its filing to its cases; entries share questions."""
    text = "\n\n".join(row.originals)
    filing = filing_of(stable_id("sha", text), text, place)
    document = document_of(filing.filing_id, text, [*_paragraphs(text, row.originals)])
    base = _base_question(row, document)
    context = context_of_passages("passages", base.passages, row.originals, encoding)
    yield from (filing, document, base, context)
    yield QAPair(
        qa_pair_id=base.base_question_id,
        context_id=context.context_id,
        query=base.query,
        answer=" OR ".join(base.answers),
        task=base.setting,
    )
    perturbation = _perturbation(row, base)
    yield perturbation
    yield from _votes(row, perturbation.perturbation_id)
    texts = perturbed_texts(base, perturbation.changes)
    shown = context_of_passages(KIND, base.passages, texts, encoding)
    yield shown
    licence = {"licence": GARAGE_LICENCE} if base.setting == "multi" else {}
    for prompt in options.answer_prompts:
        yield case_of_perturbation(perturbation, base, shown.context_id, prompt, SUITE, **licence)


def _paragraphs(text: str, passages: Sequence[str]) -> Iterator[Paragraph]:
    start = 0
    for passage in passages:
        end = start + len(passage)
        n_tokens = count_tokens(text[start : end + 2])
        yield Paragraph(start_char=start, end_char=end, n_tokens=n_tokens)
        start = end + 2


def _base_question(row: ReleasedRow, document: Document) -> BaseQuestion:
    answers = tuple(row.original_answers or [row.reference_answer or ""])
    signal = {0} if row.grounding is None else {*(row.signal_indices or ())}
    passages = enumerate(zip(row.originals, document.paragraphs, strict=True))
    return BaseQuestion(
        base_question_id=stable_id(
            "base_question", row.original_query, answers, document.document_id
        ),
        setting="single" if row.grounding is None else "multi",
        source="file",
        source_id=row.source_id,
        query=row.original_query,
        answers=answers,
        passages=tuple(
            BasePassage(
                text=text,
                is_signal=at in signal,
                document_id=document.document_id,
                start_char=paragraph.start_char,
            )
            for at, (text, paragraph) in passages
        ),
        answer_kind="text",
    )


def _perturbation(row: ReleasedRow, base: BaseQuestion) -> Perturbation:
    perturbed = row.perturbed_context if row.grounding is None else None
    is_changed = perturbed is not None and perturbed != row.originals[0]
    return Perturbation(
        perturbation_id=stable_id("perturbation", row.id),
        base_question_id=base.base_question_id,
        generator=row.generator_model,
        setting=base.setting,
        perturbation_class=row.stratum[0],
        intensity=row.stratum[1],
        lever=row.lever_selected,
        query=row.perturbed_query,
        changes=(PassageChange(index=0, text=perturbed or ""),) if is_changed else (),
        reasoning=row.implementation_reasoning,
    )


def _votes(row: ReleasedRow, perturbation_id: str) -> Iterator[VerifierVote]:
    for verifier, vote in (row.verifier_votes or {}).items():
        passes = _VOTES.get(str(vote).strip().casefold())
        yield VerifierVote(
            verifier_vote_id=stable_id("verifier_vote", perturbation_id, verifier),
            perturbation_id=perturbation_id,
            verifier=verifier,
            passes=passes,
            unread_reason=None if passes is not None else f"the file says {vote!r}",
        )


PUBLISHED = Published(
    load=load, writes=(QAPair, Context, Case, BaseQuestion, Perturbation, VerifierVote), version=6
)
