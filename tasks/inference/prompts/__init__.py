"""Prompt templates, a file each, and the one way to fill them.

A template is plain text with `{{ name }}` where an input goes. A line of five equals
signs divides what sibling requests share byte for byte (the prefix: instructions, then
document) from what varies (the suffix). Filling records where each input stands, so that
a reader, a report or the weightless engine can find it again without parsing the prompt:
text that imitates a delimiter cannot move a boundary. A model has only the text to go by, so
where an input imitates one of the marks around it (`[End of document]`), the prompt's marks
carry a number that the input does not hold.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count

from tasks.core.ids import sha256_hex
from tasks.core.rows import Field

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")
_DIVIDER = "\n=====\n"
# A line of a template that says where an input begins or ends; one with a place in it is told apart already.
_MARK = re.compile(r"^\[([^\[\]{}\n]+)\]$", re.MULTILINE)
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,80})\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A filled template: the text sent is prefix + suffix, `fields` are offsets into it."""

    prefix: str
    suffix: str
    fields: tuple[Field, ...]


def template_file(name: str) -> Traversable:
    """The file or folder of a template's name, with its ending."""
    suite, _, below = name.partition("/")
    if not below:
        return files("tasks.inference.prompts").joinpath(name)
    package = suite if "." in suite else f"tasks.suites.{suite}"  # a suite may live elsewhere
    return files(package).joinpath("prompts", *below.split("/"))


@cache
def read_template(name: str) -> str:
    """The text of a template: `<suite>/<file>` is in the `prompts` of that suite, a bare name is everybody's, here.

    Raises:
        FileNotFoundError: no such template.
    """
    return template_file(f"{name}.txt").read_text(encoding="utf-8")


def prompts_of(names: Sequence[str]) -> dict[str, str]:
    """Template -> hash of its text, for files and folders, named as `template_file` has it."""
    return {found: hashed for name in names for found, hashed in _walk(template_file(name), name)}


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
    _check_inputs(name, inputs)
    head, tail = _halves(name)
    marks = _marks_of(name)
    fields: list[Field] = []
    prefix = _substitute(_told_apart(head, inputs, marks), inputs, 0, fields)
    suffix = _substitute(_told_apart(tail, inputs, marks), inputs, len(prefix), fields)
    return Prompt(prefix, suffix, tuple(fields))


def fill_suffix(name: str, inputs: Mapping[str, str]) -> str:
    """Fill only what differs between prompts that share a prefix; see `fill`."""
    _check_inputs(name, inputs)
    return _substitute(_told_apart(_halves(name)[1], inputs, _marks_of(name)), inputs, 0, [])


def prefix_inputs_of(name: str) -> tuple[str, ...]:
    """The names of the inputs that stand in a template's prefix: prompts that agree in these share it."""
    return tuple(dict.fromkeys(_PLACE.findall(_halves(name)[0])))


def _check_inputs(name: str, inputs: Mapping[str, str]) -> None:
    places = inputs_of(name)
    if sorted(places) != sorted(inputs):
        missing, unused = set(places) - set(inputs), set(inputs) - set(places)
        raise KeyError(
            f"prompt {name}: missing inputs {sorted(missing)}, unused inputs {sorted(unused)}"
        )


def _halves(name: str) -> tuple[str, str]:
    """The template of the prefix and that of the suffix."""
    head, divider, tail = read_template(name).partition(_DIVIDER)
    if not divider:
        raise ValueError(f"prompt {name}: no line of five equals signs between prefix and suffix")
    return head + "\n", tail.removesuffix("\n")


def _marks_of(name: str) -> frozenset[str]:
    return frozenset(_plain(mark) for mark in _MARK.findall(read_template(name)))


def fence_of(*texts: str) -> str:
    """16 hexadecimal digits that stand in none of the texts, the same for the same texts."""
    numbered = (sha256_hex(":".join((str(number), *texts)))[:16] for number in count())
    return next(fence for fence in numbered if not any(fence in text for text in texts))


def _told_apart(half: str, inputs: Mapping[str, str], marks: Collection[str]) -> str:
    """Half a template; its marks carry a fence where an input of this half imitates one of the template's.

    Each half goes by its own inputs, so that what differs between siblings never changes what they share.
    """
    texts = [inputs[name] for name in dict.fromkeys(_PLACE.findall(half))]
    if not any(
        _plain(found) in marks
        for text in texts
        if "[" in text
        for found in _BRACKETED.findall(text)
    ):
        return half
    fence = fence_of(*texts)
    return _MARK.sub(lambda mark: f"[{mark[1]} {fence}]", half)


def _plain(mark: str) -> str:
    return " ".join(mark.casefold().split())


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


def _walk(entry: Traversable, name: str) -> Iterator[tuple[str, str]]:
    if not entry.is_dir():
        yield name, hashlib.sha256(entry.read_bytes()).hexdigest()[:12]
        return
    for below in sorted(entry.iterdir(), key=lambda below: below.name):
        if below.name != "__pycache__":
            yield from _walk(below, f"{name}/{below.name}")
