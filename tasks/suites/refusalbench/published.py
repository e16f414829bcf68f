"""The authors' released files: RefusalBench-NQ and RefusalBench-GaRAGe, one JSON object a line.

Both layouts have

    id, source_id, generator_model, perturbation_class, intensity, expected_rag_behavior,
    lever_selected, original_query, original_context, original_answers, perturbed_query,
    perturbed_context, implementation_reasoning, verifier_votes

and GaRAGe's has query, grounding, reference_answer, signal_indices and noise_indices besides. Rows
of GaRAGe are licensed CC-BY-NC-4.0, and their cases say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, Paragraph, QAPair
from tasks.suites.refusalbench.cases import KIND, case_of_perturbation
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.passages import context_of_passages, perturbed_texts
from tasks.suites.refusalbench.rows import (
    ROW_TYPES,
    BasePassage,
    BaseQuestion,
    PassageChange,
    Perturbation,
    VerifierVote,
)
from tasks.suites.refusalbench.strata import RELEASED_CLASS, expected_code
from tasks.suites.shared.published import (
    Imported,
    document_of,
    filing_of,
    rejected,
)
from tasks.suites.shared.published_files import (
    REPEATED,
    WRONG_VALUE,
    Entry,
    Str,
    Text,
    faults_of,
    listed,
    read_records,
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


REQUIRED = tuple(name for name, field in ReleasedRow.model_fields.items() if field.is_required())


def read_rows(path: Path) -> list[Any]:
    """Read the file's raw entries, checking only that the required fields exist.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    return read_records(path, REQUIRED, _WHAT_TO_DO)


def load(path: Path, options: RefusalBenchOptions, limit: int | None, encoding: str) -> Imported:
    """Read a released file as rows: questions, perturbations, votes and cases.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    rows = _Rows(path.name, options, encoding)
    for number, entry in enumerate(read_rows(path)[:limit], start=1):
        rows.add(number, entry)
    return rows.imported


@dataclass
class _Rows:
    """The rows made so far."""

    source: str
    options: RefusalBenchOptions
    encoding: str
    imported: Imported = field(
        default_factory=lambda: Imported(
            [], [], [], [], [], [], of_suite={row_type: [] for row_type in ROW_TYPES}
        )
    )
    seen: set[str] = field(default_factory=set)  # ids of all rows that several entries may share

    def add(self, number: int, entry: Any) -> None:
        """Add one entry as cases, or as a reject."""
        place = f"{self.source}#row={number}"
        faults = faults_of(ReleasedRow, entry) or list(_contradictions(entry))
        if not faults and entry["id"] in self.seen:
            faults = [(REPEATED, "id")]
        passages = None if faults else _passages(entry)
        if passages is None:
            faults = faults or [(WHICH_TEXT, "grounding")]
            self.imported.rejects.append(rejected(place, faults[0][0], listed(faults)))
            return
        self.seen.add(entry["id"])
        base = self._base(place, entry, passages)
        perturbation = _perturbation(entry, base, passages[1])
        of_suite = self.imported.of_suite
        of_suite[Perturbation].append(perturbation)
        of_suite[VerifierVote].extend(_votes(entry, perturbation))
        texts = perturbed_texts(base, perturbation.changes)
        shown = context_of_passages(KIND, base.passages, texts, self.encoding)
        self._once(shown.context_id, self.imported.contexts, shown)
        licence = {"licence": GARAGE_LICENCE} if base.setting == "multi" else {}
        for prompt in self.options.answer_prompts:
            self.imported.cases.append(
                case_of_perturbation(perturbation, base, shown.context_id, prompt, SUITE, **licence)
            )

    def _base(
        self, place: str, entry: Mapping[str, Any], texts: tuple[list[str], list[str]]
    ) -> BaseQuestion:
        """Return the entry's base question; add it, its pair and its document once."""
        originals, is_signal = texts[0], _signal_places(entry)
        document_text = "\n\n".join(originals)
        filing_id = stable_id("sha", document_text)
        paragraphs, start = [], 0
        for text in originals:
            end = start + len(text)
            n_tokens = count_tokens(document_text[start : end + 2])
            paragraphs.append(Paragraph(start_char=start, end_char=end, n_tokens=n_tokens))
            start = end + 2
        document = document_of(filing_id, document_text, paragraphs)
        answers = tuple(entry.get("original_answers") or [entry["reference_answer"]])
        base = BaseQuestion(
            base_question_id=stable_id(
                "base_question", entry["original_query"], answers, document.document_id
            ),
            setting="multi" if entry.get("grounding") is not None else "single",
            source="file",
            source_id=entry["source_id"],
            query=entry["original_query"],
            answers=answers,
            passages=tuple(
                BasePassage(
                    text=text,
                    is_signal=place in is_signal,
                    document_id=document.document_id,
                    start_char=paragraph.start_char,
                )
                for place, (text, paragraph) in enumerate(zip(originals, paragraphs, strict=True))
            ),
            sector="unknown",
            answer_kind="text",
        )
        context = context_of_passages("passages", base.passages, originals, self.encoding)
        pair = QAPair(
            qa_pair_id=base.base_question_id,
            context_id=context.context_id,
            query=base.query,
            answer=" OR ".join(answers),
            task=base.setting,
        )
        filing = filing_of(filing_id, document_text, place)
        self._once(filing_id, self.imported.filings, filing)
        self._once(document.document_id, self.imported.documents, document)
        self._once(context.context_id, self.imported.contexts, context)
        self._once(base.base_question_id, self.imported.of_suite[BaseQuestion], base)
        self._once(pair.qa_pair_id + "pair", self.imported.qa_pairs, pair)
        return base

    def _once(self, row_id: str, rows: list[Any], row: Any) -> None:
        if row_id not in self.seen:
            self.seen.add(row_id)
            rows.append(row)


