"""What a model under test replied: its answer or code, and how sure it says that it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.suites.judge import Answered
from tasks.suites.refusalbench.judge.codes import plain
from tasks.suites.refusalbench.strata import MIDPOINTS

LEVELS = tuple(level.lower() for level in MIDPOINTS)
_CONFIDENCE = re.compile(
    r"^[\s*_#>`-]*CONFIDENCE(?:[ _]LEVEL)?[\s*_`]*[:=][\s*_`\[(]*(?P<level>[A-Z][A-Z _]*[A-Z]).*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(r"\A[\s*_#>`-]*(?:FINAL )?ANSWER[\s*_`]*[:=][\s*_`]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerReply:
    """One reply in parts.

    Attributes:
        text: the answer or code, without the statement of confidence.
        confidence: the level, in small letters; None if it was not asked, or cannot be read.
    """

    text: str
    confidence: str | None = None


def reply_of(thing: Answered) -> AnswerReply:
    """Read a reply by the prompt that asked for it."""
    if thing.case.traits.get("prompt") != "confidence":
        return AnswerReply(thing.text)
    return read_confident(thing.text)


def read_confident(text: str) -> AnswerReply:
    """Read a reply that was to state its confidence; two different levels are none."""
    text = plain(text)
    found = {re.sub(r"[ _]+", "_", each["level"]).lower() for each in _CONFIDENCE.finditer(text)}
    level = found.pop() if len(found) == 1 else None
    answer = _ANSWER.sub("", _CONFIDENCE.sub("", text).strip()).strip()
    return AnswerReply(answer, level if level in LEVELS else None)
