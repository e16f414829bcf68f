"""The step in which each generator perturbs each base question once in each stratum.

Paper 003, section 3.4. Keys of replies are the authors', but passages are named as prompts show
them, `S1` or `N1`: their indices, which count from 0 in signal and in noise, invite errors by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import QAPair, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.replies import ParseError
from tasks.inference.schemas import REASON, closed, listed, one_of, text
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL
from tasks.suites.refusalbench.catalogue import Catalogue, read_catalogue, target_of
from tasks.suites.refusalbench.passages import name_passages, passage_names
from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange, Perturbation
from tasks.suites.refusalbench.strata import (
    STRATA,
    PerturbationClass,
    Stratum,
)
from tasks.suites.suite import Role, Step, StepInputs
from tasks.text.json_replies import objects

GENERATOR = Role(name="generator", help="Models that perturb the questions.", models=(1, None))
NO_LEVER = "the generator found no lever that fits"
CHANGES_NOTHING = "the reply changes nothing that its class may change"

# The paper samples generators and verifiers at 1.0 (appendix J).
SAMPLING = Sampling(temperature=1.0, max_tokens=8192, top_p=1.0)
_NONE = "none"  # the lever, if none fits
_LONGEST = 2_400  # characters of a perturbed text; a passage has at most 400 tokens
_NEEDED = {"lever_selected", "perturbed_query", "perturbed_passages"}


# --- how a generator is asked ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GenerateInputs:
    """The prompt's inputs: a stratum, and a base question."""

    stratum: str
    description: str
    criterion: str
    target: str
    levers: str
    query: str
    answers: str
    passages: str
    constraint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPerturbation:
    """A generator's reply as it was written; without a lever if it found none that fits."""

    lever: str | None
    query: str = ""
    passages: Mapping[str, str] = field(default_factory=dict)  # name, such as `S1` -> its new text
    reasoning: str = ""


def parse(reply: str) -> WrittenPerturbation:
    """Read a reply.

    Raises:
        ParseError: it has no object with the needed keys, or several different ones, or one of
            their values cannot be read.
    """
    items = objects(reply)
    if items and all(str(item.get("lever_selected")).casefold() == _NONE for item in items):
        return WrittenPerturbation(lever=None)
    whole = [item for item in items if item.keys() >= _NEEDED]
    if not whole or any(item != whole[0] for item in whole):
        several = "several different objects" if whole else "no JSON object"
        raise ParseError(f"the reply has {several} with {', '.join(sorted(_NEEDED))}")
    return WrittenPerturbation(
        lever=_text(whole[0], "lever_selected"),
        query=_text(whole[0], "perturbed_query"),
        passages=_passages(whole[0]["perturbed_passages"]),
        reasoning=str(whole[0].get("implementation_reasoning") or ""),
    )


def _text(reply_object: Mapping[str, Any], key: str) -> str:
    value = reply_object[key]
    if not isinstance(value, str) or not any(map(str.isalnum, value)):
        raise ParseError(f"{key} of the reply is not a text")
    return value.strip()


def _passages(value: Any) -> dict[str, str]:
    texts: dict[str, str] = {}
    for item in value if isinstance(value, list) else [value]:
        name, text = (
            map(item.get, ("passage", "perturbed_text")) if isinstance(item, dict) else ("", 0)
        )
        if not isinstance(name, str) or not isinstance(text, str):
            raise ParseError("perturbed_passages of the reply is not a list of passages and texts")
        if texts.setdefault(name.strip(" []").upper(), text) != text:
            raise ParseError(f"the reply changes passage {name} twice")
    return texts


def _schema(levers: Sequence[str] = ()) -> dict[str, Any]:
    """Describe a reply: one of the levers, or none; all signal passages, or one of noise."""
    changed = closed(passage=text(3), perturbed_text=text(_LONGEST))
    return closed(
        lever_selected=one_of(*levers, _NONE) if levers else text(80),
        implementation_reasoning=REASON,
        perturbed_query=text(600),
        perturbed_passages=listed(changed, MOST_SIGNAL),
    )


GENERATE: Operation[GenerateInputs, WrittenPerturbation] = Operation(
    name="generate",
    template="refusalbench/generate",
    inputs=GenerateInputs,
    parse=parse,
    sampling=SAMPLING,
    schema=_schema(),
)


