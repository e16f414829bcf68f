"""JSON out of a model's reply: in code fences, with words before, between and after."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_OPENING = re.compile(r"[{\[]")
# Escapes in JSON, whole surrogate pairs first: the halves that are left are no text, and no table can hold them.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][\da-fA-F]{2})|\\."
)
_HALF = re.compile("[\ud800-\udfff]")
# A text with so many brackets that open nothing is no reply in JSON, and would take long to go through.
_MOST_FAILED = 1_000


def json_values(reply: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The JSON objects and arrays of a text that do not stand in one another, in order.

    Half a surrogate pair, which is no character, is read as U+FFFD.
    """
    reply = _HALF.sub("\ufffd", _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], reply))
    decoder = json.JSONDecoder()
    position = n_failed = 0
    while n_failed < _MOST_FAILED and (found := _OPENING.search(reply, position)):
        try:
            value, position = decoder.raw_decode(reply, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            n_failed += 1
            continue
        yield value
