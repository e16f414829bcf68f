"""Read the fields of a builder's reply: one object, JSON in any wrapping, or labelled lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tasks.inference.replies import ParseError, settled
from tasks.text.json_replies import objects

# Names of a field in replies: as JSON keys, and as labels of lines.
FIELDS: Mapping[str, str] = {
    "question": r"(?:final |test )?(?:question|query)",
    "answer": r"(?:final |correct |reference |own |the )?answer",
    "steps": r"(?:cot|reasoning|solution|calculation steps|(?:reasoning |reference )?steps)",
    "calculation": r"calculation|expression|formula",
    "sentence": r"(?:(?:grounding|cited|evidence|supporting) )*"
    r"(?:sentence|quote|quotation|citation|evidence|grounding)",
    "cells": r"(?:named |needed |source )?cells?",
    "relevant": r"(?:is )?relevant|relevance",
    "reasonable": r"(?:is )?reasonable|reasonableness",
    "valid": r"(?:is )?valid|validity",
    "level": r"level|difficulty",
    "sources": r"sources?|source location|location",
    "agrees": r"agrees?|agreement|(?:answers )?agree",
    "reason": r"reasons?|rationale|explanation",
}
_LISTS = ("steps", "sources", "sentence")
SEVERAL = "the reply gives several different objects and marks none as final"
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_COURTESY = re.compile(
    r"(?:I hope|Let me know|Feel free|Would you|If you|Note|This )", re.IGNORECASE
)
_ECHO = re.compile(r"\s*(?:<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\})\s*")


def read_fields(reply: str, wanted: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, Any]:
    """Read the values of the fields that a reply gives, as they are.

    Args:
        wanted: names of `FIELDS`; others are ignored.
        needed: those without which an object is none.

    Raises:
        ParseError: there is no object with the needed fields, or there are several with different
            values, or a part is withdrawn and nothing marked as final.
    """
    reply = settled(reply)
    found = [_fields(each, wanted) for each in objects(reply)]
    if not found:
        found = [_labelled(reply, wanted)]
    complete = [each for each in found if set(needed) <= each.keys()]
    if not complete:
        missing = sorted(set(needed) - {name for each in found for name in each})
        raise ParseError(f"the reply has no object with {', '.join(missing or needed)}")
    if any(each != complete[0] for each in complete):
        raise ParseError(SEVERAL)
    return complete[0]


def text_of(value: Any, name: str) -> str:
    """Read a field's text: a text or number; of some fields also a list; "" if it is null.

    Raises:
        ParseError: it is anything else, or repeats the prompt's placeholder.
    """
    if value is None:
        return ""
    if name in _LISTS and isinstance(value, dict):
        value = list(value.values())
    if name in _LISTS and isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "\n".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ParseError(f"the {name} of the reply is not a text")
    text = str(value).strip()
    if _ECHO.fullmatch(text) or (text and not any(map(str.isalnum, text))):
        raise ParseError(f"the {name} of the reply is a placeholder")
    return text


def needed_text(value: Any, name: str) -> str:
    """Read a field's text; see `text_of`.

    Raises:
        ParseError: it is empty, too.
    """
    if text := text_of(value, name):
        return text
    raise ParseError(f"the {name} of the reply is empty")


def yes_or_no(value: Any, name: str) -> bool:
    """Read a field that is true or false, also as words.

    Raises:
        ParseError: it is neither.
    """
    said = str(value).strip(" .*`\"'").casefold()
    if said in ("true", "yes", "false", "no"):
        return said in ("true", "yes")
    raise ParseError(f"the field {name} of the reply is neither true nor false")


def _fields(each: Mapping[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in each.items():
        name = next(
            (
                name
                for name in wanted
                if re.fullmatch(FIELDS[name], re.sub(r"[_\W]+", " ", key).strip())
            ),
            None,
        )
        if name is None:
            continue
        if name in read and read[name] != value:
            raise ParseError(f"the reply gives its {name} twice")
        read[name] = value
    return read


def _labelled(text: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Read lines `Question: ...`; a value ends at the next label, an answer at an empty line."""
    labels = "|".join(f"(?P<{name}>{FIELDS[name]})" for name in wanted)
    line = re.compile(
        rf"^[ \t>#*_\-]*(?:\d+[.)][ \t]*)?[*_]*(?:{labels})[ \t*_]*[:：][ \t*_]*",
        re.IGNORECASE | re.MULTILINE,
    )
    text = _FENCE.sub("", text)
    found = [*line.finditer(text)]
    read: dict[str, Any] = {}
    for place, label in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        value = text[label.end() : end].strip().strip("*").strip()
        name = str(label.lastgroup)
        if name != "steps":
            value, _, rest = value.partition("\n\n")
            if rest.strip() and not _COURTESY.match(rest.strip()):
                raise ParseError(f"it is not clear where the {name} of the reply ends")
        if name in read and read[name] != value:
            raise ParseError(f"the reply gives its {name} twice")
        read[name] = value
    return read
