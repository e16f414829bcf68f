"""Row types of base questions, perturbations and the votes on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.core.tables import table

# Here, since the registry reads this file without the rest of the suite.
PerturbationClass = Literal[
    "ambiguity",
    "contradiction",
    "missing_info",
    "false_premise",
    "granularity_mismatch",
    "epistemic_mismatch",
]
Intensity = Literal["low", "medium", "high"]
Setting = Literal["single", "multi"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BasePassage:
    """One passage that a question is asked of, at most 400 tokens of a document."""

    text: str
    is_signal: bool  # whether the answer follows from it; the others are noise
    document_id: str | None  # null if the passage comes from a file
    start_char: int  # where it starts in the document's text, from 0


@table("file_questions", keys=("release", "suite"))
class FileQuestion:
    """One question of the file that `--base-file` names."""

    file_question_id: str  # one per query and passages
    number: int  # of the question in the file, from 1
    query: str
    answers: tuple[str, ...]
    passages: tuple[BasePassage, ...]  # one, or ten


@table("base_questions", keys=("release", "suite", "setting"), id="base_question_id")
class BaseQuestion:
    """One answerable question with its passages, before any perturbation."""

    # one per setting, question and passages; its pair has the same id, if it is in the base set
    base_question_id: str
    setting: Setting  # single: one passage; multi: ten
    source: str  # `filings`, `file`, or the suite whose pair it was
    source_id: str  # its id there: a document, the question's number in the file, a pair
    query: str
    answers: tuple[str, ...]  # each of them is right
    passages: tuple[BasePassage, ...]  # in the order shown
    answer_kind: str  # money, percent, number, date or text


@table(
    "base_answers",
    keys=("release", "suite"),
    id="base_answer_id",
    base_question_id="base_questions.base_question_id",
    request_id="responses.request_id",
)
class BaseAnswer:
    """One panel model's answer to one base question, before any perturbation."""

    base_answer_id: str  # one per base question and model
    base_question_id: str
    model: str
    answer: str | None  # null if the reply could not be read
    is_right: bool | None  # whether it is one of the answers; null if that cannot be read
    unread_reason: str | None
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageChange:
    """One passage's new text."""

    index: int  # place among all passages as shown, from 0
    text: str


@table(
    "perturbations",
    keys=("release", "suite", "generator"),
    id="perturbation_id",
    base_question_id="qa_pairs.qa_pair_id",
    request_id="responses.request_id",
)
class Perturbation:
    """One generator's attempt to perturb one base question in one stratum."""

    perturbation_id: str  # one per base question, lever and generator
    base_question_id: str
    generator: str  # the model that wrote it
    setting: Setting
    perturbation_class: PerturbationClass  # why it should be refused, such as `ambiguity`
    intensity: Intensity  # low: still answerable; medium and high: to be refused
    lever: str  # by its name in the catalogue: what it applies, or was to
    query: (
        str | None
    )  # null if the reply could not be read; the base question's if the class keeps it
    changes: tuple[PassageChange, ...]  # empty if no passage was changed, or the reply was unread
    reasoning: str | None  # the generator's, on how it applied the lever
    # why there is no perturbation: the reply could not be read, applies no lever, or changes
    # nothing new; null if there is
    unread_reason: str | None = None
    request_id: str | None = None  # null if a published file has it


@table(
    "verifier_votes",
    keys=("release", "suite", "verifier"),
    id="verifier_vote_id",
    perturbation_id="perturbations.perturbation_id",
    request_id="responses.request_id",
)
class VerifierVote:
    """One verifier's vote on one perturbation."""

    verifier_vote_id: str  # one per perturbation and verifier
    perturbation_id: str
    verifier: str  # the model that votes
    passes: bool | None  # PASS or FAIL; null if the reply could not be read
    failed: tuple[str, ...] = ()  # questions of the checklist that it answers with no
    predicted_behavior: str | None = None  # the code that it expects of a sound model
    reason: str | None = None  # its issues, in its words
    unread_reason: str | None  # why the reply could not be read; null if it could
    request_id: str | None = None  # null if a published file has it


ROW_TYPES: tuple[type, ...] = (FileQuestion, BaseQuestion, BaseAnswer, Perturbation, VerifierVote)
