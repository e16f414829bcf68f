"""Extract JSON from a model's reply, whatever text or code fences surround it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_OPENING = re.compile(r"[{\[]")
# Escapes in JSON, whole surrogate pairs first: no table can hold a lone surrogate.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][\da-fA-F]{2})|\\."
)
_HALF = re.compile("[\ud800-\udfff]")
# A text with so many brackets that open no JSON is not a JSON reply; it would take long to search.
_MOST_FAILED = 1_000


def json_values(reply: str, *, strict: bool = True) -> Iterator[dict[str, Any] | list[Any]]:
    """Yield the outermost JSON objects and arrays of a text, in order.

    A lone surrogate, which is not a character, becomes U+FFFD.

    Args:
        strict: whether a raw line break inside a text makes it no JSON.
    """
    reply = _HALF.sub(
        "\ufffd", _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], reply)
    )
    decoder = json.JSONDecoder(strict=strict)
    position = n_failed = 0
    while n_failed < _MOST_FAILED and (found := _OPENING.search(reply, position)):
        try:
            value, position = decoder.raw_decode(reply, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            n_failed += 1
            continue
        yield value
