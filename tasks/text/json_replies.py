"""Extract JSON from a model's reply, whatever text or code fences surround it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from tasks.core.untrusted import without_halves

_OPENING = re.compile(r"[{\[]")
_OBJECT = re.compile(r"\{\s*[\"']")
_LONGEST_LITERAL = 50_000
# A text with so many brackets that open no JSON is not a JSON reply; it would take long to search.
_MOST_FAILED = 1_000
_MENDED = (
    (re.compile(r",(\s*[}\]])"), r"\1"),
    # formulas and amounts: `\( x \)`, `\$5`
    (re.compile(r"(?<!\\)((?:\\\\)*)\\(?![\"\\/bfnrtu])"), r"\1\\\\"),
)


def json_values(
    reply: str, *, strict: bool = True, whole: bool = False
) -> Iterator[dict[str, Any] | list[Any]]:
    """Yield the outermost JSON objects and arrays of a text, in order.

    A lone surrogate becomes U+FFFD. If `strict`, a raw line break inside a text makes it no JSON.
    If `whole`, end at an object that is cut off or broken: what follows may be its parts.
    """
    reply = without_halves(reply)
    decoder = json.JSONDecoder(strict=strict)
    position = n_failed = 0
    while n_failed < _MOST_FAILED and (opening := _OPENING.search(reply, position)):
        try:
            value, position = decoder.raw_decode(reply, opening.start())
        except (ValueError, RecursionError):
            if whole and _OBJECT.match(reply, opening.start()):
                return
            position = opening.end()
            n_failed += 1
            continue
        yield value


def objects(text: str) -> list[dict[str, Any]]:
    """List a text's JSON objects with keys in lower case, outer ones first.

    Read are JSON lines, arrays and objects, in fences and between talk. If a text is cut off, the
    objects in it that are whole are listed. A comma too many and a wrong escape are mended.
    Only JSON is read: what a judge copies of a text shall not turn into a key.
    """
    return [
        {str(key).strip().lower(): value for key, value in item.items()}
        for item in _walked(_values(text, whole=False))
    ]


def outermost_values(text: str) -> list[Any]:
    """List a text's outermost JSON values up to a broken one, or its dictionary of Python."""
    return _values(text, whole=True) or _literal(text[text.find("{") : text.rfind("}") + 1])


def _values(text: str, *, whole: bool) -> list[Any]:
    """List a text's outermost JSON values, if there is an object in them; see `json_values`."""
    mended = text
    for wrong, right in _MENDED:
        mended = wrong.sub(right, mended)
    for spelling in dict.fromkeys((text, mended)):
        values = list(json_values(spelling, strict=False, whole=whole))
        if any(_walked(values)):
            return values
    return []


def _literal(text: str) -> list[Any]:
    """Read a dictionary as Python writes it."""
    try:
        value = ast.literal_eval(text) if len(text) <= _LONGEST_LITERAL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return [value] if isinstance(value, dict) else []


def _walked(values: list[Any]) -> Iterator[dict[Any, Any]]:
    waiting = list(values)
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        if isinstance(value, list):
            waiting[:0] = value
