"""Validation of a TOML table by pydantic, with plain error messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from tasks.core.errors import WrongUsage

if TYPE_CHECKING:
    from pydantic import ConfigDict, TypeAdapter
    from pydantic_core import ErrorDetails

Shape = TypeVar("Shape")

# `__pydantic_config__` of dataclasses read from a table: no conversions, no unknown keys.
STRICT: ConfigDict = {"strict": True, "extra": "forbid", "allow_inf_nan": False}

# What each pydantic error type expects, as TOML spells it.
_EXPECTED = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "tuple_type": "a list of texts",
    "date_type": "a date such as 2023-12-31",
    "date_parsing": "a date such as 2023-12-31",
    "date_from_datetime_parsing": "a date such as 2023-12-31",
    "dict_type": "a table, { key = value, ... }",
    "mapping_type": "a table, { key = value, ... }",
    "dataclass_type": "a table, { key = value, ... }",
}


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

    Raises:
        WrongTable: not a table, a key is missing or unknown, or a value is invalid.
    """
    from pydantic import ValidationError

    given = given or {}
    if not isinstance(table, Mapping):
        expected = _EXPECTED["dataclass_type"]
        raise WrongTable(f"{where}: expected {expected}, not {_spelled(table)}")
    check_keys(table, [name for name in _keys(shape) if name not in given], where)
    _check_finite(table, where)
    try:
        # via JSON: strict mode then accepts TOML lists as tuples and TOML tables as dataclasses
        content = json.dumps({**table, **given}, default=str)
        made: Shape = _adapter(shape).validate_json(content)  # type: ignore[arg-type]
        return made
    except ValidationError as wrong:
        raise WrongTable(_message(shape, wrong.errors(), where, secret)) from None


def unchecked(shape: type[Shape], table: Mapping[str, Any]) -> Shape:
    """Convert a packaged table without pydantic, whose import takes 0.1 s.

    A test validates every packaged table.
    """
    nested = _nested(shape)  # type: ignore[arg-type]

    def made(key: str, value: Any) -> Any:
        if key in nested:
            return unchecked(nested[key], value)
        return tuple(value) if isinstance(value, list) else value

    return shape(**{key: made(key, value) for key, value in table.items()})


def check_keys(table: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse a table with an unknown key.

    Raises:
        WrongTable: the message lists the known keys and suggests the closest.
    """
    names = sorted(known)
    for key in table:
        if key not in names:
            close = get_close_matches(key, names, n=1)
            meant = f" (did you mean {close[0]}?)" if close else ""
            raise WrongTable(f"{where}: no key {key!r}{meant}; there are {', '.join(names)}")


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(shape)


def _keys(shape: type) -> list[str]:
    return [field.name for field in fields(shape)]


def _message(
    shape: type, errors: Sequence[ErrorDetails], where: str, secret: Collection[str]
) -> str:
    """Describe the first problem: an unknown key, else missing keys, else an invalid value."""
    of_type: dict[str, list[ErrorDetails]] = {}
    for error in errors:
        of_type.setdefault(error["type"], []).append(error)
    if unknown := of_type.get("unexpected_keyword_argument"):
        *outer, key = map(str, unknown[0]["loc"])
        try:
            check_keys([key], _keys(_inner(shape, outer)), ": ".join((where, *outer)))
        except WrongTable as wrong:
            return str(wrong)
    if missing := of_type.get("missing"):
        outer = [str(part) for part in missing[0]["loc"][:-1]]
        names = [str(error["loc"][-1]) for error in missing if list(error["loc"][:-1]) == outer]
        verb = "is" if len(names) == 1 else "are"
        return f"{': '.join((where, *outer))}: {' and '.join(names)} {verb} missing"
    error = errors[0]
    place = ": ".join((where, *map(str, error["loc"])))
    has = "" if secret and str(error["loc"][0]) in secret else f", not {_spelled(error['input'])}"
    context = error.get("ctx", {})
    match error["type"]:
        case "greater_than":
            return f"{place} must be above {context['gt']:g}{has}"
        case "greater_than_equal":
            return f"{place} must be at least {context['ge']:g}{has}"
        case "less_than_equal":
            return f"{place} must be at most {context['le']:g}{has}"
        case "literal_error":
            return f"{place} must be one of {context['expected']}{has}"
    return f"{place} must be {_EXPECTED.get(error['type'], error['msg'])}{has}"


def _inner(shape: type, path: Sequence[str]) -> type:
    """Return the dataclass at the end of a path of keys."""
    for key in path:
        shape = _nested(shape)[key]
    return shape


@cache
def _nested(shape: type) -> dict[str, type]:
    """Return the dataclasses in a dataclass's fields, by field name."""
    return {
        name: arm
        for name, hint in get_type_hints(shape).items()
        for arm in (hint, *get_args(hint))
        if isinstance(arm, type) and is_dataclass(arm)
    }


def _check_finite(value: Any, where: str) -> None:
    """Refuse nan and inf at any depth: TOML allows both, but they defeat every limit."""
    if isinstance(value, float) and not isfinite(value):
        raise WrongTable(f"{where} must be a finite number, not {_spelled(value)}")
    is_list = isinstance(value, list)
    for key, part in (
        value.items() if isinstance(value, Mapping) else enumerate(value) if is_list else ()
    ):
        _check_finite(part, f"{where}: {key}")


def _spelled(value: Any) -> str:
    """Spell a value as TOML does; a table only by its kind."""
    match value:
        case bool():
            return str(value).lower()
        case Mapping():
            return "a table"
        case list():
            return f"the list {value!r}"
        case str():
            return f"the text {value!r}"
    return repr(value)
