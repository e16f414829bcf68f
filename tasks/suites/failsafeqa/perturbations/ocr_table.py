"""A table of how scanning confuses characters, read from JSON lines and checked.

Each line is an object with one character: `{char: {KEEP, DELETE, REPLACE, INSERT,
REPLACE_CHAR: {text: share}, INSERT_CHAR: {text: share}, COUNT}}`. `SPACE_CHAR` stands for a space,
`OTHER_CHAR` for every character without a row. This is the layout of TurkuNLP's
ocr_errors_simulator, the tool that FailSafeQA cites, so its table works too. Ours
(`ocr_confusions.jsonl`) is written for this project from what looks alike in print (l 1 I, O 0,
rn for m, cl for d). Unlike TurkuNLP's, it may replace a character by several.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from tasks.core.errors import WrongUsage

OTHER = "OTHER_CHAR"
_TOLERANCE = 1e-3

Share = Annotated[float, Field(ge=0, le=1)]
# Texts, and their cumulated shares as `Random.choices` takes them.
Choice = tuple[tuple[str, ...], tuple[float, ...]]


class TableError(WrongUsage):
    """An unusable table; the message names the file, the line and the fault."""


class _Fields(BaseModel):
    """The fields of one character; others are not read."""

    KEEP: Share
    DELETE: Share
    REPLACE: Share
    INSERT: Share
    REPLACE_CHAR: dict[str, Share]
    INSERT_CHAR: dict[str, Share]


_LINE = TypeAdapter(Annotated[dict[str, _Fields], Field(min_length=1, max_length=1)])


@dataclass(frozen=True, slots=True)
class OcrRow:
    """What happens to one character when an error strikes it."""

    keep: float  # factor on the block's error probability; 0 is never struck
    delete: float  # share of its errors
    delete_or_replace: float  # plus the share of replacements; the rest are insertions
    replacements: Choice
    insertions: Choice


@dataclass(frozen=True, slots=True)
class OcrTable:
    """A character table, with the SHA-256 of its file."""

    rows: Mapping[str, OcrRow]
    other: OcrRow
    most_keep: float
    sha256: str

    def row(self, char: str) -> OcrRow:
        return self.rows.get(char, self.other)


def load_table(path: Path | None = None) -> OcrTable:
    """Read a character table; None is the project's own.

    Raises:
        TableError: a line of the file is wrong.
        FileNotFoundError: there is no such file.
    """
    source = path or files("tasks.suites.failsafeqa.perturbations").joinpath("ocr_confusions.jsonl")
    content = source.read_bytes()
    rows = dict(
        _read_line(line, f"{path}, line {number}")
        for number, line in enumerate(content.split(b"\n"), 1)
        if line.strip()
    )
    if OTHER not in rows:
        raise TableError(f"{path}: no row {OTHER}, which serves every character without a row")
    most_keep = max(row.keep for row in rows.values())
    return OcrTable(rows, rows.pop(OTHER), most_keep, hashlib.sha256(content).hexdigest())


def _read_line(line: bytes, where: str) -> tuple[str, OcrRow]:
    try:
        ((char, fields),) = _LINE.validate_json(line).items()
    except ValidationError as invalid:
        first = invalid.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the line"
        raise TableError(f"{where}: {field}: {first['msg']}") from invalid
    keep, shares = fields.KEEP, (fields.DELETE, fields.REPLACE, fields.INSERT)
    if not any(shares):
        keep = 0.0  # a character that was never struck; the published table has such rows
    elif not _are_whole(shares):
        raise TableError(f"{where}: DELETE, REPLACE and INSERT do not sum to 1")
    choices = (fields.REPLACE_CHAR, fields.INSERT_CHAR)
    for share, choice in zip(shares[1:], choices, strict=True):
        if (choice or share) and not _are_whole(choice.values()):
            raise TableError(f"{where}: the shares of REPLACE_CHAR or INSERT_CHAR do not sum to 1")
    row = OcrRow(keep, fields.DELETE, fields.DELETE + fields.REPLACE, *map(_choice, choices))
    return _char(char), row


def _are_whole(shares: Iterable[float]) -> bool:
    return abs(sum(shares) - 1) <= _TOLERANCE


def _choice(shares: Mapping[str, float]) -> Choice:
    return tuple(map(_char, shares)), tuple(accumulate(shares.values()))


def _char(text: str) -> str:
    return " " if text == "SPACE_CHAR" else text
