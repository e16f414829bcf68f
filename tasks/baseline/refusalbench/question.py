"""The question that a generator is shown, read from its prompt's inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from tasks.suites.refusalbench.proofs.numbers import agree, answer_places, asked_number, numbers_in
from tasks.suites.refusalbench.rows import AskedFigure, BasePassage, BaseQuestion
from tasks.suites.refusalbench.strata import CLASSES, INTENSITIES, Intensity, PerturbationClass

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_STRATUM = re.compile(r"(?P<name>[a-z_ ]+?)\W+(?P<intensity>low|medium|high)\b", re.IGNORECASE)
_PASSAGE = re.compile(r"^\[([SN])\d+\]\n", re.MULTILINE)
_ASKED = re.compile(r"^(Company|Measure|Period|Figure): (.+)$", re.MULTILINE)


class Inputs(Protocol):
    """What a generator is shown of its task."""

    @property
    def stratum(self) -> str:
        """Class and intensity: `contradiction, medium`."""

    @property
    def query(self) -> str:
        """The question to perturb."""

    @property
    def answers(self) -> str:
        """The right answers, joined by ` OR `."""

    @property
    def passages(self) -> str:
        """The passage or, of several, each below its mark: `[S1]`, `[N1]`."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """One base question and the stratum to perturb it for."""

    is_single: bool
    perturbation_class: PerturbationClass
    intensity: Intensity
    query: str
    answers: tuple[str, ...]
    asked: dict[str, str]  # company, measure, period, figure; empty if not known
    signal: tuple[str, ...]
    noise: tuple[str, ...]

    @property
    def figure(self) -> str:
        """The figure that answers the query, as the passage writes it; else the first answer."""
        return self.asked.get("figure") or self.answers[0]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where a text states the answer."""
        return answer_places(text, self.answers, asked_number(self.base))

    def traces(self, text: str) -> list[tuple[int, int]]:
        """Return where a text states the answer in any scale or rounding."""
        asked = asked_number(self.base)
        return (
            self.spans(text)
            if asked is None
            else [
                (number.start_char, number.end_char)
                for number in numbers_in(text)
                if agree(number, asked)
            ]
        )

    @cached_property
    def base(self) -> BaseQuestion:
        """The question as a row, with what the prompt tells of it."""
        known = {name: self.asked.get(name, "") for name in ("company", "measure", "period")}
        passages = [(text, True) for text in self.signal] + [(text, False) for text in self.noise]
        return BaseQuestion(
            base_question_id="",
            setting="single" if self.is_single else "multi",
            source="",
            source_id="",
            query=self.query,
            answers=self.answers,
            passages=tuple(
                BasePassage(text=text, is_signal=is_signal, document_id=None, start_char=0)
                for text, is_signal in passages
            ),
            asked=AskedFigure(**known, figure=self.figure) if self.asked else None,
            sector="",
            answer_kind="",
        )


def read_question(inputs: Inputs, *, is_single: bool) -> Question | None:
    """Read the inputs of a generator's prompt; return None if they name no stratum."""
    stratum = _STRATUM.search(inputs.stratum)
    if stratum is None:
        return None
    name = stratum["name"].strip().lower().replace(" ", "_")
    _, *parts = ("", "S", inputs.passages) if is_single else _PASSAGE.split(inputs.passages)
    asked = getattr(inputs, "asked", "")  # a generator is told, a verifier is not
    passages = [
        (kind, text.strip("\n")) for kind, text in zip(parts[::2], parts[1::2], strict=True)
    ]
    return Question(
        is_single=is_single,
        perturbation_class=next(each for each in CLASSES if each == name),
        intensity=next(each for each in INTENSITIES if each == stratum["intensity"].lower()),
        query=inputs.query,
        answers=tuple(inputs.answers.split(" OR ")),
        asked={name.lower(): value.strip() for name, value in _ASKED.findall(asked)},
        signal=tuple(text for kind, text in passages if kind == "S"),
        noise=tuple(text for kind, text in passages if kind == "N"),
    )
