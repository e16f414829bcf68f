"""The page's sentences, by their names in `messages.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from tasks.text.visible import visible


def say(name: str, /, **values: Any) -> str:
    """Fill in a message; one with two forms takes `one` if its value `n` is 1."""
    return _message(name, values).format(**values)


def say_html(name: str, /, **values: Any) -> Markup:
    """Fill in a message that may hold HTML; its values are escaped."""
    shown = {key: visible(value) if type(value) is str else value for key, value in values.items()}
    return Markup(_message(name, values)).format(**shown)


def listed(names: Sequence[str]) -> str:
    """Join names as text: `a`, `a and b`, `a, b and c`."""
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


@cache
def messages() -> Any:
    """Return the content of `messages.toml`."""
    return tomllib.loads(text_of("messages.toml"))


def text_of(name: str) -> str:
    """Return the text of a file of this room."""
    return (files("tasks.results.report") / name).read_text(encoding="utf-8")


def _message(name: str, values: Mapping[str, Any]) -> str:
    message: Any = reduce(lambda table, part: table[part], name.split("."), messages())
    return message if isinstance(message, str) else message["one" if values["n"] == 1 else "other"]
