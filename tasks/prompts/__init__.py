"""Prompt templates, a file each, and the one way to fill them.

A template is plain text with `{{ name }}` where an input goes. A line of five equals
signs divides what sibling requests share byte for byte (the prefix: instructions, then
document) from what varies (the suffix). Filling records where each input stands, so that
a reader, a report or the weightless engine can find it again without parsing the prompt:
text that imitates a delimiter cannot move a boundary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.schemas import Field

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")
_DIVIDER = "\n=====\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A filled template: the text sent is prefix + suffix, `fields` are offsets into it."""

    prefix: str
    suffix: str
    fields: tuple[Field, ...]


@cache
def read_template(name: str) -> str:
    """The text of `tasks/prompts/<name>.txt`.

    Raises:
        FileNotFoundError: no such template.
    """
    return files("tasks.prompts").joinpath(*f"{name}.txt".split("/")).read_text(encoding="utf-8")


def inputs_of(name: str) -> tuple[str, ...]:
    """The names of a template's inputs, in the order in which they first appear."""
    return tuple(dict.fromkeys(_PLACE.findall(read_template(name))))


def fill(name: str, inputs: Mapping[str, str]) -> Prompt:
    """Fill a template; an input that stands in several places is a field at each.

    Raises:
        KeyError: an input of the template is missing, or one is given that it does not use;
            a model must see all that the operation says it sees, and nothing else.
        ValueError: the template has no divider.
    """
    template = read_template(name)
    places = inputs_of(name)
    if sorted(places) != sorted(inputs):
        missing, unused = set(places) - set(inputs), set(inputs) - set(places)
        raise KeyError(f"prompt {name}: missing inputs {sorted(missing)}, unused inputs {sorted(unused)}")
    head, divider, tail = template.partition(_DIVIDER)
    if not divider:
        raise ValueError(f"prompt {name}: no line of five equals signs between prefix and suffix")
    fields: list[Field] = []
    prefix = _substitute(head + "\n", inputs, 0, fields)
    suffix = _substitute(tail.removesuffix("\n"), inputs, len(prefix), fields)
    return Prompt(prefix, suffix, tuple(fields))


def _substitute(template: str, inputs: Mapping[str, str], offset: int, fields: list[Field]) -> str:
    pieces: list[str] = []
    position = offset
    for index, piece in enumerate(_PLACE.split(template)):
        if index % 2:  # re.split puts the captured names at the odd places
            name, piece = piece, inputs[piece]
            fields.append(Field(name=name, start_char=position, end_char=position + len(piece)))
        pieces.append(piece)
        position += len(piece)
    return "".join(pieces)
