"""Read what others wrote: JSON, TOML and addresses that are broken in ways parsers do not say."""

from __future__ import annotations

import json
import math
import re
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_MOST_DIGITS = 18  # more than any id or amount has, and as many as every reader takes
_TOO_DEEP = "nested too deeply"
# Escapes in JSON, whole surrogate pairs first: no table can hold a lone surrogate.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][\da-fA-F]{2})|\\."
)
_HALF = re.compile("[\ud800-\udfff]")


def without_halves(text: str) -> str:
    """Replace each lone surrogate of JSON, which is not a character, by U+FFFD."""
    return _HALF.sub(
        "\ufffd", _ESCAPE.sub(lambda match: r"\ufffd" if match["half"] else match[0], text)
    )


def read_json(text: str) -> Any:
    """Return the value of JSON.

    NaN becomes None, and a whole number of more than 18 digits its text.

    Raises:
        json.JSONDecodeError: the text is no JSON, or nested too deeply, or has a number too large.
    """

    def finite(digits: str) -> float:
        if math.isinf(number := float(digits)):
            problem = f"the number {digits[:_MOST_DIGITS]} is too large, write it as a text"
            raise json.JSONDecodeError(problem, text, text.find(digits))
        return number

    try:
        return json.loads(
            text, parse_constant=lambda _: None, parse_int=_whole_number, parse_float=finite
        )
    except RecursionError:
        raise json.JSONDecodeError(_TOO_DEEP, text, 0) from None


def read_toml(file: Path | Traversable) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        OSError, UnicodeDecodeError: it cannot be read as UTF-8.
        tomllib.TOMLDecodeError: it is no TOML, or nested too deeply.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None


def is_web_address(url: str) -> bool:
    """Return whether this is an address such as http://host:8000/v1."""
    if " " in url or not url.isprintable():
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an open bracket, or a port that is not a number
        return False


def _whole_number(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits
