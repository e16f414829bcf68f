"""The operations by which a second model checks a question.

Paper 001, appendix B. `rederive` answers the question blind, from the snippet alone.
`verify_question` sees our answer and that one, and judges both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_choice, read_text, read_value
from tasks.inference.schemas import REASON, TRUE_OR_FALSE, closed, one_of, text
from tasks.suites.shared.contexts import ContextInputs
from tasks.text.json_replies import objects

_VERDICTS = ("relevant", "reasonable", "valid", "agrees")
_LEVELS = ("easy", "medium", "hard")


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
class Verdict:
    """A verifier's verdicts on one question; `sources` is "" if it found none."""

    relevant: bool
    reasonable: bool
    valid: bool
    level: str
    sources: str
    agrees: bool
    reason: str


def parse_verdict(reply: str) -> Verdict:
    """Read a verifier's verdicts; see `read_value`. Sources and reason may be missing."""
    yes_or_no = {"true": True, "yes": True, "false": False, "no": False}
    return Verdict(
        **{name: read_value(reply, name, yes_or_no) for name in _VERDICTS},
        level=read_choice(reply, "level", _LEVELS),
        sources=_remark(reply, "sources"),
        reason=_remark(reply, "reason"),
    )


def _remark(reply: str, key: str) -> str:
    """Return the text that a reply gives a key; "" if it gives none."""
    values = [item[key] for item in objects(reply) if item.get(key)]
    last = values[-1] if values else ""
    remark = "; ".join(map(str, last)) if isinstance(last, list) else str(last)
    return "" if remark.casefold() == "none" else remark


REDERIVE: Operation[ContextInputs, str] = Operation(
    name="rederive",
    template="tablequest/rederive",
    inputs=ContextInputs,
    parse=partial(read_text, key="answer"),
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    schema=closed(steps=text(600), answer=text(100)),
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