def _contradictions(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    expected = expected_code(_CLASS_OF[entry["perturbation_class"]], entry["intensity"].lower())
    if entry["expected_rag_behavior"] != expected:
        yield WRONG_VALUE, "expected_rag_behavior"
    if not (entry.get("original_answers") or entry.get("reference_answer")):
        yield WRONG_VALUE, "original_answers"
    if entry.get("grounding") is None:
        for name in ("original_context", "perturbed_context"):
            if not entry.get(name):
                yield WRONG_VALUE, name
        return
    places = [*(entry.get("signal_indices") or ()), *(entry.get("noise_indices") or ())]
    if sorted(places) != list(range(len(entry["grounding"]))):
        yield WRONG_VALUE, "signal_indices"
    if any(_cited(each) is None for each in entry["grounding"]):
        yield WRONG_VALUE, "grounding"


def _cited(passage: Mapping[str, Any]) -> str | None:
    """Return a passage's text, whose key is `cite_` and a number; None if not exactly one is."""
    texts = [value for key, value in passage.items() if key.startswith("cite_")]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None


def _signal_places(entry: Mapping[str, Any]) -> set[int]:
    return {0} if entry.get("grounding") is None else set(entry["signal_indices"])


def _passages(entry: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
    """Return the original and the perturbed passages; None if it is not clear which is which.

    Of GaRAGe the file has one version of the passages, in `grounding`. It is the perturbed one if
    the perturbed text as a whole holds them all, or is not there.
    """
    if entry.get("grounding") is None:
        return [entry["original_context"]], [entry["perturbed_context"]]
    texts = [_cited(each) or "" for each in entry["grounding"]]
    perturbed = entry.get("perturbed_context")
    is_shown = not perturbed or all(text in perturbed for text in texts)
    return (texts, texts) if is_shown else None


def _perturbation(
    entry: Mapping[str, Any], base: BaseQuestion, perturbed: list[str]
) -> Perturbation:
    perturbation_class = _CLASS_OF[entry["perturbation_class"]]
    intensity = entry["intensity"].lower()
    changes = tuple(
        PassageChange(index=place, text=text)
        for place, (text, passage) in enumerate(zip(perturbed, base.passages, strict=True))
        if text != passage.text
    )
    return Perturbation(
        perturbation_id=stable_id("perturbation", entry["id"]),
        base_question_id=base.base_question_id,
        generator=entry["generator_model"],
        setting=base.setting,
        perturbation_class=perturbation_class,
        intensity=intensity,
        lever=entry["lever_selected"],
        query=entry["perturbed_query"],
        changes=changes,
        reasoning=entry.get("implementation_reasoning"),
        stated_intensity=None,
        unread_reason=None,
        request_id=None,
    )


def _votes(entry: Mapping[str, Any], perturbation: Perturbation) -> Iterator[VerifierVote]:
    for verifier, said in (entry.get("verifier_votes") or {}).items():
        passes = _VOTES.get(str(said).strip().casefold())
        yield VerifierVote(
            verifier_vote_id=stable_id("verifier_vote", perturbation.perturbation_id, verifier),
            perturbation_id=perturbation.perturbation_id,
            verifier=verifier,
            passes=passes,
            failed=(),
            predicted_behavior=None,
            reason=None,
            unread_reason=None if passes is not None else f"the file says {said!r}",
            request_id=None,
        )


PUBLISHED = Published(
    check=read_rows,
    load=load,
    writes=(QAPair, Context, Case, BaseQuestion, Perturbation, VerifierVote),
    options=("answer_prompts",),
    version=6,
)
