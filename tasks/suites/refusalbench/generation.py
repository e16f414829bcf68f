"""The step in which each generator perturbs each base question by one lever at a time.

Paper 003, section 3.4. Keys of replies are the authors', but passages are named as prompts show
them, `S1` or `N1`: their indices, which count from 0 in signal and in noise, invite errors by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.core.rows import QAPair, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question, Reply
from tasks.inference.replies import ParseError
from tasks.inference.schemas import REASON, closed, listed, one_of, text
from tasks.suites.refusalbench.base.noise import MOST_SIGNAL
from tasks.suites.refusalbench.catalogue import Catalogue, Lever, read_catalogue, target_of
from tasks.suites.refusalbench.passages import name_passages, passage_names
from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange, Perturbation
from tasks.suites.refusalbench.strata import STRATA, PerturbationClass, Stratum
from tasks.suites.suite import Role, Step, StepInputs
from tasks.text.json_replies import objects

GENERATOR = Role(name="generator", help="Models that perturb the questions.", models=(1, None))
NO_LEVER = "the generator could not apply the lever"
REPEATED = "another lever gave the same question and passages"
CHANGES_NOTHING = "the reply changes nothing that its class may change"

# The paper samples generators and verifiers at 1.0 (appendix J); five passages take 3,000 tokens.
SAMPLING = Sampling(temperature=1.0, max_tokens=4_096, top_p=1.0)
_TRIES = 5  # levers of a stratum that a generator may find unfit
_NONE = "none"  # in place of a lever that does not fit
_ADDED = 500  # characters or more that a passage may grow by; each length compiles a schema
_NEEDED = {"lever_selected", "perturbed_query", "perturbed_passages"}


# --- how a generator is asked ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GenerateInputs:
    """The prompt's inputs: a base question, a stratum, and one of its levers."""

    stratum: str
    description: str
    criterion: str
    target: str
    lever: str
    query: str
    answers: str
    passages: str
    constraint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPerturbation:
    """A generator's reply as it was written; without a lever if it could not apply it."""

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
    if not isinstance(value, str):
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
        name = name.strip(" []").upper()
        text = text.removeprefix(f"[{name}]\n")  # as prompts show it
        if texts.setdefault(name, text) != text:
            raise ParseError(f"the reply changes passage {name} twice")
    return texts


def _schema(lever: str, names: Sequence[str], longest: int) -> dict[str, Any]:
    """Describe a reply: the lever, or none; the question; new texts of the named passages."""
    changed = closed(passage=one_of(*names or ["S1"]), perturbed_text=text(longest))
    return closed(
        implementation_reasoning=REASON,
        lever_selected=one_of(lever, _NONE),
        perturbed_query=text(600),
        perturbed_passages=listed(changed, min(len(names), MOST_SIGNAL)),
    )


GENERATE: Operation[GenerateInputs, WrittenPerturbation] = Operation(
    name="generate",
    template="refusalbench/generate",
    inputs=GenerateInputs,
    parse=parse,
    sampling=SAMPLING,
    schema=_schema("a lever", ["S1"], _ADDED),  # each question has its own
)


# --- the step --------------------------------------------------------------------------------


_Subject = tuple[BaseQuestion, Stratum, Lever]


def perturb(inputs: StepInputs) -> Iterator[Perturbation]:
    """Yield each generator's perturbations of each question of the base set in each stratum.

    Where a generator says that a lever cannot be applied, it is told another of the stratum.
    """
    catalogue = read_catalogue()
    in_base_set = {pair.qa_pair_id for pair in inputs.rows(QAPair)}
    # a question and its passages are the prefix that its prompts share
    subjects = [
        (base, stratum, lever)
        for base in inputs.rows(BaseQuestion, ("base_question_id", in_base_set))
        for stratum in STRATA
        for lever in _draw_order(base, stratum, catalogue, inputs)[: inputs.options.levers]
    ]
    for engine in inputs.engines[GENERATOR.name]:
        yield from _perturb_by(engine, subjects, catalogue, inputs)


def _perturb_by(
    engine: Engine, asked: Sequence[_Subject], catalogue: Catalogue, inputs: StepInputs
) -> Iterator[Perturbation]:
    made: set[Any] = set()
    for _ in range(_TRIES):
        questions = [_question(engine, *subject, catalogue) for subject in asked]
        without: list[_Subject] = []
        for subject, reply in zip(asked, ask(engine, GENERATE, questions), strict=True):
            row = _perturbation(engine, subject, catalogue, reply)
            text = (row.base_question_id, *subject[1], row.query, row.changes)
            if row.unread_reason is None and text in made:
                row = replace(row, query=None, changes=(), unread_reason=REPEATED)
            made.add(text)
            if row.unread_reason == NO_LEVER:
                without.append(subject)
            yield row
        asked = [
            other for subject in without for other in _take_next_lever(subject, catalogue, inputs)
        ]


