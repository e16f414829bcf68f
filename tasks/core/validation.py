"""Validation of a TOML table by pydantic, with plain error messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from tasks.core.errors import WrongUsage

Shape = TypeVar("Shape")

# `__pydantic_config__` of dataclasses read from a table: no conversions, no unknown keys.
STRICT: ConfigDict = {"strict": True, "extra": "forbid", "allow_inf_nan": False}


class WrongTable(WrongUsage):
    """An invalid table; the message names the key and what is expected."""


def validated(
    shape: type[Shape],
    table: Any,
    where: str,
    *,
    preset: Mapping[str, Any] | None = None,
    secret: Collection[str] = (),
) -> Shape:
    """Convert a table to a dataclass configured as `STRICT`.

    Args:
        where: names the table in messages.
        preset: fields that the table may not set, with their values.
        secret: fields whose values no message may repeat.
    """
    preset = preset or {}
    if not isinstance(table, Mapping):
        raise WrongTable(f"{where}: expected a table, {{ key = value, ... }}, not {table!r}")
    check_keys(table, [field.name for field in fields(shape) if field.name not in preset], where)  # type: ignore[arg-type]
    try:
        # via JSON: strict mode then accepts TOML lists as tuples and TOML tables as dataclasses
        content = json.dumps({**table, **preset}, default=str, allow_nan=False)
        value: Shape = _adapter(shape).validate_json(content)  # type: ignore[arg-type]
        return value
    except ValidationError as wrong:
        problems = "; ".join(_problem(error, secret) for error in wrong.errors())
        raise WrongTable(f"{where}: {problems}") from None
    except ValueError:  # TOML allows nan and inf, but they defeat every limit
        raise WrongTable(f"{where}: every number must be finite") from None


def _problem(error: ErrorDetails, secret: Collection[str]) -> str:
    """Return what is wrong with which key; never the value of a secret one."""
    key = ": ".join(map(str, error["loc"])) or "the table"
    if error["type"] == "unexpected_keyword_argument":
        return f"{key}: there is no such key"
    if error["type"] in ("missing", "missing_argument"):
        return f"{key} is missing"
    is_secret = any(name in secret for name in error["loc"][:1])
    is_shown = not is_secret and not isinstance(error["input"], Mapping)
    return f"{key}: {error['msg']}" + (f", not {error['input']!r}" if is_shown else "")


def check_keys(table: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a table with an unknown key; list the known ones and suggest the closest."""
    names = sorted(known)
    for key in table:
        if key not in names:
            close = get_close_matches(key, names, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise WrongTable(f"{where}: no key {key!r}{hint}; the keys are {', '.join(names)}")


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)
