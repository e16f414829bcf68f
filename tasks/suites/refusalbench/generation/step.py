"""The step in which each generator perturbs each base question once in each stratum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from tasks.core.ids import stable_id
from tasks.core.rows import QAPair
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Question, Reply
from tasks.inference.replies import ParseError
from tasks.suites.refusalbench.catalogue import Catalogue, read_catalogue
from tasks.suites.refusalbench.generation.changes import changes_of
from tasks.suites.refusalbench.generation.operations import (
    OPERATIONS,
    GenerateInputs,
    Written,
    schema_for,
)
from tasks.suites.refusalbench.generation.stratum import STRATA, described, numbered
from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange, Perturbation
from tasks.suites.refusalbench.strata import SETTINGS, Intensity, PerturbationClass
from tasks.suites.suite import Role, Step, StepInputs

NO_LEVER = "the generator found no lever that fits"
GENERATOR = Role(name="generator", help="Models that perturb the questions.", most=None)
_INPUTS = [field.name for field in fields(GenerateInputs)]


def perturb(inputs: StepInputs) -> Iterator[Perturbation]:
    """Yield each generator's perturbation of each question of the base set in each stratum."""
    catalogue = read_catalogue()
    in_base_set = {pair.qa_pair_id for pair in inputs.rows(QAPair)}
    bases = [*inputs.rows(BaseQuestion, ("base_question_id", in_base_set))]
    for engine in inputs.engines[GENERATOR.name]:
        for setting in SETTINGS:
            chosen = [base for base in bases if base.setting == setting]
            yield from _by_generator(engine, setting, chosen, catalogue)


def _by_generator(
    engine: Engine, setting: str, bases: list[BaseQuestion], catalogue: Catalogue
) -> Iterator[Perturbation]:
    # a stratum's instructions are the prefix that its prompts share
    wanted = [(base, *stratum) for stratum in STRATA for base in bases]
    asked = [
        Question(
            stable_id("perturbation", base.base_question_id, name, intensity, engine.model),
            _inputs_of(base, catalogue, name, intensity),
            schema=schema_for(base, [lever.name for lever in catalogue.of(name, intensity)]),
        )
        for base, name, intensity in wanted
    ]
    replies = ask(engine, OPERATIONS[setting], asked)
    for (base, name, intensity), reply in zip(wanted, replies, strict=True):
        yield _perturbation(base, name, intensity, catalogue, engine, reply)


def _inputs_of(
    base: BaseQuestion,
    catalogue: Catalogue,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
) -> GenerateInputs:
    values = {
        **described(catalogue, base.setting, perturbation_class, intensity),
        "query": base.query,
        "answers": " OR ".join(base.answers),
        "passages": numbered(base, [passage.text for passage in base.passages]),
    }
    return GenerateInputs(**{name: values[name] for name in _INPUTS})


def _perturbation(
    base: BaseQuestion,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
    catalogue: Catalogue,
    engine: Engine,
    reply: Reply[Written],
) -> Perturbation:
    written, unread, lever_name = reply.value, reply.error, None
    query: str | None = None
    changes: tuple[PassageChange, ...] = ()
    if written is not None and written.lever is None:
        unread = NO_LEVER
    elif written is not None and written.lever is not None:
        lever = catalogue.find(written.lever, perturbation_class, intensity)
        lever_name = None if lever is None else lever.name
        if lever is None:
            unread = f"the catalogue has no lever {written.lever!r} of this stratum"
        try:
            query, changes = changes_of(base, written, perturbation_class)
        except ParseError as error:
            unread = str(error)
    if unread is not None:
        written, query, changes = None, None, ()
    return Perturbation(
        perturbation_id=reply.subject_id,
        base_question_id=base.base_question_id,
        generator=engine.model,
        setting=base.setting,
        perturbation_class=perturbation_class,
        intensity=intensity,
        lever=None if written is None else lever_name,
        query=query,
        changes=changes,
        reasoning=None if written is None else written.reasoning,
        stated_intensity=None if written is None else written.intensity,
        unread_reason=unread,
        request_id=reply.request.request_id,
    )


STEP = Step(
    name="perturbations",
    version=7,
    run=perturb,
    writes=(Perturbation,),
    reads=("questions", "base"),
    asks={GENERATOR.name: tuple(OPERATIONS.values())},
)
