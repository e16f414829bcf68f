"""The step in which each verifier votes on each perturbation that could be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from tasks.core.ids import stable_id
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question
from tasks.suites.refusalbench.catalogue import Catalogue, read_catalogue
from tasks.suites.refusalbench.generation import GENERATOR, described
from tasks.suites.refusalbench.generation.stratum import numbered
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation, VerifierVote
from tasks.suites.refusalbench.strata import CLASSES, INTENSITIES, SETTINGS
from tasks.suites.refusalbench.verification.operations import OPERATIONS, CheckInputs
from tasks.suites.suite import Role, Step, StepInputs

VERIFIER = Role(
    name="verifier",
    help="Models that check the perturbations. [default: the generators]",
    default=(),
    most=None,
)
_INPUTS = [field.name for field in fields(CheckInputs)]


def verify(inputs: StepInputs) -> Iterator[VerifierVote]:
    """Yield each verifier's vote on each perturbation that was read."""
    catalogue = read_catalogue()
    read = [each for each in inputs.rows(Perturbation) if each.unread_reason is None]
    read.sort(key=_group)
    perturbed = {each.base_question_id for each in read}
    questions = inputs.rows(BaseQuestion, ("base_question_id", perturbed))
    bases = {base.base_question_id: base for base in questions}
    for engine in inputs.engines[VERIFIER.name] or inputs.engines[GENERATOR.name]:
        for setting in SETTINGS:
            of_setting = [each for each in read if each.setting == setting]
            yield from _votes(engine, setting, of_setting, bases, catalogue)


def _group(perturbation: Perturbation) -> tuple[str, int, int, str]:
    """Sort by what prompts share: a base question and a stratum."""
    return (
        perturbation.base_question_id,
        CLASSES.index(perturbation.perturbation_class),
        INTENSITIES.index(perturbation.intensity),
        perturbation.generator,
    )


def _votes(
    engine: Engine,
    setting: str,
    perturbations: Sequence[Perturbation],
    bases: dict[str, BaseQuestion],
    catalogue: Catalogue,
) -> Iterator[VerifierVote]:
    asked = [
        Question(each.perturbation_id, _inputs_of(each, bases[each.base_question_id], catalogue))
        for each in perturbations
    ]
    for reply in ask(engine, OPERATIONS[setting], asked):
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


def _inputs_of(each: Perturbation, base: BaseQuestion, catalogue: Catalogue) -> CheckInputs:
    originals = [passage.text for passage in base.passages]
    changed = {change.index: change.text for change in each.changes}
    values = {
        **described(catalogue, base.setting, each.perturbation_class, each.intensity),
        "query": base.query,
        "answers": " OR ".join(base.answers),
        "passages": numbered(base, originals),
        "new_query": each.query,
        "new_passages": numbered(base, changed or {0: originals[0]})
        if base.setting == "single" or changed
        else "none is changed",
        "lever": each.lever,
        "stated_intensity": each.stated_intensity,
        "reasoning": each.reasoning,
    }
    return CheckInputs(**{name: values[name] or "" for name in _INPUTS})


STEP = Step(
    name="verification",
    version=2,
    run=verify,
    writes=(VerifierVote,),
    reads=("questions", "base", "perturbations"),
    asks={role.name: tuple(OPERATIONS.values()) for role in (VERIFIER, GENERATOR)},
    may_be_empty=True,  # cases list why nothing could be verified
)
