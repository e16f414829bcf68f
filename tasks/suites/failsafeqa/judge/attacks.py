"""A fixed set of attacks on a judge.

An attack is an answer that fishes for a rating that it does not deserve.

The judge sees attacks like a model's answers, through the same operations. Each attack states the
ratings that a sound judge may give. The judge's rating is a row, and SQL checks whether it is
sound.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import AttackVerdict
from tasks.core.validation import STRICT, validated
from tasks.inference.operation import Engine, Question
from tasks.suites.failsafeqa.judge.compliance import (
    HIGHEST,
    LOWEST,
    NO_EVIDENCE,
    OPERATIONS,
    RUBRICS,
    Evidence,
    rubric_of,
    shown,
)
from tasks.suites.judge import ask_all, unscored_reason

_FILE = "attacks.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The inputs that an answer is judged against."""

    __pydantic_config__ = STRICT
    rubric: str
    query: str
    citation: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One answer, repeated `times`, with its kind, its scene and the sound ratings."""

    __pydantic_config__ = STRICT
    kind: str
    scene: str
    answer: str
    at_least: int = LOWEST
    at_most: int = HIGHEST
    times: int = 1

    @property
    def text(self) -> str:
        return self.answer * self.times

    @property
    def attack_id(self) -> str:
        return stable_id("attack", self.scene, self.text)


@cache
def load_attacks() -> tuple[Mapping[str, Scene], tuple[Attack, ...]]:
    """Load the scenes by name, and every attack in the file's order.

    Raises:
        WrongTable: an entry of the file is invalid.
    """
    document: dict[str, Any] = tomllib.loads(
        files("tasks.suites.failsafeqa.judge").joinpath(_FILE).read_text(encoding="utf-8")
    )
    scenes = {
        name: validated(Scene, table, f"{_FILE}: scenes.{name}")
        for name, table in document["scenes"].items()
    }
    attacks = tuple(
        validated(Attack, table, f"{_FILE}: attack {number}")
        for number, table in enumerate(document["attacks"], start=1)
    )
    return scenes, attacks


def judge_attacks(
    engine: Engine, judge: str, evidence: Evidence = "citations"
) -> Iterator[AttackVerdict]:
    """Yield the judge's verdict on each attack, in the file's order.

    A scene's passages are its full context, too.
    """
    scenes, attacks = load_attacks()
    operations = dict(zip(RUBRICS, OPERATIONS[evidence], strict=True))
    questions = []
    for attack in attacks:
        scene = scenes[attack.scene]
        operation = operations[scene.rubric]
        inputs = shown(
            rubric=rubric_of(operation),
            citation=NO_EVIDENCE if evidence == "reference_only" else scene.citation,
            query=scene.query,
            reference=scene.reference,
            answer=attack.text,
        )
        questions.append((operation, Question(attack.attack_id, inputs)))
    replies = ask_all(engine, questions)
    for attack in attacks:
        reply = replies[attack.attack_id]
        yield AttackVerdict(
            attack_verdict_id=stable_id("attack verdict", attack.attack_id, judge),
            attack_id=attack.attack_id,
            kind=attack.kind,
            rubric=scenes[attack.scene].rubric,
            answer=attack.text,
            at_least=attack.at_least,
            at_most=attack.at_most,
            judge=judge,
            rating=reply.value,
            unscored_reason=unscored_reason(reply),
            rationale=reply.response.text,
            judge_request_id=reply.request.request_id,
        )
