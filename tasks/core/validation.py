"""Validation of a TOML table by pydantic, with plain error messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from tasks.core.errors import WrongUsage

if TYPE_CHECKING:
    from pydantic import ConfigDict, TypeAdapter
    from pydantic_core import ErrorDetails

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
    given: Mapping[str, Any] | None = None,
    secret: Collection[str] = (),
) -> Shape:
    """Convert a table to a dataclass configured as `STRICT`.

    Args:
        where: names the table in messages.
        given: fields that the table may not set, with their values.
        secret: fields whose values no message may repeat.
    """
    from pydantic import ValidationError

    given = given or {}
    if not isinstance(table, Mapping):
        raise WrongTable(f"{where}: expected a table, {{ key = value, ... }}, not {table!r}")
    check_keys(table, [field.name for field in fields(shape) if field.name not in given], where)  # type: ignore[arg-type]
    try:
        # via JSON: strict mode then accepts TOML lists as tuples and TOML tables as dataclasses
        content = json.dumps({**table, **given}, default=str, allow_nan=False)
        made: Shape = _adapter(shape).validate_json(content)  # type: ignore[arg-type]
        return made
    except ValidationError as wrong:
        said = "; ".join(_said(error, secret) for error in wrong.errors())
        raise WrongTable(f"{where}: {said}") from None
    except ValueError:  # TOML allows nan and inf, but they defeat every limit
        raise WrongTable(f"{where}: every number must be finite") from None


def _said(error: ErrorDetails, secret: Collection[str]) -> str:
    """Return what is wrong with which key; never the value of a secret one."""
    key = ": ".join(map(str, error["loc"]))
    if error["type"] == "unexpected_keyword_argument":
        return f"{key}: there is no such key"
    if error["type"] in ("missing", "missing_argument"):
        return f"{key} is missing"
    is_shown = error["loc"][0] not in secret and not isinstance(error["input"], Mapping)
    return f"{key}: {error['msg']}" + (f", not {error['input']!r}" if is_shown else "")


def unchecked(shape: type[Shape], table: Mapping[str, Any]) -> Shape:
    """Convert a packaged table, which a test validates, without pydantic: it takes 0.2 s."""
    nested = _nested(shape)  # type: ignore[arg-type]

    def made(key: str, value: Any) -> Any:
        if key in nested:
            return unchecked(nested[key], value)
        return tuple(value) if isinstance(value, list) else value

    return shape(**{key: made(key, value) for key, value in table.items()})


def check_keys(table: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a table with an unknown key; list the known ones and suggest the closest."""
    names = sorted(known)
    for key in table:
        if key not in names:
            close = get_close_matches(key, names, n=1)
            meant = f" (did you mean {close[0]}?)" if close else ""
            raise WrongTable(f"{where}: no key {key!r}{meant}; the keys are {', '.join(names)}")


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(shape)


@cache
def _nested(shape: type) -> dict[str, type]:
    """Return the dataclasses in a dataclass's fields, by field name."""
    return {
        name: arm
        for name, hint in get_type_hints(shape).items()
        for arm in (hint, *get_args(hint))
        if isinstance(arm, type) and is_dataclass(arm)
    }
