"""Read what a model under test replied: a code or an answer, and how sure it says that it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tasks.suites.judge import Answered
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.strata import ALIASES, CODES, MIDPOINTS

ATTEMPT = "answer_attempt"  # a reply that answers
# a reply with a code after other text, or several: only a model can say which counts
MIXED = "mixed"
LEVELS = tuple(level.lower() for level in MIDPOINTS)
_CONFIDENCE = re.compile(
    r"^[\s*_#>`-]*CONFIDENCE(?:[ _]LEVEL)?[\s*_`]*[:=][\s*_`\[(]*(?P<level>[A-Z][A-Z _]*[A-Z]).*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(r"\A[\s*_#>`-]*(?:FINAL )?ANSWER[\s*_`]*[:=][\s*_`]*", re.IGNORECASE)

_INVISIBLE = str.maketrans("", "", "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_SPELLINGS = {name.casefold(): ALIASES.get(name, name) for name in (*ALIASES, *CODES)}
_KNOWN = "|".join(
    re.escape(name).replace("_", "[ _-]") for name in sorted(_SPELLINGS, key=len, reverse=True)
)
# A name that is not known matches, too: a text with REFUSE_X has no other reading.
_NAMED = re.compile(rf"(?<![^\W_])(?:(?P<known>{_KNOWN})(?!_*[^\W_])|refuse_\w*)", re.IGNORECASE)
_CODE = re.compile(r"(?<![^\W_])refuse_", re.IGNORECASE)
_GOES_ON = re.compile(r"[*`\"')\]]*[ \t]+[a-z]")  # the sentence of a code, behind it
# What may stand before a reply's one code: labels, formats and languages of code fences.
_LABELS = {"answer", "boxed", "code", "final", "json", "refusal", "response", "text"}


def reply_of(thing: Answered) -> tuple[str, str | None]:
    """Return a reply's answer or code, and its level of confidence if the case asks for one."""
    if thing.case.traits.get("prompt") != "confidence":
        return thing.text, None
    return split_confidence(thing.text)


def split_confidence(text: str) -> tuple[str, str | None]:
    """Split a reply into its answer and its level of confidence in small letters.

    The level is None if there is none that is known, or there are two.
    """
    text = _plain(text)
    levels = {re.sub(r"[ _]+", "_", match["level"]).lower() for match in _CONFIDENCE.finditer(text)}
    level = levels.pop() if len(levels) == 1 else None
    answer = _ANSWER.sub("", _CONFIDENCE.sub("", text).strip()).strip()
    return answer, level if level in LEVELS else None


def classify(text: str, answers: Sequence[str] = ()) -> str:
    """Tell whether a reply is a refusal code, an answer (`ATTEMPT`), or neither for certain.

    A code may be an alias, in any case, repeated, quoted, bracketed, bold, fenced or labelled. At
    the start of a reply it counts, whatever it gives as its reason; but if its own sentence goes on
    and one of `answers` follows, the reply may dismiss the code: "CODE does not apply: $5 million".

    Returns:
        The code as the released data spell it, `ATTEMPT`, or `MIXED`.
    """
    text = _plain(text)
    named = [*_NAMED.finditer(text)]
    codes = {_code_of(match) for match in named}
    if len(codes) == 1 and (code := codes.pop()):
        # spelled with blanks, it may be part of a sentence
        until = named[0].start() if _CODE.search(text) else len(text)
        others = re.findall(r"[^\W_]+", _NAMED.sub(" ", text[:until]).casefold())
        rest = text[named[0].end() :]
        may_answer = _GOES_ON.match(rest) and any(holds(rest, answer) for answer in answers)
        if _LABELS.issuperset(others) and not may_answer:
            return code
    return MIXED if _CODE.search(text) else ATTEMPT


def first_code(text: str) -> str | None:
    """Return the code that a text names first; None if it names none that is known."""
    match = _NAMED.search(text)
    return None if match is None else _code_of(match)


def _plain(text: str) -> str:
    r"""Remove what hides a name: invisible characters, full-width letters, Markdown's `\_`."""
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE).replace("\\_", "_")


def _code_of(match: re.Match[str]) -> str | None:
    known = match["known"]
    return None if known is None else _SPELLINGS[re.sub(r"[ -]", "_", known).casefold()]
