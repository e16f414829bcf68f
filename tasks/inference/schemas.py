"""JSON schemas of replies, for servers that enforce them.

Keys are written in the order of the schema: a reason first, the verdict last, so that the verdict
follows from the reason. Every text and list is bounded, because a small model that decodes greedily
can repeat itself up to the limit of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "pattern"})


def text(most_chars: int, least: int = 1) -> dict[str, Any]:
    """Describe a text of `least` to `most_chars` characters."""
    return {"type": "string", "minLength": least, "maxLength": most_chars}


def matching(pattern: str) -> dict[str, Any]:
    """Describe a text that a regular expression matches as a whole."""
    return {"type": "string", "pattern": f"^{pattern}$"}


def label(most_chars: int) -> dict[str, Any]:
    """Describe a figure or a few words: a letter or digit, after a sign or so, begins them."""
    return matching(rf"[-+($ ]{{0,3}}[A-Za-z0-9].{{0,{most_chars - 4}}}")


REASON = text(200)
TRUE_OR_FALSE = {"type": "boolean"}


def one_of(*options: str | int) -> dict[str, Any]:
    """Describe a value out of a list."""
    return {"enum": list(options)}


def listed(item: Mapping[str, Any], most: int, least: int = 0) -> dict[str, Any]:
    """Describe a list of such items."""
    return {"type": "array", "items": dict(item), "minItems": least, "maxItems": most}


def closed(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Describe an object with these keys, all of them and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def unbounded(schema: Any) -> Any:
    """Return a schema without its bounds, which some providers refuse."""
    if isinstance(schema, Mapping):
        return {key: unbounded(value) for key, value in schema.items() if key not in _BOUNDS}
    return [unbounded(value) for value in schema] if isinstance(schema, list) else schema
