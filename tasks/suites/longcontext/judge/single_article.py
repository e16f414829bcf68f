"""Read whether one article fits, from a reply that was asked for {"fits": "yes"} or "no"."""

from __future__ import annotations

import re
from typing import Any

from tasks.inference.operation import ParseError
from tasks.inference.replies import split_thoughts
from tasks.text.json_replies import objects

# a word alone, or before a remark
_FIRST = re.compile(
    r"[\s*_`\"']*(?:fits[\"']?\s*[:=][\s\"']*)?(yes|no)[*_`\"']*\s*(?:[.,;:!–—-]|\n|\Z)",
    re.IGNORECASE,
)
_SAID = {"yes": True, "true": True, "no": False, "false": False}


def read_verdict(reply: str) -> bool:
    """Read whether the reply says that the article fits.

    Raises:
        ParseError: it says neither, or both.
    """
    reply = split_thoughts(reply)[0]
    said = {_read(each.get("fits")) for each in objects(reply) if "fits" in each}
    if not said and (word := _FIRST.match(reply)):
        said = {_read(word[1])}
    if len(said) != 1 or None in said:
        raise ParseError("the reply says neither yes nor no, or both")
    return bool(said.pop())


def _read(value: Any) -> bool | None:
    return _SAID.get(str(value).strip(" .!*").casefold())
