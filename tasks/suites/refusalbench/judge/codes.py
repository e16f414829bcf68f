"""Find refusal codes in texts that models write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.strata import ALIASES, CODES

ATTEMPT = "answer_attempt"  # a judge's class for a reply that answers

_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_SPELLINGS = {name.casefold(): ALIASES.get(name, name) for name in (*ALIASES, *CODES, ATTEMPT)}
_KNOWN = "|".join(
    re.escape(name).replace("_", "[ _-]") for name in sorted(_SPELLINGS, key=len, reverse=True)
)
# A name that is not known matches, too: a text with REFUSE_X has no other reading.
NAMED = re.compile(rf"(?<![^\W_])(?:(?P<known>{_KNOWN})(?!_*[^\W_])|refuse_\w*)", re.IGNORECASE)
_CODE = re.compile(r"(?<![^\W_])refuse_", re.IGNORECASE)

_GOES_ON = re.compile(r"[*`\"')\]]*[ \t]+[a-z]")  # the sentence of a code, behind it

# What may stand before a reply's one code: labels, formats and languages of code fences.
_LABELS = {"answer", "boxed", "code", "final", "json", "refusal", "response", "text"}


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """What a model's reply to a case is, as far as a rule can say.

    Attributes:
        kind: `code`, one refusal code, and what follows it; `answer`, a text without any code;
            `mixed`, a code after other text, or several: only a model can say which counts.
        code: the code, spelled as in the released data, if the kind is `code`.
    """

    kind: Literal["code", "answer", "mixed"]
    code: str | None = None


def plain(text: str) -> str:
    r"""Remove what hides a name: invisible characters, full-width letters, Markdown's `\_`."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).replace("\\_", "_")


def name_of(found: re.Match[str]) -> str | None:
    """Return the code or class that a match of `NAMED` spells; None if it is not known."""
    known = found["known"]
    return None if known is None else _SPELLINGS[re.sub(r"[ -]", "_", known).casefold()]


def read_reply(text: str, answers: Sequence[str] = ()) -> ReplyReading:
    """Tell whether a reply is a refusal code, an answer, or neither for certain.

    A code may be an alias, in any case, repeated, quoted, bracketed, bold, fenced or labelled. At
    the start of a reply it counts, whatever it gives as its reason; but if its own sentence goes on
    and one of `answers` follows, the reply may dismiss the code: "CODE does not apply: $5 million".
    """
    text = plain(text)
    named = [*NAMED.finditer(text)]
    names = {name_of(found) for found in named}
    if len(names) == 1 and (name := names.pop()) in CODES:
        # spelled with blanks, it may be part of a sentence
        until = named[0].start() if _CODE.search(text) else len(text)
        others = re.findall(r"[^\W_]+", NAMED.sub(" ", text[:until]).casefold())
        rest = text[named[0].end() :]
        may_answer = _GOES_ON.match(rest) and any(holds(rest, answer) for answer in answers)
        if _LABELS.issuperset(others) and not may_answer:
            return ReplyReading("code", name)
    return ReplyReading("mixed" if _CODE.search(text) else "answer")
