"""A table of a TOML file as the dataclass that it describes: what does not fit is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import date
from difflib import get_close_matches
from functools import cache
from math import isfinite
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tasks.core.errors import WrongUsage

Made = TypeVar("Made")

# What a field's type is called in a TOML file.
_KINDS: dict[type, str] = {
    str: "a text in quotes",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple: "a list of texts",
    date: "a date such as 2023-12-31",
}


class WrongTable(WrongUsage):
    """A table that cannot be used; the message names the key and what is expected there."""


def made_of(made: type[Made], table: Any, where: str, *, given: Mapping[str, Any] | None = None) -> Made:
    """A table as a dataclass: its keys are the fields.

    Args:
        where: names the table in messages.
        given: fields that the table does not hold, already made.

    Raises:
        WrongTable: it is no table, a key is missing or unknown, or a value is of the wrong kind, negative or no finite
            number.
    """
    if not isinstance(table, Mapping):
        raise WrongTable(f"{where}: expected a table, {{ key = value, ... }}, not {_spelled(table)}")
    given = given or {}
    hints = {name: hint for name, hint in _hints_of(made).items() if name not in given}  # type: ignore[arg-type]
    check_keys(table, hints, where)
    needed = [field.name for field in fields(made) if field.default is field.default_factory is MISSING]  # type: ignore[arg-type]
    if missing := [name for name in needed if name not in table and name not in given]:
        raise WrongTable(f"{where}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return made(
        **{key: _value(value, hints[key], f"{where}: {key}") for key, value in table.items()}, **given
    )


@cache
def _hints_of(made: type) -> dict[str, Any]:
    """The types of a dataclass's fields; Python works them out anew whenever it is asked."""
    return get_type_hints(made)


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a table with a key that means nothing.

    Raises:
        WrongTable: the message says which key may be meant.
    """
    names = sorted(known)
    for key in table:
        if key not in names:
            close = get_close_matches(key, names, n=1)
            meant = f" (did you mean {close[0]}?)" if close else ""
            raise WrongTable(f"{where}: no key {key!r}{meant}; there are {', '.join(names)}")


def _value(value: Any, hint: Any, where: str) -> Any:
    """A value as its field takes it.

    Raises:
        WrongTable: it is of another kind, negative or no finite number.
    """
    _check_finite(value, where)
    kinds = [get_origin(arm) or arm for arm in (get_args(hint) if isinstance(hint, UnionType) else (hint,))]
    if tuple in kinds and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    accepted = (*kinds, int) if float in kinds else tuple(kinds)
    if not (isinstance(value, accepted) and (not isinstance(value, bool) or bool in kinds)):
        expected = next((_KINDS[kind] for kind in kinds if kind in _KINDS), "a table, { key = value, ... }")
        raise WrongTable(f"{where} must be {expected}, not {_spelled(value)}")
    if isinstance(value, int | float) and value < 0:
        raise WrongTable(f"{where} must not be negative, as {_spelled(value)} is")
    return value


def _check_finite(value: Any, where: str) -> None:
    """Refuse nan and inf, which TOML has, wherever they stand: no limit holds with them, and JSON has neither."""
    if isinstance(value, float) and not isfinite(value):
        raise WrongTable(f"{where} must be a finite number, not {_spelled(value)}")
    parts = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in parts:
        _check_finite(part, f"{where}: {key}")


def _spelled(value: Any) -> str:
    """A value as the file has it, or by what it is where that would be long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    return (
        f"the list {value!r}"
        if isinstance(value, list)
        else f"the text {value!r}"
        if isinstance(value, str)
        else repr(value)
    )
