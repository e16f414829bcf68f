"""Prompt templates, one file each, and how to fill them.

A template is plain text with `{{ name }}` for each input. A line of five equals signs divides the
prefix (instructions, then document), which sibling requests share byte for byte, from the suffix,
which varies. Filling records the place of each input, so that a reader, a report or the weightless
engine finds it without parsing the prompt: text that imitates a delimiter cannot move a boundary.
A model has only the text. So if an input imitates one of the marks around it (`[End of document]`),
the prompt's marks carry a number that the input does not contain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count

from tasks.core.fingerprints import file_hashes
from tasks.core.ids import sha256_hex
from tasks.core.rows import Field

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")
_DIVIDER = "\n=====\n"
# A line that says where an input begins or ends; a line with a placeholder is distinct already.
_MARK = re.compile(r"^\[([^\[\]{}\n]+)\]$", re.MULTILINE)
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,80})\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A filled template: prefix + suffix, and offsets of the inputs."""

    prefix: str
    suffix: str
    fields: tuple[Field, ...]


def template_file(name: str) -> Traversable:
    """Return the file or folder of a template, named with its extension."""
    suite, _, below = name.partition("/")
    if not below:
        return files("tasks.inference.prompts").joinpath(name)
    package = suite if "." in suite else f"tasks.suites.{suite}"  # suites outside have a full path
    return files(package).joinpath("prompts", *below.split("/"))


@cache
def read_template(name: str) -> str:
    """Return the text of a template.

    `<suite>/<file>` is in the suite's folder `prompts`; a name without a suite is in this folder.
    """
    return template_file(f"{name}.txt").read_text(encoding="utf-8")


def without_places(name: str) -> str:
    """Return the text of a template without its inputs."""
    return _PLACE.sub("", read_template(name).replace(_DIVIDER, "\n"))


def prompts_of(names: Sequence[str]) -> dict[str, str]:
    """Return each template's hash; names are files or folders (`template_file`)."""
    return {
        found: hashed for name in names for found, hashed in file_hashes(template_file(name), name)
    }


def inputs_of(name: str) -> tuple[str, ...]:
    """Return the names of a template's inputs, in order of appearance."""
    return tuple(dict.fromkeys(_PLACE.findall(read_template(name))))


def fill(name: str, inputs: Mapping[str, str], head: Prompt | None = None) -> Prompt:
    """Fill a template with exactly its inputs; `fields` has an input once per occurrence.

    Args:
        head: the same template filled with the same inputs of the prefix, which is not filled anew.
    """
    _check_inputs(name, inputs)
    half, tail = _halves(name)
    marks = _marks_of(name)
    if head is None:
        fields: list[Field] = []
        prefix = _substitute(_told_apart(half, inputs, marks), inputs, 0, fields)
    else:  # a prefix ends with a line end, so none of its inputs ends where it does
        prefix = head.prefix
        fields = [field for field in head.fields if field.end_char < len(prefix)]
    suffix = _substitute(_told_apart(tail, inputs, marks), inputs, len(prefix), fields)
    return Prompt(prefix, suffix, tuple(fields))


def fill_suffix(name: str, inputs: Mapping[str, str]) -> str:
    """Fill only the suffix; see `fill`."""
    _check_inputs(name, inputs)
    return _substitute(_told_apart(_halves(name)[1], inputs, _marks_of(name)), inputs, 0, [])


def prefix_inputs_of(name: str) -> tuple[str, ...]:
    """Return the inputs of a template's prefix: equal values share a prefix."""
    return tuple(dict.fromkeys(_PLACE.findall(_halves(name)[0])))


def _check_inputs(name: str, inputs: Mapping[str, str]) -> None:
    places = inputs_of(name)
    if sorted(places) != sorted(inputs):
        missing, unused = set(places) - set(inputs), set(inputs) - set(places)
        raise KeyError(
            f"prompt {name}: missing inputs {sorted(missing)}, unused inputs {sorted(unused)}"
        )


def _halves(name: str) -> tuple[str, str]:
    """Return the templates of prefix and suffix."""
    head, divider, tail = read_template(name).partition(_DIVIDER)
    if not divider:
        raise ValueError(f"prompt {name}: no line of five equals signs between prefix and suffix")
    return head + "\n", tail.removesuffix("\n")


def _marks_of(name: str) -> frozenset[str]:
    return frozenset(_plain(mark) for mark in _MARK.findall(read_template(name)))


def fence_of(*texts: str) -> str:
    """Return 16 hexadecimal digits derived from the texts but in none."""
    numbered = (sha256_hex(":".join((str(number), *texts)))[:16] for number in count())
    return next(fence for fence in numbered if not any(fence in text for text in texts))


def _told_apart(half: str, inputs: Mapping[str, str], marks: Collection[str]) -> str:
    """Return half a template, its marks fenced if an input imitates one.

    Each half depends on its own inputs only, so siblings always share the same prefix.
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
        if index % 2:  # re.split puts captured names at odd indices
            name, piece = piece, inputs[piece]
            fields.append(Field(name=name, start_char=position, end_char=position + len(piece)))
        pieces.append(piece)
        position += len(piece)
    return "".join(pieces)
