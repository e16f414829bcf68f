"""Rows that hold what a test says, and nothing besides."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Row = TypeVar("Row")


def filled(row_type: type[Row], **known: Any) -> Row:
    """Make a row; a field without a default is null, zero, empty or its first choice."""
    return row_type(**(_nothing(row_type) | known))


@cache
def _nothing(row_type: type) -> dict[str, Any]:
    hints = get_type_hints(row_type)
    return {
        field.name: _least(hints[field.name])
        for field in fields(row_type)
        if field.default is MISSING and field.default_factory is MISSING
    }


def _least(hint: Any) -> Any:
    if NoneType in get_args(hint):
        return None
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    kind = get_origin(hint) or hint
    return filled(kind) if is_dataclass(kind) else kind()
