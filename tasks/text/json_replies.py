"""JSON out of a model's reply: in code fences, with words before, between and after."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_OPENING = re.compile(r"[{\[]")
# A text with so many brackets that open nothing is no reply in JSON, and would take long to go through.
_MOST_FAILED = 1_000


def json_values(reply: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The JSON objects and arrays of a text that do not stand in one another, in order."""
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