# --- the step --------------------------------------------------------------------------------


def perturb(inputs: StepInputs) -> Iterator[Perturbation]:
    """Yield each generator's perturbation of each question of the base set in each stratum."""
    catalogue = read_catalogue()
    in_base_set = {pair.qa_pair_id for pair in inputs.rows(QAPair)}
    bases = [*inputs.rows(BaseQuestion, ("base_question_id", in_base_set))]
    # the instructions of a stratum and setting are the prefix that its prompts share
    bases.sort(key=lambda base: base.setting)
    subjects = [(base, stratum) for stratum in STRATA for base in bases]
    for engine in inputs.engines[GENERATOR.name]:
        questions = [_question(engine, *subject, catalogue) for subject in subjects]
        replies = ask(engine, GENERATE, questions)
        for (base, stratum), reply in zip(subjects, replies, strict=True):
            yield _perturbation(engine, base, stratum, catalogue, reply)


def _question(
    engine: Engine, base: BaseQuestion, stratum: Stratum, catalogue: Catalogue
) -> Question[GenerateInputs]:
    values = {
        **catalogue.describe(base.setting, stratum),
        "query": base.query,
        "answers": " OR ".join(base.answers),
        "passages": name_passages(base, [passage.text for passage in base.passages]),
    }
    return Question(
        stable_id("perturbation", base.base_question_id, *stratum, engine.model),
        GenerateInputs(**{field.name: values[field.name] for field in fields(GenerateInputs)}),
        schema=_schema([lever.name for lever in catalogue.levers[stratum]]),
    )


def _perturbation(
    engine: Engine,
    base: BaseQuestion,
    stratum: Stratum,
    catalogue: Catalogue,
    reply: Reply[WrittenPerturbation],
) -> Perturbation:
    columns: dict[str, Any] = {"lever": None, "query": None, "changes": (), "reasoning": None}
    unread = reply.error
    if reply.value is not None:
        try:
            columns |= _read(base, stratum, catalogue, reply.value)
        except ParseError as error:
            unread = str(error)
    return Perturbation(
        perturbation_id=reply.subject_id,
        base_question_id=base.base_question_id,
        generator=engine.model,
        setting=base.setting,
        perturbation_class=stratum[0],
        intensity=stratum[1],
        unread_reason=unread,
        request_id=reply.request.request_id,
        **columns,
    )


def _read(
    base: BaseQuestion, stratum: Stratum, catalogue: Catalogue, written: WrittenPerturbation
) -> dict[str, Any]:
    if written.lever is None:
        raise ParseError(NO_LEVER)
    lever = catalogue.find(written.lever, stratum)
    if lever is None:
        raise ParseError(f"the catalogue has no lever {written.lever!r} of this stratum")
    query, changes = changes_of(base, written, stratum[0])
    return {
        "lever": lever.name,
        "query": query,
        "changes": changes,
        "reasoning": written.reasoning,
    }


def changes_of(
    base: BaseQuestion, written: WrittenPerturbation, perturbation_class: PerturbationClass
) -> tuple[str, tuple[PassageChange, ...]]:
    """Return a reply's query, and the passages that it changes, in the order shown.

    A passage that differs in nothing but whitespace is unchanged. A part that the class keeps is
    the original, whatever the reply's copy of it is.

    Raises:
        ParseError: a name is that of no passage; or nothing changes.
    """
    target, names = target_of(base.setting, perturbation_class), passage_names(base)
    if unknown := written.passages.keys() - set(names):
        raise ParseError(f"the question has no passage {min(unknown)}")
    changes = []
    for index, (name, passage) in enumerate(zip(names, base.passages, strict=True)):
        new_text = written.passages.get(name, passage.text)
        is_kept = (target.signal if passage.is_signal else target.noise) == "keep"
        if not is_kept and new_text.split() != passage.text.split():
            changes.append(PassageChange(index=index, text=new_text))
    query = base.query if target.query == "keep" else written.query
    if not changes and query.split() == base.query.split():
        raise ParseError(CHANGES_NOTHING)
    return query, tuple(changes)


STEP = Step(
    name="perturbations",
    version=8,
    run=perturb,
    writes=(Perturbation,),
    reads=("questions", "base"),
    asks={GENERATOR.name: (GENERATE,)},
)
