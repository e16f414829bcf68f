"""Read the fields of a builder's reply: one JSON object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tasks.inference.replies import ParseError
from tasks.text.json_replies import objects

SEVERAL = "the reply gives several different objects"
_LISTS = ("steps", "sources")  # texts that models like to write as lists
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\})\s*")


def read_fields(reply: str, wanted: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, Any]:
    """Read the values of the fields that a reply gives, as they are.

    Args:
        wanted: names of fields; others are ignored.
        needed: those without which an object is none.

    Raises:
        ParseError: there is no object with the needed fields, or there are several with different
            values.
    """
    read = [_known(each, wanted) for each in objects(reply)]
    complete = [each for each in read if set(needed) <= each.keys()]
    if not complete:
        missing = sorted(set(needed) - {name for each in read for name in each})
        raise ParseError(f"the reply has no object with {', '.join(missing or needed)}")
    if any(each != complete[0] for each in complete):
        raise ParseError(SEVERAL)
    return complete[0]


def _known(keys: Mapping[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    names = {key: re.sub(r"[_\W]+", " ", key).strip() for key in keys}
    return {names[key]: value for key, value in keys.items() if names[key] in wanted}


def text_of(value: Any, name: str) -> str:
    """Read a field's text: a text or number; of some fields also a list; "" if it is null.

    Raises:
        ParseError: it is anything else, or repeats the prompt's placeholder.
    """
    if value is None:
        return ""
    if name in _LISTS and isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "\n".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ParseError(f"the {name} of the reply is not a text")
    text = str(value).strip()
    if _PLACEHOLDER.fullmatch(text):
        raise ParseError(f"the {name} of the reply is a placeholder")
    return text if any(map(str.isalnum, text)) else ""


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
    word = str(value).strip(" .*`\"'").casefold()
    if word in ("true", "yes", "false", "no"):
        return word in ("true", "yes")
    raise ParseError(f"the field {name} of the reply is neither true nor false")
