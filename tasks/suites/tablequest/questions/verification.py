"""The operations by which a second model checks a question.

Paper 001, appendix B. `rederive` answers the question blind, from the snippet alone.
`verify_question` sees our answer and that one, and judges both.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import REASON, TRUE_OR_FALSE, closed, one_of, text
from tasks.suites.tablequest.questions.fields import (
    needed_text,
    read_fields,
    text_of,
    yes_or_no,
)

_VERDICTS = ("relevant", "reasonable", "valid", "agrees")
_LEVELS = ("easy", "medium", "hard")
OWN_ANSWER = closed(steps=text(600), answer=text(100))


@dataclass(frozen=True, slots=True)
class RederiveInputs:
    """The prompt's inputs: a snippet and a question on it."""

    context: str
    query: str


@dataclass(frozen=True, slots=True)
class VerifyInputs:
    """The prompt's inputs: a question with our answer, and the verifier's own."""

    context: str
    query: str
    level: str
    answer: str
    steps: str
    own_answer: str


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """A verifier's answer from question and snippet alone."""

    steps: str
    answer: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's verdicts on one question; `sources` is "" if it found none."""

    relevant: bool
    reasonable: bool
    valid: bool
    level: str
    sources: str
    agrees: bool
    reason: str


def parse_own(reply: str) -> OwnAnswer:
    """Read a verifier's own answer.

    Raises:
        ParseError: there is none, or there are several.
    """
    fields = read_fields(reply, ("steps", "answer"), ("answer",))
    answer = " ".join(needed_text(fields["answer"], "answer").split())
    return OwnAnswer(text_of(fields.get("steps"), "steps"), answer)


def parse_verdict(reply: str) -> Verdict:
    """Read a verifier's verdicts.

    Raises:
        ParseError: one is missing, or is none; or there are several objects.
    """
    fields = read_fields(reply, (*_VERDICTS, "level", "sources", "reason"), (*_VERDICTS, "level"))
    level = str(fields["level"]).strip(" .*`\"'").casefold()
    if level not in _LEVELS:
        raise ParseError("the level of the reply is not easy, medium or hard")
    sources = fields.get("sources")
    return Verdict(
        **{name: yes_or_no(fields[name], name) for name in _VERDICTS},
        level=level,
        sources="" if sources in ("", "none", "None", []) else text_of(sources, "sources"),
        reason=text_of(fields.get("reason"), "reason"),
    )


REDERIVE: Operation[RederiveInputs, OwnAnswer] = Operation(
    name="rederive",
    template="tablequest/rederive",
    inputs=RederiveInputs,
    parse=parse_own,
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    schema=OWN_ANSWER,
)
VERIFY: Operation[VerifyInputs, Verdict] = Operation(
    name="verify_question",
    template="tablequest/verify",
    inputs=VerifyInputs,
    parse=parse_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(
        reason=REASON,
        sources=text(300, least=0),
        level=one_of(*_LEVELS),
        **dict.fromkeys(_VERDICTS, TRUE_OR_FALSE),
    ),
)
