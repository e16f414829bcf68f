"""The step in which each verifier votes on each perturbation that could be read.

Paper 003, section 3.4. Keys of replies are the authors'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from tasks.core.ids import stable_id
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.judge import read_verdict
from tasks.suites.refusalbench.catalogue import Catalogue, read_catalogue
from tasks.suites.refusalbench.generation import GENERATOR, SAMPLING
from tasks.suites.refusalbench.passages import name_passages
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation, VerifierVote
from tasks.suites.refusalbench.strata import ANSWER, CODES, STRATA
from tasks.suites.suite import Role, Step, StepInputs
from tasks.text.json_replies import objects

VERIFIER = Role(
    name="verifier",
    help="Models that check the perturbations. [default: the generators]",
    default=(),
    models=(1, None),
)

# The paper's seven questions (section 3.4). The two that the authors' code adds are parts of them:
# the kind of passage that may be changed is of the target, and the code of the expected reply.
QUESTIONS = (
    "lever_correctly_implemented",
    "intensity_correctly_achieved",
    "target_correctly_modified",
    "uncertainty_successfully_induced",
    "implementation_quality_sound",
    "answer_constraint_satisfied",
    "ground_truth_alignment",
)
_PASS, _FAIL = "PASS", "FAIL"
_SCHEMA = closed(
    identified_issues=REASON,
    predicted_rag_behavior=one_of(ANSWER, *CODES),
    **{name: one_of(True, False) for name in QUESTIONS},
    verification_result=one_of(_PASS, _FAIL),
)


@dataclass(frozen=True, slots=True)
class CheckInputs:
    """The prompt's inputs: a stratum, a base question, and what was made of it."""

    stratum: str
    description: str
    criterion: str
    target: str
    constraint: str
    query: str
    answers: str
    passages: str
    new_query: str
    new_passages: str
    lever: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A verifier's verdict; `failed` are the questions that it answers with false."""

    passes: bool  # a PASS beside a failed question is none
    failed: tuple[str, ...]
    behavior: str
    issues: str


def parse(reply: str) -> Check:
    """Read a verifier's reply.

    Raises:
        ParseError: a question or the result has no answer, or two.
    """
    verdict = read_verdict(reply, _SCHEMA)
    issues = [
        str(item["identified_issues"]) for item in objects(reply) if "identified_issues" in item
    ]
    failed = tuple(name for name, answer in verdict.items() if answer is False)
    return Check(
        passes=verdict["verification_result"] == _PASS and not failed,
        failed=failed,
        behavior=verdict["predicted_rag_behavior"],
        issues=issues[0] if issues else "",
    )


VERIFY: Operation[CheckInputs, Check] = Operation(
    name="verify",
    template="refusalbench/verify",
    inputs=CheckInputs,
    parse=parse,
    sampling=replace(SAMPLING, max_tokens=2_000),  # as in the authors' code
    schema=_SCHEMA,
)


def verify(inputs: StepInputs) -> Iterator[VerifierVote]:
    """Yield each verifier's vote on each perturbation that was read."""
    catalogue = read_catalogue()
    readable = [one for one in inputs.rows(Perturbation) if one.unread_reason is None]
    # prompts about one base question share a prefix
    readable.sort(key=lambda one: (one.base_question_id, _place(one), one.lever, one.generator))
    perturbed = {one.base_question_id for one in readable}
    questions = inputs.rows(BaseQuestion, ("base_question_id", perturbed))
    bases = {base.base_question_id: base for base in questions}
    perturbations = [
        Question(one.perturbation_id, _inputs_of(one, bases[one.base_question_id], catalogue))
        for one in readable
    ]
    for engine in inputs.engines[VERIFIER.name] or inputs.engines[GENERATOR.name]:
        for reply in ask(engine, VERIFY, perturbations):
            check = reply.value
            yield VerifierVote(
                verifier_vote_id=stable_id("verifier_vote", reply.subject_id, engine.model),
                perturbation_id=reply.subject_id,
                verifier=engine.model,
                passes=None if check is None else check.passes,
                failed=() if check is None else check.failed,
                predicted_behavior=None if check is None else check.behavior,
                reason=None if check is None else check.issues,
                unread_reason=reply.error,
                request_id=reply.request.request_id,
            )


def _place(perturbation: Perturbation) -> int:
    return STRATA.index((perturbation.perturbation_class, perturbation.intensity))


def _inputs_of(perturbation: Perturbation, base: BaseQuestion, catalogue: Catalogue) -> CheckInputs:
    originals = [passage.text for passage in base.passages]
    changed = {change.index: change.text for change in perturbation.changes}
    stratum = perturbation.perturbation_class, perturbation.intensity
    values = {
        **catalogue.describe(base.setting, stratum, catalogue.find(perturbation.lever, stratum)),
        "query": base.query,
        "answers": " OR ".join(base.answers),
        "passages": name_passages(base, originals),
        "new_query": perturbation.query,
        "new_passages": name_passages(base, changed) if changed else "none is changed",
    }
    return CheckInputs(**{field.name: values[field.name] or "" for field in fields(CheckInputs)})


STEP = Step(
    name="verification",
    version=6,
    run=verify,
    writes=(VerifierVote,),
    reads=("questions", "base", "perturbations"),
    asks={role.name: (VERIFY,) for role in (VERIFIER, GENERATOR)},
    may_be_empty=True,  # cases list why nothing could be verified
)