def _draw_order(
    base: BaseQuestion, stratum: Stratum, catalogue: Catalogue, inputs: StepInputs
) -> list[Lever]:
    """Put a stratum's levers in an order of a question's own, the same for all generators."""
    levers = catalogue.levers[stratum]
    rng = stable_rng(inputs.seed, "levers", base.base_question_id, *stratum)
    return rng.sample(levers, len(levers))


def _take_next_lever(
    subject: _Subject, catalogue: Catalogue, inputs: StepInputs
) -> Iterator[_Subject]:
    """Yield the subject with the next lever that it has not been asked with, if there is one."""
    base, stratum, lever = subject
    drawn = _draw_order(base, stratum, catalogue, inputs)
    place = drawn.index(lever) + inputs.options.levers
    yield from ((base, stratum, other) for other in drawn[place : place + 1])


def _question(
    engine: Engine, base: BaseQuestion, stratum: Stratum, lever: Lever, catalogue: Catalogue
) -> Question[GenerateInputs]:
    values = {
        **catalogue.describe(base.setting, stratum, lever),
        "query": base.query,
        "answers": " OR ".join(base.answers),
        "passages": name_passages(base, [passage.text for passage in base.passages]),
    }
    names = changeable(base, stratum[0])
    longest = _ADDED * (2 + max(len(passage.text) for passage in base.passages) // _ADDED)
    return Question(
        stable_id("perturbation", base.base_question_id, *stratum, lever.name, engine.model),
        GenerateInputs(**{field.name: values[field.name] for field in fields(GenerateInputs)}),
        schema=_schema(lever.name, names, longest),
    )


def _perturbation(
    engine: Engine, subject: _Subject, catalogue: Catalogue, reply: Reply[WrittenPerturbation]
) -> Perturbation:
    base, stratum, lever = subject
    columns: dict[str, Any] = {"lever": lever.name, "query": None, "changes": (), "reasoning": None}
    unread, written = reply.error, reply.value
    if written is not None:
        try:
            query, changes = changes_of(base, written, stratum[0])
            columns |= {"query": query, "changes": changes, "reasoning": written.reasoning}
            # the free engine applies another one, and says so
            if written.lever in [other.name for other in catalogue.levers[stratum]]:
                columns["lever"] = written.lever
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


def changeable(base: BaseQuestion, perturbation_class: PerturbationClass) -> list[str]:
    """Name the passages that a class may change."""
    target = target_of(base.setting, perturbation_class)
    may = {True: target.signal != "keep", False: target.noise != "keep"}
    names = zip(passage_names(base), base.passages, strict=True)
    return [name for name, passage in names if may[passage.is_signal]]


def changes_of(
    base: BaseQuestion, written: WrittenPerturbation, perturbation_class: PerturbationClass
) -> tuple[str, tuple[PassageChange, ...]]:
    """Return a reply's query, and the passages that it changes, in the order shown.

    A passage that differs in nothing but whitespace is unchanged, and so is a query without a word.
    A part that the class keeps is the original, whatever the reply's copy of it is.

    Raises:
        ParseError: the lever cannot be applied, a name is that of no passage, or nothing changes.
    """
    if written.lever is None:
        raise ParseError(NO_LEVER)
    names, may_change = passage_names(base), changeable(base, perturbation_class)
    if unknown := written.passages.keys() - set(names):
        raise ParseError(f"the question has no passage {min(unknown)}")
    changes = []
    for index, (name, passage) in enumerate(zip(names, base.passages, strict=True)):
        new_text = written.passages.get(name, passage.text)
        if name in may_change and new_text.split() != passage.text.split():
            changes.append(PassageChange(index=index, text=new_text))
    keeps_query = target_of(base.setting, perturbation_class).query == "keep"
    is_kept = keeps_query or not any(map(str.isalnum, written.query))
    query = base.query if is_kept else written.query
    if not changes and query.split() == base.query.split():
        raise ParseError(CHANGES_NOTHING)
    return query, tuple(changes)


STEP = Step(
    name="perturbations",
    version=16,
    run=perturb,
    writes=(Perturbation,),
    reads=("questions", "base"),
    asks={GENERATOR.name: (GENERATE,)},
    options=("levers", "seed"),
)
