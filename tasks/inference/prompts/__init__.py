"""Prompt templates, one file each, and how to fill them.

A template is plain text with `{{ name }}` for each input. A line of five equals signs divides the
prefix (instructions, then document), which sibling requests share byte for byte, from the suffix,
which varies. Filling records the place of each input, so nobody parses a prompt to find it. A model
has only the text: if an input imitates one of the marks around it (`[End of document]`), the
prompt's marks carry a number that the input does not contain.

A user's own prompts (`use_own_prompts`) replace packaged ones of the same file name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from types import MappingProxyType

from tasks.core.fingerprints import file_hashes
from tasks.core.ids import sha256_hex
from tasks.core.rows import Field
from tasks.lake.records import Commit

_PLACE = re.compile(r"\{\{ *(\w+) *\}\}")
DIVIDER = "\n=====\n"
_OWN = "own "  # before the recorded hash of a user's own prompt
_own_texts: ContextVar[Mapping[str, str]] = ContextVar("own", default=MappingProxyType({}))
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


def read_template(name: str) -> str:
    """Return the text of a template, or of the user's own one.

    `<suite>/<file>` is in the suite's folder `prompts`; a name without a suite is in this folder.
    """
    own = _own_texts.get().get(f"{name}.txt")
    return _packaged(f"{name}.txt") if own is None else own


@cache
def _packaged(file: str) -> str:
    return template_file(file).read_text(encoding="utf-8")


def packaged_prompts(package: str) -> dict[str, str]:
    """Map the prompt files that a suite may send, as `template_file` names them, to their texts."""
    shared = [entry.name for entry in files("tasks.inference.prompts").iterdir()]
    folder = files(package).joinpath("prompts")
    names = [*shared, *(name for name, _ in file_hashes(folder, prompt_folder(package)))]
    return {name: _packaged(name) for name in names if name.endswith(".txt")}


def prompt_folder(package: str) -> str:
    """Return what the names of a suite's templates begin with."""
    return package.removeprefix("tasks.suites.")


def use_own_prompts(texts: Mapping[str, str]) -> None:
    """Replace packaged prompts, by file name, in this context and in those copied from it."""
    _own_texts.set(texts)


def is_own(file: str) -> bool:
    """Return whether a user's own text replaces a prompt file."""
    return file in _own_texts.get()


def prompts_of(names: Sequence[str]) -> dict[str, str]:
    """Return each template's hash; names are files or folders (`template_file`)."""
    own = {file: _OWN + sha256_hex(text)[:12] for file, text in _own_texts.get().items()}
    return {
        entry: own.get(entry, hashed)
        for name in names
        for entry, hashed in file_hashes(template_file(name), name)
    }


def own_prompts(commits: Iterable[Commit], suite: str) -> tuple[str, ...]:
    """List the prompt files that users' own texts replaced in a suite's steps, by name."""
    recorded = (
        prompt
        for commit in commits
        if commit.step.name.startswith(f"{suite}.")
        for prompt in commit.identity.get("prompts", {}).items()
    )
    return tuple(sorted({file for file, hashed in recorded if hashed.startswith(_OWN)}))


def inputs_of(name: str) -> tuple[str, ...]:
    """Return the names of a template's inputs, in order of appearance."""
    return inputs_in(read_template(name))


def inputs_in(text: str) -> tuple[str, ...]:
    """Return the names of the inputs in a template's text, in order of appearance."""
    return tuple(dict.fromkeys(_PLACE.findall(text)))


def fill(name: str, inputs: Mapping[str, str], head: Prompt | None = None) -> Prompt:
    """Fill a template with exactly its inputs; `fields` has an input once per occurrence.

    Args:
        head: the same template filled with the same inputs of the prefix, which is not filled anew.
    """
    _check_inputs(name, inputs)
    half, tail = _halves(name)
    marks = frozenset(map(_plain, marks_in(read_template(name))))
    if head is None:
        fields: list[Field] = []
        prefix = _substitute(_told_apart(half, inputs, marks), inputs, 0, fields)
    else:  # a prefix ends with a line end, so none of its inputs ends where it does
        prefix = head.prefix
        fields = [field for field in head.fields if field.end_char < len(prefix)]
    suffix = _substitute(_told_apart(tail, inputs, marks), inputs, len(prefix), fields)
    return Prompt(prefix, suffix, tuple(fields))


def prefix_inputs_of(name: str) -> tuple[str, ...]:
    """Return the inputs of a template's prefix: equal values share a prefix."""
    return inputs_in(_halves(name)[0])


def _check_inputs(name: str, inputs: Mapping[str, str]) -> None:
    places = inputs_of(name)
    missing, unused = set(places) - set(inputs), set(inputs) - set(places)
    if missing or (unused and not is_own(f"{name}.txt")):
        raise KeyError(
            f"prompt {name}: missing inputs {sorted(missing)}, unused inputs {sorted(unused)}"
        )


def _halves(name: str) -> tuple[str, str]:
    """Return the templates of prefix and suffix."""
    head, divider, tail = read_template(name).partition(DIVIDER)
    if not divider:
        raise ValueError(f"prompt {name}: no line of five equals signs between prefix and suffix")
    return head + "\n", tail.removesuffix("\n")


def marks_in(text: str) -> list[str]:
    """Return the marks of a template's text, lines such as `[End of document]`, unbracketed."""
    return _MARK.findall(text)


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
        _plain(bracketed) in marks
        for text in texts
        if "[" in text
        for bracketed in _BRACKETED.findall(text)
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
